import { type HostileCase, many, row } from "./case.ts";

/** Names of 60 characters that differ in their ends. */
const names = (count: number, first: string): string[] =>
  many(count, (i) => first + String(i).padStart(60 - first.length, "x"));
const members = (of: readonly string[], value: unknown) =>
  Object.fromEntries(of.map((name) => [name, value]));

/** These values are quickly found to be invalid. Finding the name that was meant takes much longer. */
export const NAME_CASES: readonly HostileCase[] = [
  row(
    "1,000 unknown names beside 1,000 declared ones",
    () => ({ properties: members(names(1_000, "a"), {}), additionalProperties: false }),
    () => JSON.stringify(members(names(1_000, "bbbb"), 1)),
    /violation/,
  ),
  row(
    "5,000 missing names beside 50 unknown ones",
    () => ({ properties: members(names(5_000, "a"), {}), required: names(5_000, "a") }),
    () => JSON.stringify(members(names(50, "bbbb"), 1)),
    /violation/,
  ),
  row(
    "5,000 missing names that are not declared beside 50 unknown ones",
    () => ({ properties: members(names(1_000, "c"), {}), required: names(5_000, "a") }),
    () => JSON.stringify(members(names(50, "bbbb"), 1)),
    /violation/,
  ),
  row(
    "1,000 texts of which an enum of 1,000 has none",
    () => ({ items: { enum: names(1_000, "a") } }),
    () => JSON.stringify(names(1_000, "bbbb")),
    /violation/,
  ),
  row(
    "100 texts that may have been meant as one of 4,000 lists",
    () => ({
      items: { anyOf: many(4_000, (i) => ({ type: "array", items: { const: i } })), type: "array" },
    }),
    () => JSON.stringify(many(100, () => "1,2")),
    /violation/,
  ),
];
