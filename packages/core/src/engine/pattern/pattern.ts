import { type Budget, BudgetError, spendSteps } from "../../keywords/run.ts";
import { analyzeBacktracking, type BacktrackingAnalysis } from "./ambiguity.ts";
import { BacktrackingMatcher } from "./backtrack.ts";
import { type LinearMatcher, linearMatcher } from "./linear.ts";
import { isPattern, type ParsedPattern, parsePattern } from "./parse.ts";
import { sequenceMatcher } from "./sequence.ts";

export { isPattern };

/** Maximum steps of a test if no budget is given. */
export const DEFAULT_PATTERN_STEPS = 1_600_000;
/** Number of characters that one step covers if each is read once. */
const CHARACTERS_PER_STEP = 8;
/**
 * Steps for each instruction of an automaton and each character. If an automaton's states keep growing, each takes
 * ten times as long as a step of other keywords.
 */
const STEPS_PER_INSTRUCTION = 2;
/**
 * Steps that backtracking may use before an automaton is tried: this many, and `TRIAL_STEPS_PER_CHARACTER` more for
 * each character.
 */
const TRIAL_STEPS = 500;
const TRIAL_STEPS_PER_CHARACTER = 60;
/** Maximum number of automata kept: one may take some hundred kilobytes. */
const MAX_AUTOMATA = 256;
/** Maximum number of compiled patterns kept, and of their characters in total. */
const KEPT: { readonly patterns: number; readonly characters: number } = {
  patterns: 256,
  characters: 1 << 16,
};

/** A compiled regular expression of a schema. */
export interface Pattern {
  readonly source: string;
  /**
   * `sequence`: reads a text once; `linear`: an automaton takes over if backtracking does not finish soon;
   * `backtracking`: has no linear form (backreferences, lookahead mixed with lookbehind, large repeats). All of them
   * count every step, and none uses the runtime's own engine.
   */
  readonly kind: "sequence" | "linear" | "backtracking";
  /** Whether backtracking engines, as most runtimes have, are proven to be linear for it. */
  readonly isNative: boolean;
  /**
   * Returns whether the pattern matches anywhere in the text (2020-12 Validation, section 6.3.3).
   * @param budget if absent, a test may take {@link DEFAULT_PATTERN_STEPS}
   * @throws BudgetError if the budget does not suffice
   */
  test(text: string, budget?: Budget): boolean;
}

/** Calls `make` on first use only. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const automata = new Map<CompiledPattern, LinearMatcher | undefined>();

/** A pattern whose parts are made on first use: many patterns are never tested. */
class CompiledPattern implements Pattern {
  readonly source: string;
  private readonly parsed: () => ParsedPattern;
  private readonly analysed: () => BacktrackingAnalysis;
  private readonly sequence: () => ((text: string) => boolean) | undefined;
  private readonly backtracking: () => BacktrackingMatcher;

  constructor(source: string) {
    this.source = source;
    this.parsed = lazy(() => parsePattern(source));
    this.analysed = lazy(() => analyzeBacktracking(this.parsed()));
    this.sequence = lazy(() => sequenceMatcher(this.parsed()));
    this.backtracking = lazy(() => new BacktrackingMatcher(this.parsed()));
  }

  get isNative(): boolean {
    return this.analysed().bound !== undefined;
  }

  get kind(): Pattern["kind"] {
    if (this.sequence() !== undefined) return "sequence";
    return this.linear() === undefined ? "backtracking" : "linear";
  }

  private linear(): LinearMatcher | undefined {
    const known = automata.get(this);
    if (known !== undefined || automata.has(this)) return known;
    const made = linearMatcher(this.parsed());
    automata.set(this, made);
    const [oldest] = automata.keys();
    if (automata.size > MAX_AUTOMATA && oldest !== undefined) automata.delete(oldest);
    return made;
  }

  test(text: string, budget: Budget = { steps: DEFAULT_PATTERN_STEPS }): boolean {
    const { length } = text;
    spendSteps(budget, Math.ceil(length / CHARACTERS_PER_STEP));
    const sequence = this.sequence();
    if (sequence !== undefined) return sequence(text);
    // Most patterns and texts are simple, and an automaton is slow to start.
    const trial = Math.min(budget.steps, TRIAL_STEPS + TRIAL_STEPS_PER_CHARACTER * length);
    const tried: Budget = { steps: trial };
    try {
      return this.backtracking().test(text, tried);
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
    } finally {
      spendSteps(budget, trial - tried.steps);
    }
    const linear = this.linear();
    if (linear === undefined || (linear.wellFormedOnly && !text.isWellFormed())) {
      return this.backtracking().test(text, budget);
    }
    spendSteps(budget, STEPS_PER_INSTRUCTION * linear.size * (length + 1));
    try {
      return linear.test(text);
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
 * @throws SyntaxError if the source is not a regular expression of ECMA-262.
 * @throws PatternLimitError if it exceeds the limits on length or nesting, or has too many Unicode properties.
 */
export function compilePattern(source: string): Pattern {
  const known = kept.get(source);
  if (known !== undefined) {
    // The last entry of the map is the most recently used.
    kept.delete(source);
    kept.set(source, known);
    return known;
  }
  // Throws an error that explains what is wrong.
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
