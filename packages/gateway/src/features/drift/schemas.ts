import type { ValueType } from "@touchstone/records/plain";
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
  ref,
  type Static,
  text,
  typed,
} from "@touchstone/util/schema";

/** One way in which results differ from the schema. */
export const DRIFT_FINDING = component(
  "DriftFinding",
  members(
    {
      /**
       * - `never_came`: a declared member that no result had
       * - `sometimes_missing`: a required member that some results lacked
       * - `undeclared`: a member in results that the schema does not name
       * - `unnamed`: members whose names were not kept, because they may be data or were too many, if the schema says
       *   nothing about other members; `count` counts them all
       * - `other_type`: values of a type that the schema does not allow there
       * - `other_value`: values that a keyword such as `minimum`, `enum` or `oneOf` refuses
       */
      kind: oneOf([
        ...["never_came", "sometimes_missing", "undeclared"],
        ...["unnamed", "other_type", "other_value"],
      ] as const),
      path: text("RFC 6901 pointer; * stands for every item of an array."),
      /**
       * In how many results, or items, it occurred; for `never_came`, in how many it could have occurred; for
       * `other_value` always in how many results.
       */
      count: count(),
      /** The total of these. */
      of: count(),
      /** The received types, the most frequent first. */
      types: list(typed<ValueType>(text())),
      /** The types that are declared. */
      declared: list(text()),
      keyword: text("Which refuses a value."),
      /** Its value in the schema, unless that is a subschema. */
      says: typed<unknown>({ description: "What the schema says by keyword." }),
      /** Whether the schema requires it. */
      required: flag,
      /** Whether the schema accepts no members that it does not name. */
      closed: flag,
    },
    ...(["types", "declared", "keyword", "says", "required", "closed"] as const),
  ),
);
export type DriftFinding = Static<typeof DRIFT_FINDING>;

/**
 * Values of which it is unknown whether a schema accepts them:
 * - `parts`: values under branches, conditions or patterns that could not be compared
 * - `values`: values under limits or lists, where it is unknown whether they satisfy them
 * - `items`: unread items of long arrays
 * - `names`: members whose names were not kept, or that the schema describes without names
 * - `depth`: values below the kept depth, or beyond the limit
 */
const UNSURE = oneOf(["parts", "values", "items", "names", "depth"]);
export type Unsure = Static<typeof UNSURE>;

/** A tool's results under one of its schemas. */
export const DRIFT_REPORT = component(
  "Drift",
  members({
    server: text(),
    tool: text(),
    schema_hash: text("sha256: and a hex digest, of the output schema."),
    since: dateTime("When the first of the results was added."),
    until: dateTime("When the last one was."),
    results: count("Results that were compared."),
    refused: count("How many of these the schema refused."),
    partial: limited(flag, {
      description: "Branches, conditions and patterns were not compared.",
    }),
    findings: list(ref(DRIFT_FINDING)),
    proposed: typed<unknown>({
      description: "The schema, which may be true or false, extended to what was returned.",
    }),
    proposed_fits: limited(flag, {
      description: "Whether it is known to accept all results so far.",
    }),
    proposed_unsure: list(UNSURE),
  }),
);
export type DriftReport = Static<typeof DRIFT_REPORT>;

/** The tools whose results are compared. */
export const DRIFT_LIST = component(
  "Drifts",
  members({
    tools: list(
      members({
        server: text(),
        tool: text(),
        schema_hash: text(),
        since: dateTime(),
        until: dateTime(),
        results: count("How many results were compared."),
        findings: count("In how many ways they differ from the schema."),
      }),
    ),
  }),
);
export type DriftList = Static<typeof DRIFT_LIST>;

/** The schemas of drift in the OpenAPI document, in its order. */
export const DRIFT_COMPONENTS: readonly Component[] = [DRIFT_LIST, DRIFT_REPORT, DRIFT_FINDING];
