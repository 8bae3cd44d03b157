import type { AST } from "@eslint-community/regexpp";
import {
  type Effort,
  finiteWork,
  MAX_FINITE_WORK,
  MAX_SEARCH_WORK,
  NotProven,
  proven,
  spendEffort,
} from "./finite.ts";
import { Glushkov } from "./glushkov.ts";
import type { ParsedPattern } from "./parse.ts";
import { MAX_WORK, mostWork } from "./runs.ts";

/** Work of a pattern without endless repeats at one place of the text, of which no less is looked for. */
const LITTLE_WORK = 16;
/** Longest source that is analysed. */
const MAX_ANALYSED_LENGTH = 2048;
/** Most elementary operations that the analysis of one pattern takes: a few milliseconds. */
const MAX_EFFORT = 65_536;
/** What an automaton takes always: one is made for a pattern and for each lookahead in it. */
const EFFORT_PER_AUTOMATON = 128;

/**
 * How much work backtracking may take:
 * at most `fixed` steps and `perCharacter` steps for each character of the text.
 */
export interface Linear {
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
 * Returns the most work between two characters of any text: of the alternatives, and of the lookaheads in them.
 * @param anchored whether they are tried at one place only
 */
function workOf(
  alternatives: readonly (readonly AST.Element[])[],
  unicode: boolean,
  anchored: boolean,
  effort: Effort,
): number {
  spendEffort(effort, EFFORT_PER_AUTOMATON);
  const automaton = new Glushkov(unicode, anchored, effort);
  const first = alternatives.flatMap((elements) => automaton.sequence(elements, 0).first);
  const { assertions, looks } = automaton;
  const { work, ways } = mostWork({ first, search: !anchored, assertions }, effort);
  let sum = work;
  for (const { alternatives: inner, before } of looks) {
    const elements = inner.map((alternative) => alternative.elements);
    const visits = before === 0 ? 1 : ways * (before + 1);
    sum += visits * workOf(elements, unicode, true, effort);
  }
  if (sum > MAX_WORK) throw new NotProven();
  return sum;
}

/** What {@link analyse} has found of a pattern. */
export interface Analysis {
  /** Undefined if it is not proven that a backtracking engine is linear. */
  readonly bound: Linear | undefined;
  /** Elementary operations that it took, at most {@link MAX_EFFORT}; what all patterns take is not counted. */
  readonly effort: number;
}

/**
 * Looks for a bound on the work of a backtracking engine. There is one for patterns without endless
 * repeats, and for those in which only that many ways lead to any character of any text, where that can be
 * proven at little cost. For all others there is none, though some of them are linear, too.
 */
export function analyse(parsed: ParsedPattern): Analysis {
  const { pattern, unicode, source } = parsed;
  if (source.length > MAX_ANALYSED_LENGTH) return { bound: undefined, effort: 0 };
  const anchored = startsAtStart(pattern);
  const work = Math.max(1, finiteWork(pattern.alternatives, unicode));
  const short: Linear = { fixed: work, perCharacter: anchored ? 1 : work };
  if (work <= LITTLE_WORK) return { bound: short, effort: 0 };
  const effort: Effort = { left: MAX_EFFORT };
  const alternatives = pattern.alternatives.map(({ elements }) => elements.slice(anchored ? 1 : 0));
  const perCharacter = proven(() => workOf(alternatives, unicode, anchored, effort));
  const otherwise = work <= (anchored ? MAX_FINITE_WORK : MAX_SEARCH_WORK) ? short : undefined;
  return {
    bound: perCharacter === undefined ? otherwise : { fixed: 1, perCharacter },
    effort: MAX_EFFORT - Math.max(0, effort.left),
  };
}
