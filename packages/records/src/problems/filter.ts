import {
  badFilter,
  type FilterInput,
  integerParser,
  parseActivityScope,
  readFilter,
} from "../filter.ts";
import { DEFAULT_LIMIT } from "../filter-names.ts";
import { MOST_SHOWN_PROBLEMS, PROBLEM_STATES, type ProblemState } from "./response-schemas.ts";

/** The filters of problems, by their names in a query string. */
export const PROBLEM_FILTERS = ["server", "tool", "state", "since", "until"] as const;

/** Selects problems. */
export interface ProblemScope {
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly states?: readonly ProblemState[] | undefined;
  /** Problems of calls in this time, by whole hours. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** A page of problems. */
export interface ProblemFilter extends ProblemScope {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Reads the filters of problems: `server`, `tool`, `state` (a comma list), `since`, `until`, `period`, `limit` (1 to 200, 50)
 * and `offset`.
 * @throws ActivityError `BAD_FILTER`
 */
export function parseProblemFilter(input: FilterInput, now: Date): ProblemFilter {
  const { state, limit, offset, ...others } = input;
  const refused = Object.keys(others).find(
    (name) => ![...PROBLEM_FILTERS, "period"].some((one) => one === name),
  );
  if (refused !== undefined) {
    throw badFilter(
      refused,
      `is not a filter of problems; these are ${PROBLEM_FILTERS.join(", ")}`,
    );
  }
  const { server, tool, since, until } = parseActivityScope(others, now);
  return {
    ...{ server, tool, since, until },
    states: state === undefined ? undefined : statesIn(state),
    limit: readFilter({ limit }, "limit", integerParser(1, MOST_SHOWN_PROBLEMS)) ?? DEFAULT_LIMIT,
    offset: readFilter({ offset }, "offset", integerParser(0, Number.MAX_SAFE_INTEGER)) ?? 0,
  };
}

function statesIn(given: string): readonly ProblemState[] {
  return given.split(",").map((text) => {
    const known = PROBLEM_STATES.find((state) => state === text.trim());
    if (known === undefined) {
      throw badFilter(
        "state",
        `${JSON.stringify(text.slice(0, 64))} is none of ${PROBLEM_STATES.join(", ")}`,
      );
    }
    return known;
  });
}
