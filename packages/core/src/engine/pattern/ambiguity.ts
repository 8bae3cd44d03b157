import type { AST } from "@eslint-community/regexpp";
import {
  type FiniteEffort,
  finiteWork,
  MAX_FINITE_WORK,
  MAX_SEARCH_WORK,
  NotProvenError,
  spendEffort,
  tryProof,
} from "./finite.ts";
import { Glushkov } from "./glushkov.ts";
import type { ParsedPattern } from "./parse.ts";
import { MAX_WORK, maximumWork } from "./runs.ts";

/**
 * If a pattern without unbounded repeats needs at most this much work at one place of the text, no lower bound is
 * sought.
 */
const LITTLE_WORK = 16;
/** Maximum length of a source that is analysed. */
const MAX_ANALYSED_LENGTH = 2048;
/** Maximum number of elementary operations for analysing one pattern: a few milliseconds. */
const MAX_EFFORT = 65_536;
/** Base cost of an automaton: one is built for a pattern and for each lookahead in it. */
const EFFORT_PER_AUTOMATON = 128;

/**
 * A bound on the work of backtracking: at most `fixed` steps and `perCharacter` steps for each character of the text.
 */
export interface LinearBound {
  readonly fixed: number;
  readonly perCharacter: number;
}

function isEdge(node: AST.Element | undefined, kind: "start" | "end"): boolean {
  return node?.type === "Assertion" && node.kind === kind;
}

function startsAtStart({ alternatives }: AST.Pattern): boolean {
  return alternatives.every(({ elements }) => isEdge(elements[0], "start"));
}

/**
 * Returns the maximum work between two characters of any text, for these alternatives and their lookaheads.
 * @param anchored whether they are tried at one place only
 */
function workOf(
  alternatives: readonly (readonly AST.Element[])[],
  unicode: boolean,
  anchored: boolean,
  effort: FiniteEffort,
): number {
  spendEffort(effort, EFFORT_PER_AUTOMATON);
  const automaton = new Glushkov(unicode, anchored, effort);
  const first = alternatives.flatMap((elements) => automaton.sequence(elements, 0).first);
  const { assertions, looks } = automaton;
  const { work, ways } = maximumWork({ first, search: !anchored, assertions }, effort);
  let sum = work;
  for (const { alternatives: inner, before } of looks) {
    const elements = inner.map((alternative) => alternative.elements);
    const visits = before === 0 ? 1 : ways * (before + 1);
    sum += visits * workOf(elements, unicode, true, effort);
  }
  if (sum > MAX_WORK) throw new NotProvenError();
  return sum;
}

/** The result of {@link analyzeBacktracking} for a pattern. */
export interface BacktrackingAnalysis {
  /** Undefined if a backtracking engine is not proven to be linear. */
  readonly bound: LinearBound | undefined;
  /** Elementary operations that the analysis took, at most {@link MAX_EFFORT}; excludes what all patterns take. */
  readonly effort: number;
}

/**
 * Looks for a bound on the work of a backtracking engine. Finds one for patterns without unbounded repeats, and for
 * those in which only a limited number of ways lead to any character of any text, if that can be proven at little
 * cost. Finds none for any other pattern, though some of those are linear too.
 */
export function analyzeBacktracking(parsed: ParsedPattern): BacktrackingAnalysis {
  const { pattern, unicode, source } = parsed;
  if (source.length > MAX_ANALYSED_LENGTH) return { bound: undefined, effort: 0 };
  const anchored = startsAtStart(pattern);
  const work = Math.max(1, finiteWork(pattern.alternatives, unicode));
  const short: LinearBound = { fixed: work, perCharacter: anchored ? 1 : work };
  if (work <= LITTLE_WORK) return { bound: short, effort: 0 };
  const effort: FiniteEffort = { left: MAX_EFFORT };
  const alternatives = pattern.alternatives.map(({ elements }) => elements.slice(anchored ? 1 : 0));
  const perCharacter = tryProof(() => workOf(alternatives, unicode, anchored, effort));
  const otherwise = work <= (anchored ? MAX_FINITE_WORK : MAX_SEARCH_WORK) ? short : undefined;
  return {
    bound: perCharacter === undefined ? otherwise : { fixed: 1, perCharacter },
    effort: MAX_EFFORT - Math.max(0, effort.left),
  };
}
