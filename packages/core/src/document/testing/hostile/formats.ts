import { type HostileCase, row, text } from "./case.ts";

const FORMATS = [
  "date-time",
  "email",
  "hostname",
  "idn-email",
  "idn-hostname",
  "ipv6",
  "iri",
  "iri-reference",
  "uri",
  "uri-reference",
  "uri-template",
  "regex",
  "uuid",
  "json-pointer",
  "relative-json-pointer",
  "duration",
  "byte",
];

/** Texts of 10 MB, or of 1 MB, for each format that reads more than a few characters. */
export const HOSTILE_FORMATS: readonly HostileCase[] = FORMATS.flatMap((format) =>
  ["a", "{", "1:", "%41", "é", "a."].map((unit) =>
    row(
      `${JSON.stringify(unit)} over and over against the format ${format}`,
      () => ({ format }),
      () => text(10_000_000 - (10_000_000 % unit.length), unit, ""),
      /pass|violation|budget/,
      () => text(1_000_000 - (1_000_000 % unit.length), unit, ""),
    ),
  ),
);
