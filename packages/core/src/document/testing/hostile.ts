import type { HostileCase } from "./hostile/case.ts";
import { IDENTIFIER_CASES } from "./hostile/identifiers.ts";
import { LONG_CASES, MANY_PATTERN_CASES } from "./hostile/long-patterns.ts";
import { NAME_CASES } from "./hostile/names.ts";
import { BOMB_CASES } from "./hostile/pattern-bombs.ts";
import { REFERENCE_CASES } from "./hostile/references.ts";
import { SMALL_CASES } from "./hostile/small.ts";
import { VALUE_CASES } from "./hostile/values.ts";
import { WIDTH_CASES } from "./hostile/width.ts";

export { HOSTILE_LIMITS, type HostileCase } from "./hostile/case.ts";
export { HOSTILE_FORMATS } from "./hostile/formats.ts";

/** Schemas and values that try to make compilations and checks slow. */
export const HOSTILE_CASES: readonly HostileCase[] = [
  ...BOMB_CASES,
  ...LONG_CASES,
  ...MANY_PATTERN_CASES,
  ...WIDTH_CASES,
  ...NAME_CASES,
  ...REFERENCE_CASES,
  ...IDENTIFIER_CASES,
  ...VALUE_CASES,
  ...SMALL_CASES,
];
