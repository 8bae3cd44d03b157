import { RULES } from "@touchstone/core/advanced";
import {
  type Component,
  component,
  count,
  dateTime,
  flag,
  limited,
  list,
  members,
  oneOf,
  orNull,
  ref,
  type Static,
  text,
} from "@touchstone/util/schema";
import { FIELDS } from "../fields.ts";
import { ISSUE, SUGGESTED_SERVERS } from "../response-schemas.ts";

/** The states of a problem; those that need attention come first. */
export const PROBLEM_STATES = ["open", "not_seen", "ignored", "allowed"] as const;
export type ProblemState = (typeof PROBLEM_STATES)[number];

/** How many later calls have to pass the check before a problem is in the state `not_seen`. */
export const PASSED_CALLS = 20;
/** How many names of callers a problem in a response has. */
export const SHOWN_CALLERS = 5;
/** The most parts that the time of a problem is divided into. */
export const MOST_BUCKETS = 24;
/** The most problems of a page. */
export const MOST_SHOWN_PROBLEMS = 200;

/** The person who ignores a problem, and until when. */
const IGNORED = members({
  until: dateTime("The problem is shown as before from then on."),
  since: dateTime(),
  by: text("How the person who decided was identified, with a name if there is one."),
  reason: orNull(text("The reason that was given for it.")),
});

/** Calls that had the same issue. */
export const PROBLEM = component(
  "Problem",
  members({
    id: text("The same for these calls in every store."),
    server: orNull(text()),
    tool: text(),
    direction: oneOf(FIELDS.direction.schema.enum),
    place: text(
      'A JSON Pointer, as a key of rules: * is any item of an array, and "" is the root.',
    ),
    rule: limited(oneOf(RULES), { description: "The class of the issue." }),
    keyword: orNull(text("The JSON Schema keyword.")),
    text: text("What was wrong, as a sentence for people."),
    issue: limited(ref(ISSUE), { description: "Of the latest call, in any item of an array." }),
    received: orNull(text("The JSON type that the latest call had at the place.")),
    calls: count("Calls in the requested time, by whole hours."),
    blocked: count("How many were blocked. The others were forwarded with a warning."),
    callers: members({
      count: count("Known callers since then."),
      more: limited(flag, { description: "Whether there were more than the store keeps." }),
      names: list(text("Those that were seen last.")),
    }),
    first: dateTime("When the first known call was checked."),
    last: dateTime("When the latest call was checked."),
    last_record: text("The id of the latest decision."),
    schema_hash: orNull(text("Hash of the schema that the latest call was checked with.")),
    mode: orNull(
      limited(oneOf(FIELDS.mode.schema.enum), {
        description: "What checks do now, by the settings; null if these are unknown.",
      }),
    ),
    state: limited(oneOf(PROBLEM_STATES), {
      description:
        "allowed: a rule of the current settings allows it. ignored: somebody ignores it for some time. not_seen: at least 20 later calls passed the check. open: none of these.",
    }),
    passed_since: count(
      "At least this many calls began after the latest one and passed the check.",
    ),
    ignored: orNull(IGNORED),
    allow: orNull(
      limited(ref(SUGGESTED_SERVERS), {
        description: "The narrowest settings that allow it; null if no rule does.",
      }),
    ),
    buckets: list(count("Calls in a part of the time.")),
  }),
);
export type Problem = Static<typeof PROBLEM>;

/** One page of problems: open ones first, then those with the most calls. */
export const PROBLEM_PAGE = component(
  "ProblemPage",
  members({
    problems: list(ref(PROBLEM)),
    total: count("Problems that match the filters, on all pages."),
    limit: count(),
    offset: count(),
    since: dateTime("The beginning of the first hour that is counted."),
    until: dateTime("The end of the last one."),
    bucket_ms: count("The length of a bucket."),
    states: members({
      open: count(),
      not_seen: count(),
      ignored: count(),
      allowed: count(),
    }),
    others: count(
      "Calls with issues that are in no problem: there was no room for more, or their records do not name these issues.",
    ),
    not_counted: count("Records that are not counted yet."),
  }),
);
export type ProblemPage = Static<typeof PROBLEM_PAGE>;

/** The schemas of problems in the OpenAPI document. */
export const PROBLEM_COMPONENTS: readonly Component[] = [PROBLEM, PROBLEM_PAGE];
