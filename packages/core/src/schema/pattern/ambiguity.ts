import type { AST } from "@eslint-community/regexpp";
import { type CodeSet, intersects } from "./code-set.ts";
import { type ParsedPattern, setOf } from "./parse.ts";

/** Most characters of a pattern, with repeats written twice, that are analysed. */
const MAX_POSITIONS = 200;
/** Longest source that is analysed: what is longer has more positions, or more work, than that. */
const MAX_ANALYSED_LENGTH = 2048;
/** Most work of a pattern without endless repeats at one place of the text. */
const MAX_FINITE_WORK = 5000;
/** The same where every place of the text is tried. */
const MAX_SEARCH_WORK = 64;

/**
 * How much work backtracking may take:
 * at most `fixed` steps and `perCharacter` steps for each character of the text.
 */
export interface Linear {
  readonly fixed: number;
  readonly perCharacter: number;
}

/** Not proven linear. */
class Ambiguous extends Error {}

/** One character that a pattern consumes, and those that may come next. */
interface Position {
  readonly set: CodeSet;
  readonly follow: Position[];
}

interface Part {
  readonly nullable: boolean;
  readonly first: readonly Position[];
  readonly last: readonly Position[];
}

const EMPTY: Part = { nullable: true, first: [], last: [] };

/** At any one place two of them could consume the same character: there backtracking has a choice. */
function apart(positions: readonly Position[]): void {
  positions.forEach((a, i) => {
    for (let j = i + 1; j < positions.length; j++) {
      if (intersects(a.set, positions[j]?.set ?? [])) throw new Ambiguous();
    }
  });
}

/**
 * Builds the automaton of Glushkov and refuses it where it is not strongly deterministic: where a
 * character could be consumed in two ways, or nothing could be, as in `(a*)*`. For what is left,
 * every choice that backtracking comes back to fails at its next character.
 */
class Determinism {
  /** Characters seen, each repeat counted for as often as it is written out. */
  positions = 0;
  private readonly unicode: boolean;

  constructor(unicode: boolean) {
    this.unicode = unicode;
  }

  private link(from: readonly Position[], to: readonly Position[]): void {
    for (const position of from) {
      position.follow.push(...to);
      apart(position.follow);
    }
  }

  sequence(elements: readonly AST.Element[]): Part {
    return elements.map((element) => () => this.element(element)).reduce(this.chain, EMPTY);
  }

  private readonly chain = (before: Part, make: () => Part): Part => {
    const after = make();
    this.link(before.last, after.first);
    const first = before.nullable ? [...before.first, ...after.first] : before.first;
    apart(first);
    return {
      nullable: before.nullable && after.nullable,
      first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
    };
  };

  private element(node: AST.Element): Part {
    const set = setOf(node, this.unicode);
    if (set !== undefined) {
      if (++this.positions > MAX_POSITIONS) throw new Ambiguous();
      const position = { set, follow: [] };
      return { nullable: false, first: [position], last: [position] };
    }
    if (node.type === "Quantifier") return this.quantifier(node);
    if (node.type !== "Group" && node.type !== "CapturingGroup") throw new Ambiguous();
    const parts = node.alternatives.map(({ elements }) => this.sequence(elements));
    if (parts.filter(({ nullable }) => nullable).length > 1) throw new Ambiguous();
    const first = parts.flatMap((part) => part.first);
    apart(first);
    return {
      nullable: parts.some(({ nullable }) => nullable),
      first,
      last: parts.flatMap((part) => part.last),
    };
  }

  private quantifier({ element, min, max }: AST.Quantifier): Part {
    if (max === 0) return EMPTY;
    const make = (): Part => {
      const part = this.element(element);
      if (part.nullable) throw new Ambiguous();
      return part;
    };
    // Two rounds stand for any fixed number of them: into the next, and out of the last.
    const fixed = Array.from({ length: Math.min(min, 2) }, () => make);
    if (max === min) return fixed.reduce(this.chain, EMPTY);
    const optional = (): Part => {
      const part = make();
      if (max - min > 1) this.link(part.last, part.first);
      return { ...part, nullable: true };
    };
    return [...fixed, optional].reduce(this.chain, EMPTY);
  }
}

