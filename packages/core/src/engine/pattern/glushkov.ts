import type { AST } from "@eslint-community/regexpp";
import type { CodeSet } from "./code-set.ts";
import {
  type FiniteEffort,
  finiteWork,
  MAX_SEARCH_WORK,
  NotProvenError,
  spendEffort,
} from "./finite.ts";
import { setOf } from "./parse.ts";

/** Maximum number of characters of a pattern, with repeats expanded, that are analysed. */
const MAX_POSITIONS = 1000;
/** Maximum number of expanded rounds of a repeat; the last one represents all further rounds. */
const MAX_ROUNDS = 12;
/** Maximum number of characters before a lookahead that reads on without limit. */
const MAX_BEFORE = 8;

/**
 * A character that a pattern consumes, and the positions that may follow it. A position is listed twice if two ways
 * lead to it.
 */
export interface PatternPosition {
  readonly set: CodeSet;
  readonly follow: PatternPosition[];
}

/** A lookahead that may read to the end of the text. */
export interface Lookahead {
  readonly alternatives: readonly AST.Alternative[];
  /** Maximum number of characters before it. */
  readonly before: number;
}

interface Part {
  readonly nullable: boolean;
  readonly first: readonly PatternPosition[];
  readonly last: readonly PatternPosition[];
  /** Length in characters of the longest text that it matches. */
  readonly length: number;
}

const EMPTY: Part = { nullable: true, first: [], last: [], length: 0 };

/**
 * Builds the Glushkov automaton: each way of a backtracking engine through the pattern is a way through the
 * automaton. The automaton may have more ways, since it assumes that assertions hold and that long repeats are
 * unbounded.
 */
export class Glushkov {
  /** Total work of the assertions at all places of the pattern. */
  assertions = 0;
  readonly looks: Lookahead[] = [];
  /** Characters so far, with expanded repeats counted each time. */
  #positions = 0;
  readonly #unicode: boolean;
  readonly #anchored: boolean;
  readonly #effort: FiniteEffort;

  /** @param anchored whether the pattern is tried only at the start of the text */
  constructor(unicode: boolean, anchored: boolean, effort: FiniteEffort) {
    this.#unicode = unicode;
    this.#anchored = anchored;
    this.#effort = effort;
  }

  #link(from: readonly PatternPosition[], to: readonly PatternPosition[]): void {
    spendEffort(this.#effort, (from.length * to.length) >> 2);
    for (const { follow } of from) follow.push(...to);
  }

  #join(before: Part, after: Part): Part {
    this.#link(before.last, after.first);
    spendEffort(this.#effort, before.first.length + before.last.length);
    return {
      nullable: before.nullable && after.nullable,
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
      length: before.length + after.length,
    };
  }

  /**
   * @param before maximum number of characters before the sequence
   * @throws NotProvenError if it has ways that consume nothing, and for references and lookbehind
   */
  sequence(elements: readonly AST.Element[], before: number): Part {
    let whole = EMPTY;
    for (const element of elements) {
      whole = this.#join(whole, this.#element(element, before + whole.length));
    }
    return whole;
  }

  #element(node: AST.Element, before: number): Part {
    const set = setOf(node, this.#unicode);
    if (set !== undefined) {
      if (++this.#positions > MAX_POSITIONS) throw new NotProvenError();
      const position = { set, follow: [] };
      return { nullable: false, first: [position], last: [position], length: 1 };
    }
    switch (node.type) {
      case "Quantifier":
        return this.#quantifier(node, before);
      case "Assertion":
        this.#assertion(node, before);
        return EMPTY;
      case "Group":
      case "CapturingGroup":
        return this.#group(node, before);
      default:
        throw new NotProvenError();
    }
  }

  #group({ alternatives }: AST.Group | AST.CapturingGroup, before: number): Part {
    const parts = alternatives.map(({ elements }) => this.sequence(elements, before));
    if (parts.filter(({ nullable }) => nullable).length > 1) throw new NotProvenError();
    return {
      nullable: parts.some(({ nullable }) => nullable),
      first: parts.flatMap((part) => part.first),
      last: parts.flatMap((part) => part.last),
      length: Math.max(...parts.map(({ length }) => length)),
    };
  }

  /**
   * Each round is a separate part that leads to the next one; once the minimum is reached, also out of the repeat.
   */
  #quantifier({ element, min, max }: AST.Quantifier, before: number): Part {
    if (max === 0) return EMPTY;
    const rounds = max <= MAX_ROUNDS ? max : Math.max(1, Math.min(min, MAX_ROUNDS));
    const parts: Part[] = [];
    for (let round = 1; round <= rounds; round++) {
      const part = this.#element(element, max === 1 ? before : Number.POSITIVE_INFINITY);
      if (part.nullable) throw new NotProvenError();
      this.#link(parts.at(-1)?.last ?? [], part.first);
      parts.push(part);
    }
    const last = parts.at(-1) ?? EMPTY;
    if (rounds < max) this.#link(last.last, last.first);
    const least = Math.min(Math.max(min, 1), rounds);
    return {
      nullable: min === 0,
      first: parts[0]?.first ?? [],
      last: parts.slice(least - 1).flatMap((part) => part.last),
      length: max * last.length,
    };
  }

  #assertion(node: AST.Assertion, before: number): void {
    this.assertions++;
    if (node.kind === "start" || node.kind === "end") return;
    // V8 also searches inside surrogate pairs, where Unicode mode allows no match.
    if (node.kind === "word" && !(node.negate && !this.#anchored)) return;
    if (node.kind !== "lookahead" || !this.#anchored) throw new NotProvenError();
    const work = finiteWork(node.alternatives, this.#unicode);
    if (work <= MAX_SEARCH_WORK) this.assertions += work;
    else if (before <= MAX_BEFORE) this.looks.push({ alternatives: node.alternatives, before });
    else throw new NotProvenError();
  }
}
