import type { AST } from "@eslint-community/regexpp";
import { setOf } from "./parse.ts";

/** Elementary operations left for the analysis of one pattern. */
export interface FiniteEffort {
  left: number;
}

/** @throws NotProvenError if none are left */
export function spendEffort(effort: FiniteEffort, operations: number): void {
  effort.left -= operations;
  if (effort.left < 0) throw new NotProvenError();
}

/** Maximum work of a pattern without unbounded repeats at one place of the text. */
export const MAX_FINITE_WORK = 5000;
/** The same if every place of the text is tried. */
export const MAX_SEARCH_WORK = 128;

/** Thrown if a pattern is not proven linear. */
export class NotProvenError extends Error {}

/** Returns what is proven; undefined if the proof fails. */
export function tryProof<T>(prove: () => T): T | undefined {
  try {
    return prove();
  } catch (error) {
    if (error instanceof NotProvenError) return undefined;
    throw error;
  }
}

/** What backtracking can try if there are no unbounded repeats. */
interface Finite {
  /** Ways through. */
  readonly ways: number;
  /** Characters and assertions tried on all ways; common beginnings count once. */
  readonly work: number;
}

/** If nothing follows, a repeat of a single character never backtracks beyond its minimum. */
function leastOf(node: AST.Element): AST.Element {
  if (node.type !== "Quantifier" || node.max !== Number.POSITIVE_INFINITY) return node;
  const { type } = node.element;
  const single = type === "Character" || type === "CharacterClass" || type === "CharacterSet";
  return single ? { ...node, max: node.min } : node;
}

/**
 * Bounds what backtracking can try if there are no unbounded repeats.
 * @throws NotProvenError if there are, and for references and lookarounds
 */
function finite(node: AST.Node, unicode: boolean): Finite {
  if (setOf(node, unicode) !== undefined) return { ways: 1, work: 1 };
  switch (node.type) {
    case "Assertion":
      if (node.kind === "lookahead" || node.kind === "lookbehind") throw new NotProvenError();
      // V8 also tries the pattern inside a surrogate pair, where Unicode mode allows no match.
      if (node.kind === "word" && node.negate) throw new NotProvenError();
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
      if (max > MAX_FINITE_WORK) throw new NotProvenError();
      const { ways, work } = finite(element, unicode);
      const sum = { ways: 0, work: 1 };
      for (let count = 0; count <= max; count++) {
        if (count >= min) sum.ways += ways ** count;
        if (count < max) sum.work += ways ** count * work;
      }
      return sum;
    }
    default:
      throw new NotProvenError();
  }
}

/** Returns the total work of {@link finite} for several alternatives; infinite if it is not bounded. */
export function finiteWork(alternatives: readonly AST.Alternative[], unicode: boolean): number {
  const works = tryProof(() =>
    alternatives.map((alternative) => finite(alternative, unicode).work),
  );
  return works?.reduce((sum, work) => sum + work, 0) ?? Number.POSITIVE_INFINITY;
}
