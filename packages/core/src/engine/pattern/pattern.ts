import { type Budget, BudgetError, spend } from "../../keywords/budget.ts";
import { type Analysis, analyse, type Linear } from "./ambiguity.ts";
import { BacktrackingMatcher } from "./backtrack.ts";
import { type LinearMatcher, linearMatcher } from "./linear.ts";
import { countProperties, isPattern, parsePattern } from "./parse.ts";

export { isPattern };

/**
 * What a test may spend where no budget is given. A step takes 0.05 to 2.5 microseconds, so that
 * these take 50 milliseconds at worst.
 */
export const DEFAULT_PATTERN_STEPS = 20_000;
/** Elementary operations that one step stands for: of the runtime's own engine, of an automaton. */
const NATIVE_PER_STEP = 256;
const LINEAR_PER_STEP = 16;
/** Work at a character up to which the runtime's own engine is faster than an automaton on any text. */
const LITTLE_PER_CHARACTER = 16;
/** Work on a whole text up to which it is where there is more: an automaton is slow to begin. */
const MAX_NATIVE_WORK = 65_536;
/** Most patterns that are kept compiled, and the characters that they may have together. */
export const KEPT: { readonly patterns: number; readonly characters: number } = {
  patterns: 256,
  characters: 1 << 16,
};

/** A compiled regular expression of a schema. What a test leaves behind only makes the next faster. */
export interface Pattern {
  readonly source: string;
  /**
   * `native`: the runtime's own engine, of which it is proven that it is linear for this pattern, on
   * texts up to {@link longest};
   * `linear`: an automaton; `backtracking`: has no linear form (backreferences, lookahead mixed with
   * lookbehind, large repeats), every step is counted.
   */
  readonly kind: "native" | "linear" | "backtracking";
  /** Whether {@link kind} is `native`; told without making a matcher. */
  readonly isNative: boolean;
  /**
   * Characters of the longest text that the runtime's own engine is given, where an automaton takes
   * others; 0 where it is given none.
   */
  readonly longest: number;
  /** What is known of how long the runtime's own engine takes. */
  readonly analysis: Analysis;
  /**
   * Steps that a test on text of so many UTF-16 code units is charged at its start; of a
   * backtracking pattern only the least of what it takes.
   * @param deadline as in {@link Budget}
   */
  cost(length: number, deadline?: boolean): number;
  /**
   * Whether the pattern matches somewhere in the text (2020-12 Validation, section 6.3.3).
   * @param budget without it, a test may take {@link DEFAULT_PATTERN_STEPS}
   * @throws BudgetError where that does not suffice.
   */
  test(text: string, budget?: Budget): boolean;
}

/** Calls `make` when it is first asked for. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function nativeCost({ fixed, perCharacter }: Linear, length: number): number {
  return Math.ceil((fixed + perCharacter * (length + 1)) / NATIVE_PER_STEP);
}

/** A pattern of which each part is made when it is first asked for: many are never tested. */
class CompiledPattern implements Pattern {
  readonly source: string;
  private readonly analysed: () => Analysis;
  private readonly native: () => RegExp;
  private readonly linear: () => LinearMatcher | undefined;
  private readonly backtracking: () => BacktrackingMatcher;

  constructor(source: string) {
    this.source = source;
    const parsed = lazy(() => parsePattern(source));
    this.analysed = lazy(() => analyse(parsed()));
    this.native = lazy(() => new RegExp(source, parsed().unicode ? "u" : ""));
    this.linear = lazy(() => linearMatcher(parsed()));
    this.backtracking = lazy(() => new BacktrackingMatcher(parsed()));
  }

  get isNative(): boolean {
    return this.analysis.bound !== undefined;
  }

  get analysis(): Analysis {
    return this.analysed();
  }

  get kind(): Pattern["kind"] {
    if (this.isNative) return "native";
    return this.linear() === undefined ? "backtracking" : "linear";
  }

  get longest(): number {
    const { bound } = this.analysis;
    if (bound === undefined) return 0;
    const { perCharacter } = bound;
    return perCharacter <= LITTLE_PER_CHARACTER
      ? Number.POSITIVE_INFINITY
      : Math.floor(MAX_NATIVE_WORK / perCharacter);
  }

  /** The bound of the runtime's own engine on a text of that length; undefined where it is not given it. */
  private nativeBound(length: number): Linear | undefined {
    const { bound } = this.analysis;
    // Beyond that length only where there is nothing faster.
    return length <= this.longest || this.linear() === undefined ? bound : undefined;
  }

