import type { AST } from "@eslint-community/regexpp";
import type { CodeSet } from "./code-set.ts";
import {
  EVERY_TEXT,
  type Language,
  Languages,
  type MatchContext,
  NO_TEXT,
  ONLY_END,
  type ReadSymbol,
  UndecidedError,
} from "./language.ts";
import {
  type ParsedPattern,
  PatternLimitError,
  parsePattern,
  setOf,
  WORD_CHARACTERS,
} from "./parse.ts";
import {
  codeUnitOf,
  LONE_HIGH,
  LONE_LOW,
  PAIRED_HIGH,
  PAIRED_LOW,
  type SymbolClass,
  symbolClasses,
  symbolSets,
} from "./symbols.ts";

/** Which text is wanted. Lengths are in characters, as those of JSON Schema. */
export interface WantedText {
  /** Patterns that match it. */
  readonly matched: readonly string[];
  /** Patterns that do not match it. */
  readonly missed: readonly string[];
  /** Default 0. */
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** `none`: there is no such text, which is proved. `unknown`: it would take more steps, or another method, to know. */
export type FoundText =
  | { readonly kind: "found"; readonly text: string }
  | { readonly kind: "none" | "unknown" };

/**
 * Thrown for too many steps, for a source that is not a pattern, for one beyond the limits, and for one that exhausts
 * the stack.
 */
const EXPECTED = [UndecidedError, SyntaxError, PatternLimitError, RangeError];
/** The most classes of symbols, and sets of a pattern's characters. */
const MAX_CLASSES = 1_000;
const MAX_SETS = 400;
/** How many range bounds all sets may have together. */
const MAX_RANGES = 20_000;

/**
 * Looks for the shortest text that some patterns match and others do not. Follows the automaton of all patterns
 * together, so the result is exact if it is not `unknown`. It is `unknown` for backreferences, and for a lookbehind
 * that contains other assertions. Never throws.
 * @param steps the most steps to take: about as many as an engine's steps to match texts
 */
export function findText(wanted: WantedText, steps: number): FoundText {
  try {
    const patterns = [...wanted.matched, ...wanted.missed].map((source) => parsePattern(source));
    return new TextSearch(patterns, wanted, steps).run();
  } catch (thrown) {
    const isExpected = EXPECTED.some((kind) => thrown instanceof kind);
    if (!isExpected) throw thrown;
    return { kind: "unknown" };
  }
}

/** Where the search is: what may follow, how many characters are read, and which text leads there. */
interface State {
  readonly language: Language;
  readonly behind: readonly Language[];
  /** Number of the class that was read last; -1 at the start. */
  readonly last: number;
  readonly length: number;
  readonly from: State | undefined;
}

/** The numbers of the sets of symbols that a set of characters consists of. */
interface NumberedSets {
  readonly single: number | undefined;
  readonly pairs: readonly (readonly [high: number, low: number])[];
}

const ANY_CHARACTER: CodeSet = [0, 0x10ffff];
const ANY_UNIT: CodeSet = [0, 0xffff];

class TextSearch {
  readonly #wanted: WantedText;
  readonly #languages: Languages;
  readonly #sets: CodeSet[] = [PAIRED_HIGH, PAIRED_LOW, LONE_HIGH, LONE_LOW, WORD_CHARACTERS];
  readonly #numbers: Map<string, number>;
  /** For each lookbehind, the texts that end at a place where it matches. */
  readonly #behind: Language[] = [];
  readonly #contexts: Map<string, MatchContext> = new Map();
  readonly #root: Language;
  /**
   * Numbered sets by the set of characters. Only sets such as `\d` occur in patterns of both modes, and they are the
   * same in both.
   */
  readonly #numbered: Map<CodeSet, NumberedSets> = new Map();
  #classes: readonly SymbolClass[] = [];
  #hasWord = false;