interface Finite {
  /** Ways through. */
  readonly ways: number;
  /** Characters and assertions on the longest. */
  readonly length: number;
}

/** Where nothing follows, a repeat of one character never comes back for more than its least. */
function leastOf(node: AST.Element): AST.Element {
  if (node.type !== "Quantifier" || node.max !== Number.POSITIVE_INFINITY) return node;
  const { type } = node.element;
  const single = type === "Character" || type === "CharacterClass" || type === "CharacterSet";
  return single ? { ...node, max: node.min } : node;
}

/** Bounds what backtracking can try where nothing repeats without end. */
function finite(node: AST.Node, unicode: boolean): Finite {
  if (setOf(node, unicode) !== undefined) return { ways: 1, length: 1 };
  switch (node.type) {
    case "Assertion":
      if (node.kind === "lookahead" || node.kind === "lookbehind") throw new Ambiguous();
      // V8 tries it inside of a surrogate pair, too, which is no place for a match in Unicode mode.
      if (node.kind === "word" && node.negate) throw new Ambiguous();
      return { ways: 1, length: 1 };
    case "Alternative":
      return node.elements.reduce(
        (sum, element, i) => {
          const last = node.parent.type === "Pattern" && i === node.elements.length - 1;
          const { ways, length } = finite(last ? leastOf(element) : element, unicode);
          return { ways: sum.ways * ways, length: sum.length + length };
        },
        { ways: 1, length: 0 },
      );
    case "Pattern":
    case "Group":
    case "CapturingGroup": {
      const all = node.alternatives.map((alternative) => finite(alternative, unicode));
      return {
        ways: all.reduce((sum, { ways }) => sum + ways, 0),
        length: Math.max(...all.map(({ length }) => length)),
      };
    }
    case "Quantifier": {
      const { element, min, max } = node;
      if (max > MAX_FINITE_WORK) throw new Ambiguous();
      const { ways, length } = finite(element, unicode);
      let sum = 0;
      for (let count = min; count <= max; count++) sum += ways ** count;
      return { ways: sum, length: Math.max(1, length * max) };
    }
    default:
      throw new Ambiguous();
  }
}

function isEdge(node: AST.Element | undefined, kind: "start" | "end"): boolean {
  return node?.type === "Assertion" && node.kind === kind;
}

function startsAtStart({ alternatives }: AST.Pattern): boolean {
  return alternatives.every(({ elements }) => isEdge(elements[0], "start"));
}

/**
 * The number of characters in a pattern of which each alternative is `^…` or `^…$` with only one
 * way through it for any text: so many can be tried at one place.
 */
function deterministicSize({ pattern, unicode }: ParsedPattern): number {
  if (!startsAtStart(pattern)) throw new Ambiguous();
  const determinism = new Determinism(unicode);
  for (const { elements } of pattern.alternatives) {
    const end = isEdge(elements.at(-1), "end") ? -1 : elements.length;
    determinism.sequence(elements.slice(1, end));
  }
  return determinism.positions;
}

function proven<T>(prove: () => T): T | undefined {
  try {
    return prove();
  } catch (error) {
    if (error instanceof Ambiguous) return undefined;
    throw error;
  }
}

/**
 * A bound on the work of a backtracking engine, for patterns of which it is simple to prove that
 * it is linear; undefined for all others, though many of them are linear, too.
 */
export function backtrackingBound(parsed: ParsedPattern): Linear | undefined {
  const { pattern, unicode } = parsed;
  if (parsed.source.length > MAX_ANALYSED_LENGTH) return undefined;
  const bound = proven(() => finite(pattern, unicode));
  if (bound !== undefined) {
    const work = bound.ways * Math.max(1, bound.length);
    if (work <= MAX_SEARCH_WORK) return { fixed: work, perCharacter: work };
    if (startsAtStart(pattern) && work <= MAX_FINITE_WORK) return { fixed: work, perCharacter: 1 };
  }
  const size = proven(() => deterministicSize(parsed));
  return size === undefined ? undefined : { fixed: 1, perCharacter: size };
}
