import type { AST } from "@eslint-community/regexpp";
import { setOf } from "./parse.ts";

/** Elementary operations that the analysis of one pattern may still take. */
export interface Effort {
  left: number;
}

/** @throws NotProven if no more may be taken */
export function spendEffort(effort: Effort, operations: number): void {
  effort.left -= operations;
  if (effort.left < 0) throw new NotProven();
}

/** Most work of a pattern without endless repeats at one place of the text. */
export const MAX_FINITE_WORK = 5000;
/** The same where every place of the text is tried. */
export const MAX_SEARCH_WORK = 128;

/** Not proven linear. */
export class NotProven extends Error {}

/** Returns what is proven, or undefined if it is not. */
export function proven<T>(prove: () => T): T | undefined {
  try {
    return prove();
  } catch (error) {
    if (error instanceof NotProven) return undefined;
    throw error;
  }
}

/** What backtracking can try if nothing repeats without end. */
interface Finite {
  /** Ways through. */
  readonly ways: number;
  /** Characters and assertions that are tried on all of them, what they begin with alike counted once. */
  readonly work: number;
}

/** If nothing follows, a repeat of one character never comes back for more than its least. */
function leastOf(node: AST.Element): AST.Element {
  if (node.type !== "Quantifier" || node.max !== Number.POSITIVE_INFINITY) return node;
  const { type } = node.element;
  const single = type === "Character" || type === "CharacterClass" || type === "CharacterSet";
  return single ? { ...node, max: node.min } : node;
}

/**
 * Bounds what backtracking can try if nothing repeats without end.
 * @throws NotProven where something does, and for references and lookarounds
 */
function finite(node: AST.Node, unicode: boolean): Finite {
  if (setOf(node, unicode) !== undefined) return { ways: 1, work: 1 };
  switch (node.type) {
    case "Assertion":
      if (node.kind === "lookahead" || node.kind === "lookbehind") throw new NotProven();
      // V8 tries it inside of a surrogate pair, too, which is not a place for a match in Unicode mode.
      if (node.kind === "word" && node.negate) throw new NotProven();
      return { ways: 1, work: 1 };
    case "Alternative":
      return node.elements.reduce(
        (sum, element, i) => {
          const last = node.parent.type === "Pattern" && i === node.elements.length - 1;
          const { ways, work } = finite(last ? leastOf(element) : element, unicode);
          return { ways: sum.ways * ways, work: sum.work + sum.ways * work };
        },
        { ways: 1, work: 0 },
      );
    case "Pattern":
    case "Group":
    case "CapturingGroup": {
      const all = node.alternatives.map((alternative) => finite(alternative, unicode));
      return {
        ways: all.reduce((sum, { ways }) => sum + ways, 0),
        work: all.reduce((sum, { work }) => sum + work, 0),
      };
    }
    case "Quantifier": {
      const { element, min, max } = node;
      if (max > MAX_FINITE_WORK) throw new NotProven();
      const { ways, work } = finite(element, unicode);
      const sum = { ways: 0, work: 1 };
      for (let count = 0; count <= max; count++) {
        if (count >= min) sum.ways += ways ** count;
        if (count < max) sum.work += ways ** count * work;
      }
      return sum;
    }
    default:
      throw new NotProven();
  }
}

/** Returns the work of {@link finite} on all of several alternatives; infinite if that is not bounded. */
export function finiteWork(alternatives: readonly AST.Alternative[], unicode: boolean): number {
  const works = proven(() => alternatives.map((alternative) => finite(alternative, unicode).work));
  return works?.reduce((sum, work) => sum + work, 0) ?? Number.POSITIVE_INFINITY;
}