  constructor(patterns: readonly ParsedPattern[], wanted: WantedText, steps: number) {
    this.#wanted = wanted;
    this.#numbers = new Map(this.#sets.map((set, at) => [set.join(), at]));
    const element = (node: AST.Element, unicode: boolean, next: Language): Language =>
      this.#element(node, unicode, next);
    const any = (unicode: boolean, next: Language): Language =>
      this.#characters(unicode ? ANY_CHARACTER : ANY_UNIT, unicode, next);
    this.#languages = new Languages({ element, any }, steps);
    const languages = patterns.map(({ pattern, unicode }) => {
      this.#languages.spend(pattern.raw.length);
      // The rounds of a repeat are read only when the search follows them, but the numbers of their sets must be known
      // before.
      const here = this.#alternatives(pattern.alternatives, unicode, EVERY_TEXT);
      this.#readAll(pattern, unicode);
      return this.#languages.search(here, unicode);
    });
    any(true, EVERY_TEXT);
    any(false, EVERY_TEXT);
    const { matched } = wanted;
    this.#root = this.#languages.and([
      ...languages.slice(0, matched.length),
      ...languages.slice(matched.length).map((language) => this.#languages.not(language)),
    ]);
    if (this.#sets.length > MAX_SETS) throw new UndecidedError();
    const ranges = this.#sets.reduce((sum, set) => sum + set.length, 0);
    if (ranges > MAX_RANGES) throw new UndecidedError();
    this.#languages.spend(ranges + ((ranges * this.#sets.length) >> 4));
    this.#classes = symbolClasses(this.#sets);
    if (this.#classes.length > MAX_CLASSES) throw new UndecidedError();
  }

  /** Numbers the sets of all of a pattern's characters. */
  #readAll(node: AST.Pattern | AST.Alternative | AST.Element, unicode: boolean): void {
    this.#languages.spend(1);
    if (node.type === "Assertion" && node.kind === "lookbehind")
      this.#element(node, unicode, EVERY_TEXT);
    if ("alternatives" in node) {
      for (const each of node.alternatives) this.#readAll(each, unicode);
    } else if (node.type === "Alternative") {
      for (const each of node.elements) this.#readAll(each, unicode);
    } else if (node.type === "Quantifier") this.#readAll(node.element, unicode);
    else this.#element(node as AST.Element, unicode, EVERY_TEXT);
  }

  #numberOf(set: CodeSet): number {
    const key = set.join();
    let number = this.#numbers.get(key);
    if (number === undefined) {
      if (this.#classes.length > 0) throw new UndecidedError();
      number = this.#sets.push(set) - 1;
      this.#numbers.set(key, number);
      this.#languages.spend(1 + set.length);
    }
    return number;
  }

  /** Returns the texts that begin with one character of a set. */
  #characters(set: CodeSet, unicode: boolean, next: Language): Language {
    const { single, pairs } = this.#numbersOf(set, unicode);
    return this.#languages.or([
      ...(single === undefined ? [] : [this.#languages.symbol(single, next)]),
      ...pairs.map(([high, low]) =>
        this.#languages.symbol(high, this.#languages.symbol(low, next)),
      ),
    ]);
  }

  #numbersOf(set: CodeSet, unicode: boolean): NumberedSets {
    const known = this.#numbered.get(set);
    if (known !== undefined) return known;
    const { single, pairs } = symbolSets(set, unicode);
    this.#languages.spend(1 + set.length);
    const numbered: NumberedSets = {
      single: single.length === 0 ? undefined : this.#numberOf(single),
      pairs: pairs.map(({ high, low }) => [this.#numberOf(high), this.#numberOf(low)]),
    };
    this.#numbered.set(set, numbered);
    return numbered;
  }

  #alternatives(
    alternatives: readonly AST.Alternative[],
    unicode: boolean,
    next: Language,
  ): Language {
    return this.#languages.or(
      alternatives.map(({ elements }) =>
        elements.reduceRight((rest, element) => this.#element(element, unicode, rest), next),
      ),
    );
  }

