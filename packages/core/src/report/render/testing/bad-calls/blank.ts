import { ISSUE, type Row, SEARCH, WEATHER } from "./call.ts";

/** null and "". */
export const BLANK: readonly Row[] = [
  [
    "null for an optional",
    SEARCH,
    { query: "a", limit: null },
    ["/limit", "an integer", "null", "leave it out"],
  ],
  [
    "empty string for an optional number",
    SEARCH,
    { query: "a", limit: "" },
    ["/limit", "an empty string", "leave it out"],
  ],
  [
    "empty string for an optional date",
    ISSUE,
    { title: "t", due_date: "" },
    ["/due_date", '"date"', "2026-01-31"],
  ],
  [
    "empty string for an enum",
    ISSUE,
    { title: "t", state: "" },
    ["/state", '"open"', '"closed"', "leave it out"],
  ],
  ["null for a required", WEATHER, { city: null }, ["/city", "a string", "null"]],
  [
    "nulls everywhere",
    ISSUE,
    { title: "t", labels: null, state: null, due_date: null },
    ["/labels", "/state", "/due_date"],
    620,
  ],
  [
    "wrong type for a nullable",
    ISSUE,
    { title: "t", assignee: 42 },
    ["/assignee", "a string or null", "an integer"],
  ],
  [
    "wrong type for a nullable cursor",
    SEARCH,
    { query: "a", cursor: {} },
    ["/cursor", "a string or null", "an object"],
  ],
  ["null arguments", WEATHER, null, ["the arguments", "an object", "null"]],
  ["array for arguments", WEATHER, [], ["the arguments", "an object", "an array of 0 items"]],
];
