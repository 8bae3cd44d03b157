import { ISSUE, object, type Row, SEARCH, WEATHER } from "./call.ts";

/** Calls that fail enums, constants, formats and bounds. */
export const VALUES: readonly Row[] = [
  [
    "case of an enum",
    ISSUE,
    { title: "t", state: "OPEN" },
    ["/state", '"closed"', 'Did you mean "open"'],
  ],
  [
    "words of an enum",
    ISSUE,
    { title: "t", state: "in progress" },
    ["/state", 'Did you mean "in_progress"'],
  ],
  ["near an enum", WEATHER, { city: "x", unit: "celcius" }, ["/unit", 'Did you mean "celsius"']],
  [
    "far from an enum",
    WEATHER,
    { city: "x", unit: "kelvin" },
    ["/unit", '"celsius"', '"fahrenheit"'],
    250,
    ["Did you mean"],
  ],
  [
    "long enum",
    object({ zone: { enum: Array.from({ length: 400 }, (_, i) => `zone-${i}`) } }),
    { zone: "mars" },
    ["/zone", '"zone-0"', "388 more"],
    420,
  ],
  [
    "date in words",
    ISSUE,
    { title: "t", due_date: "tomorrow" },
    ["/due_date", '"date"', "2026-01-31"],
  ],
  [
    "not a URI",
    object({ url: { type: "string", format: "uri" } }),
    { url: "example" },
    ["/url", '"uri"', "https://example.com"],
  ],
  ["too large", SEARCH, { query: "a", limit: 1000 }, ["/limit", "at most 100"]],
  ["zero", SEARCH, { query: "a", limit: 0 }, ["/limit", "at least 1"]],
  [
    "too long",
    object({ title: { type: "string", maxLength: 5 } }),
    { title: "abcdefgh" },
    ["/title", "at most 5 characters", "8 characters"],
  ],
  [
    "too few items",
    object({ ids: { type: "array", minItems: 1 } }),
    { ids: [] },
    ["/ids", "at least 1 item", "0 items"],
  ],
  [
    "pattern",
    object({ id: { type: "string", pattern: "^[A-Z]{3}-\\d+$" } }),
    { id: "abc1" },
    ["/id", "pattern", "[A-Z]{3}"],
  ],
  [
    "same item twice",
    object({ ids: { type: "array", uniqueItems: true } }),
    { ids: [1, 2, 1] },
    ["/ids", "items 0 and 2"],
  ],
];