  #element(node: AST.Element, unicode: boolean, next: Language): Language {
    if (next === NO_TEXT) return NO_TEXT;
    const set = setOf(node, unicode);
    if (set !== undefined) return this.#characters(set, unicode, next);
    switch (node.type) {
      case "Group":
      case "CapturingGroup":
        return this.#alternatives(node.alternatives, unicode, next);
      case "Quantifier":
        return this.#languages.repeat(node.element, unicode, node.min, node.max, next);
      case "Assertion":
        return this.#assertion(node, unicode, next);
      default:
        throw new UndecidedError();
    }
  }

  #assertion(node: AST.Assertion, unicode: boolean, next: Language): Language {
    switch (node.kind) {
      case "start":
        return this.#languages.start(next);
      case "end":
        return this.#languages.and([ONLY_END, next]);
      case "word":
        this.#hasWord = true;
        return this.#languages.word(node.negate, next);
      case "lookahead": {
        const ahead = this.#alternatives(node.alternatives, unicode, EVERY_TEXT);
        return this.#languages.and([node.negate ? this.#languages.not(ahead) : ahead, next]);
      }
      case "lookbehind":
        return this.#lookbehind(node, unicode, next);
    }
  }

  /**
   * Throws if a lookbehind contains an assertion other than `^`. Repeats are expanded later, so this also checks inside
   * them.
   */
  #refuseLooks(node: AST.Alternative | AST.Element): void {
    this.#languages.spend(1);
    if (node.type === "Assertion" && node.kind !== "start") throw new UndecidedError();
    if (node.type === "Quantifier") this.#refuseLooks(node.element);
    else if (node.type === "Alternative") for (const each of node.elements) this.#refuseLooks(each);
    else if ("alternatives" in node) for (const each of node.alternatives) this.#refuseLooks(each);
  }

  #lookbehind(node: AST.LookbehindAssertion, unicode: boolean, next: Language): Language {
    for (const each of node.alternatives) this.#refuseLooks(each);
    const here = this.#alternatives(node.alternatives, unicode, ONLY_END);
    const language = this.#languages.search(here, unicode);
    let look = this.#behind.indexOf(language);
    if (look < 0) {
      if (this.#classes.length > 0) throw new UndecidedError();
      look = this.#behind.push(language) - 1;
    }
    return this.#languages.behind(look, node.negate, next);
  }

  run(): FoundText {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = this.#wanted;
    const start = { language: this.#root, behind: this.#behind, last: -1, length: 0 };
    let level: State[] = [{ ...start, from: undefined }];
    const seen = new Set<string>();
    for (let length = 0; level.length > 0 && length <= maxLength; length += 1) {
      const after: State[] = [];
      // Symbols that are half of a surrogate pair are read on the same level as the symbol before them.
      for (let at = 0; at < level.length; at += 1) {
        const state = level[at] as State;
        const key = `${Math.min(state.length, minLength)} ${this.#kindOf(state.last)} ${state.language} ${state.behind.join()}`;
        if (seen.has(key)) continue;
        seen.add(key);
        this.#languages.spend(2 + (this.#classes.length >> 3));
        if (state.length >= minLength && this.#isAccepted(state)) {
          return { kind: "found", text: pathText(state, this.#classes) };
        }
        for (const next of this.#followers(state)) {
          (next.length === length ? level : after).push(next);
        }
      }
      level = after;
    }
    return { kind: "none" };
  }

  /**
   * Returns the kind of the previous symbol, as far as it matters: half of a surrogate pair, a lone surrogate that
   * could become one, or a word character.
   */
  #kindOf(last: number): string {
    const within = this.#classes[last]?.within;
    if (within === undefined) return "start";
    if (within[0] === true) return "high";
    if (within[2] === true) return "lone";
    return this.#hasWord && within[4] === true ? "word" : "";
  }

  #contextOf(state: State): MatchContext {
    const isStart = state.last < 0;
    const afterWord = this.#classes[state.last]?.within[4] === true;
    const end: ReadSymbol = { number: this.#classes.length, within: undefined, isWord: false };
    // A lookbehind that got here contains no other lookarounds.
    const plain = this.#context(isStart, afterWord, []);
    const behind = state.behind.map((one) => this.#languages.after(one, end, plain) === EVERY_TEXT);
    return behind.length === 0 ? plain : this.#context(isStart, afterWord, behind);
  }

  #context(isStart: boolean, afterWord: boolean, behind: readonly boolean[]): MatchContext {
    const text = [isStart, this.#hasWord && afterWord, ...behind].map(Number).join("");
    let context = this.#contexts.get(text);
    if (context === undefined) {
      context = { isStart, afterWord, behind, key: this.#contexts.size };
      this.#contexts.set(text, context);
    }
    return context;
  }

  #isAccepted(state: State): boolean {
    if (this.#kindOf(state.last) === "high") return false;
    const end: ReadSymbol = { number: this.#classes.length, within: undefined, isWord: false };
    return this.#languages.after(state.language, end, this.#contextOf(state)) === EVERY_TEXT;
  }

  *#followers(state: State): Generator<State, void, void> {
    const context = this.#contextOf(state);
    const before = this.#kindOf(state.last);
    const plain = this.#context(context.isStart, context.afterWord, []);
    for (const [number, { within }] of this.#classes.entries()) {
      const [, isSecond, , isLoneLow] = within;
      // The second half of a pair follows the first, and nothing else does; two lone halves would be a pair.
      if ((before === "high") !== isSecond || (before === "lone" && isLoneLow === true)) continue;
      const read: ReadSymbol = { number, within, isWord: within[4] === true };
      const language = this.#languages.after(state.language, read, context);
      if (language === NO_TEXT) continue;
      const behind = state.behind.map((one) => this.#languages.after(one, read, plain));
      const length = state.length + (isSecond === true ? 0 : 1);
      yield { language, behind, last: number, length, from: state };
    }
  }
}

function pathText(state: State, classes: readonly SymbolClass[]): string {
  const units: number[] = [];
  for (let at: State | undefined = state; at !== undefined && at.last >= 0; at = at.from) {
    units.push(codeUnitOf(classes[at.last]?.symbol ?? 0));
  }
  return units
    .reverse()
    .map((unit) => String.fromCharCode(unit))
    .join("");
}
