import { ruleOfKeyword } from "../../keywords/index.ts";
import type { Rule } from "../../result.ts";
import type { EngineError } from "./ajv.ts";
import { BRANCH_ENDS } from "./branches.ts";

/** The issues of a validation. */
export interface Counted {
  /** How many there are of each class outside all composites. */
  readonly plain: Partial<Record<Rule, number>>;
  /** How many failed `anyOf` and `oneOf` there are outside others: each is one issue, with its branches. */
  readonly composites: number;
}

/**
 * Counts the issues of a validation, in linear time.
 * @param errors in the engine's order: a composite comes after the errors of its branches.
 */
export function countIssues(errors: readonly EngineError[]): Counted {
  const plain: Partial<Record<Rule, number>> = {};
  let composites = 0;
  for (let at = errors.length - 1; at >= 0; at--) {
    const { params, propertyName, keyword } = errors[at] as EngineError;
    const ends: unknown = params[BRANCH_ENDS];
    if (Array.isArray(ends)) {
      composites++;
      at -= Math.max(0, ...ends.slice(-1).map(Number));
      continue;
    }
    const rule = propertyName === undefined ? ruleOfKeyword(keyword) : "extra";
    plain[rule] = (plain[rule] ?? 0) + 1;
  }
  return { plain, composites };
}

/** Returns whether the counts match these issues, with each composite counted in some class. */
export function holds(
  counts: Partial<Record<Rule, number>>,
  { plain, composites }: Counted,
): boolean {
  let others = 0;
  for (const rule of new Set([...Object.keys(counts), ...Object.keys(plain)] as Rule[])) {
    const more = (counts[rule] ?? 0) - (plain[rule] ?? 0);
    if (more < 0) return false;
    others += more;
  }
  return others === composites;
}
