import { INTEGER, ISSUE, object, type Row, SEARCH, STRING, WEATHER } from "./call.ts";

/** Calls with numbers, booleans, arrays and objects in strings. */
export const WRITTEN_OTHERWISE: readonly Row[] = [
  [
    "number in a string",
    SEARCH,
    { query: "a", limit: "5" },
    ["/limit", "an integer", "string", "without quotes"],
  ],
  [
    "boolean in a string",
    object({ dry_run: { type: "boolean" } }),
    { dry_run: "true" },
    ["/dry_run", "a boolean", "send true"],
  ],
  [
    "Python's True",
    object({ dry_run: { type: "boolean" } }),
    { dry_run: "True" },
    ["/dry_run", "send true"],
  ],
  [
    "array in a string",
    ISSUE,
    { title: "t", labels: '["bug","ui"]' },
    ["/labels", "an array", "the array itself"],
  ],
  [
    "object in a string",
    object({ filter: { type: "object" } }),
    { filter: '{"a":1}' },
    ["/filter", "an object", "the object itself"],
  ],
  [
    "all arguments in a string",
    WEATHER,
    '{"city":"Oslo"}',
    ["the arguments", "an object", "the object itself"],
  ],
  [
    "null in a string",
    object({ parent: { type: ["integer", "null"] } }),
    { parent: "null" },
    ["/parent", "an integer or null", "send null"],
  ],
  [
    "array of numbers in strings",
    object({ ids: { type: "array", items: INTEGER } }),
    { ids: ["1", "2"] },
    ["/ids/0", "/ids/1", "without quotes"],
    400,
  ],
  ["one item without its array", ISSUE, { title: "t", labels: "bug" }, ["/labels", "in an array"]],
  [
    "comma list for an array",
    ISSUE,
    { title: "t", labels: "bug, ui" },
    ["/labels", "an array", "a string of 7 characters", "an item for each part"],
  ],
  [
    "array around one value",
    object({ path: STRING }),
    { path: ["a.txt"] },
    ["/path", "a string", "not an array"],
  ],
  [
    "number for a string",
    object({ phone: STRING }, ["phone"]),
    { phone: 2662 },
    ["/phone", "a string", "in quotes"],
  ],
  [
    "float for an integer",
    object({ page: INTEGER }),
    { page: 1.5 },
    ["/page", "an integer", "a number"],
  ],
  [
    "object for a string",
    object({ user: STRING }),
    { user: { id: 7 } },
    ["/user", "a string", "an object"],
  ],
  [
    "boolean for a string",
    object({ flag: STRING }),
    { flag: true },
    ["/flag", "a string", "a boolean"],
  ],
];