  cost(length: number, deadline = false): number {
    const bound = this.nativeBound(length);
    return bound === undefined ? this.linearCost(length, deadline) : nativeCost(bound, length);
  }

  /** The simulation of an automaton looks at all of it for each character; mostly, one state does. */
  private linearCost(length: number, deadline: boolean): number {
    const matcher = this.linear();
    if (matcher === undefined) return 1;
    return Math.ceil(((deadline ? 1 : matcher.size) * (length + 1)) / LINEAR_PER_STEP);
  }

  test(text: string, budget: Budget = { steps: DEFAULT_PATTERN_STEPS }): boolean {
    const bound = this.nativeBound(text.length);
    if (bound !== undefined) {
      spend(budget, nativeCost(bound, text.length));
      try {
        return this.native().test(text);
      } catch (error) {
        // Groups that repeat over long text exhaust the stack of the runtime's engine.
        if (!(error instanceof RangeError)) throw error;
      }
    }
    spend(budget, this.linearCost(text.length, budget.deadline === true));
    const matcher = this.linear();
    if (matcher === undefined || (matcher.wellFormedOnly && !text.isWellFormed())) {
      return this.backtracking().test(text, budget);
    }
    try {
      return matcher.test(text);
    } catch (error) {
      if (error instanceof RangeError) throw new BudgetError("the pattern exhausts the stack");
      throw error;
    }
  }
}

const kept = new Map<string, Pattern>();
let keptLength = 0;

/**
 * Makes the test of a JSON Schema pattern (2020-12 Core, section 6.4).
 * @throws SyntaxError where the source is no regular expression of ECMA-262.
 * @throws PatternLimitError where it is longer or deeper nested than the limits, or has too many
 * Unicode properties.
 */
export function compilePattern(source: string): Pattern {
  const known = kept.get(source);
  if (known !== undefined) {
    // The last in the map is the one that was used last.
    kept.delete(source);
    kept.set(source, known);
    return known;
  }
  // Tells what is wrong with it.
  if (!isPattern(source)) parsePattern(source);
  const pattern = new CompiledPattern(source);
  kept.set(source, pattern);
  keptLength += source.length;
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT.patterns && keptLength <= KEPT.characters) break;
    kept.delete(oldest);
    keptLength -= oldest.length;
  }
  return pattern;
}

/** Most characters that the patterns of one schema may have for all of them to be analysed at once. */
const MAX_PROVEN_LENGTH = 8192;
/** Most Unicode properties in them, of each of which the whole of Unicode is looked through. */
const MAX_PROVEN_PROPERTIES = 4;
/** Bytes that a string has at least in JSON, with what stands between it and the next. */
const LEAST_BYTES = 4;
/** Most elementary operations of their analysis together. */
const MAX_PROVEN_EFFORT = 65_536;

/** What the runtime's own engine may do with the patterns of a schema. */
export interface NativeProof {
  /**
   * What the worst of them does at a character, in elementary operations: 0 where there is none, infinite
   * where one is not proven to be linear.
   */
  readonly work: number;
  /** The least {@link Pattern.longest} of them. */
  readonly longest: number;
}

export const NOT_PROVEN: NativeProof = { work: Number.POSITIVE_INFINITY, longest: 0 };

/**
 * Finds out what the runtime's own engine may do with several patterns; nothing where there are too many
 * to find that out at once.
 * @throws as {@link compilePattern}
 */
export function proveNative(sources: ReadonlySet<string>): NativeProof {
  let length = 0;
  let properties = 0;
  for (const source of sources) {
    length += source.length;
    properties += countProperties(source);
  }
  if (length > MAX_PROVEN_LENGTH || properties > MAX_PROVEN_PROPERTIES) return NOT_PROVEN;
  let effort = 0;
  const proof = { work: 0, longest: Number.POSITIVE_INFINITY };
  for (const source of sources) {
    const { analysis, longest } = compilePattern(source);
    effort += analysis.effort;
    if (analysis.bound === undefined || effort > MAX_PROVEN_EFFORT) return NOT_PROVEN;
    const { fixed, perCharacter } = analysis.bound;
    proof.work = Math.max(proof.work, perCharacter, fixed / LEAST_BYTES);
    proof.longest = Math.min(proof.longest, longest);
  }
  return proof;
}
