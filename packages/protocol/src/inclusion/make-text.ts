import { findText } from "@touchstone/core/advanced";
import type { BoundedWork } from "../bounded-work.ts";

/** How many texts are tried at one place. */
const MAX_TEXTS = 16;

/** Texts of each format, the most ordinary one first. */
export const TEXTS_OF_FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ["2026-01-02", "2024-02-29"],
  "date-time": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.6+01:00"],
  duration: ["P1D", "PT1S"],
  email: ["a@b.example", "a.b@c.co"],
  hostname: ["a.example", "a"],
  "idn-email": ["a@b.example"],
  "idn-hostname": ["a.example"],
  ipv4: ["192.0.2.1", "10.0.0.1"],
  ipv6: ["2001:db8::1", "::1"],
  iri: ["https://a.example/x", "urn:a:b"],
  "iri-reference": ["/x", "x"],
  "json-pointer": ["/a", ""],
  regex: ["^a$", "a"],
  "relative-json-pointer": ["0/a", "1"],
  time: ["03:04:05Z", "03:04:05.6+01:00"],
  uri: ["https://a.example/x", "http://a.example", "urn:a:b", "mailto:a@b.example", "ftp://a/"],
  "uri-reference": ["/x", "https://a.example/x", "x", ""],
  "uri-template": ["/x/{a}", "x"],
  uuid: ["123e4567-e89b-42d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"],
};
/** Formats whose texts may be made longer at their end, or at their beginning. */
const LONGER_AT_END = new Set([
  "uri",
  "iri",
  "uri-reference",
  "iri-reference",
  "json-pointer",
  "regex",
]);
const LONGER_AT_START = new Set(["email", "idn-email", "hostname"]);
/** Texts that most formats refuse. */
const NO_FORMAT = ["", "a", "a b", "-", "1", "%"];

/** Requirements on a text. Lengths are in characters. */
export interface StringRequirements {
  readonly matched: readonly string[];
  readonly missed: readonly string[];
  readonly formats: readonly string[];
  readonly misformats: readonly string[];
  readonly least: number;
  readonly most: number;
  readonly isForbidden: (text: string) => boolean;
  /** Steps of one search for a text that patterns match. */
  readonly steps: number;
}

/** Yields texts that probably meet the requirements, shorter ones first. */
export function* textsOf(
  wanted: StringRequirements,
  work: BoundedWork,
): Generator<string, void, void> {
  let left = MAX_TEXTS;
  const seen = new Set<string>();
  for (const text of candidates(wanted, work)) {
    work.spend(8 + (text.length >> 3));
    if (seen.has(text) || wanted.isForbidden(text) || !fits(text, wanted, work)) continue;
    seen.add(text);
    yield text;
    left -= 1;
    if (left === 0 || work.isOver) return;
  }
}

function fits(text: string, wanted: StringRequirements, work: BoundedWork): boolean {
  const { least, most, matched, missed } = wanted;
  const { length } = text;
  const characters = length < least || length > 2 * most ? length : lengthOf(text);
  return (
    characters >= least &&
    characters <= most &&
    matched.every((source) => work.matches(source, text) !== false) &&
    !missed.some((source) => work.matches(source, text) === true)
  );
}

/** Returns the length in characters. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

function* candidates(wanted: StringRequirements, work: BoundedWork): Generator<string, void, void> {
  const { matched, missed, formats, misformats, least, most, steps } = wanted;
  for (const format of formats) {
    for (const text of TEXTS_OF_FORMATS[format] ?? []) {
      yield text;
      const by = least - text.length;
      if (by > 0 && LONGER_AT_END.has(format)) yield text + "x".repeat(by);
      if (by > 0 && LONGER_AT_START.has(format)) yield "a".repeat(by) + text;
    }
  }
  const isPlain = matched.length === 0 && missed.length === 0;
  if (!isPlain) {
    let from = least;
    for (let round = 0; round < 3 && from <= most && !work.isOver; round += 1) {
      const found = findText({ matched, missed, minLength: from, maxLength: most }, steps);
      work.spend(steps >> 2);
      if (found.kind !== "found") break;
      yield found.text;
      from = lengthOf(found.text) + 1;
    }
  }
  if (misformats.length > 0) {
    for (const text of NO_FORMAT) yield text.padEnd(least, "-");
    for (const format of Object.keys(TEXTS_OF_FORMATS)) yield* TEXTS_OF_FORMATS[format] ?? [];
  }
  yield "a".repeat(least);
  if (least < most) yield "a".repeat(least + 1);
  yield "\u{10ffff}".repeat(Math.min(least, 1_000));
  for (let number = 0; number < 2 * MAX_TEXTS; number += 1) yield `${number}`.padStart(least, "a");
}
