import { FIELD_FILTERS, type FieldFilterName } from "./record.ts";

/** The name of a filter that selects records, on the command line and in a query string. */
export type ActivityScopeName = FieldFilterName | "since" | "until";
/** A filter's name on the command line and in a query string. */
export type ActivityFilterName = ActivityScopeName | "limit" | "offset" | "cursor";

/** The filters that select records, for every operation. */
export const ACTIVITY_SCOPES: readonly ActivityScopeName[] = [
  ...FIELD_FILTERS.map(({ name }) => name),
  "since",
  "until",
];

/** Every filter. */
export const ACTIVITY_FILTERS: readonly ActivityFilterName[] = [
  ...ACTIVITY_SCOPES,
  "limit",
  "offset",
  "cursor",
];

/** The filters of calls, except those of pages. */
export const CALL_SCOPES: readonly ActivityScopeName[] = ACTIVITY_SCOPES.filter(
  (name) => name !== "type",
);

export const MAX_LIMIT = 1000;
export const DEFAULT_LIMIT = 50;
export const MAX_CALLS = 200;
export const MAX_BUCKETS = 200;
export const DEFAULT_BUCKETS = 60;

/** The values that sessions can be sorted by. */
export const SESSION_SORTS = ["last", "calls", "blocked", "length"] as const;
/** The values that callers can be sorted by. */
export const CALLER_SORTS = ["last", "calls", "blocked", "limited", "tools"] as const;

/** Which names of a call are absent: that of its caller, of its client, or both. */
export const WITHOUT = ["caller", "client", "both"] as const;
export type Without = (typeof WITHOUT)[number];
