import { type CompiledSchema, compileSchema, type JsonObject } from "@touchstone/core";
import { randomFrom, sampleInstance } from "./sample.ts";

/** How many values are tried, where they are small. */
const SAMPLES = 400;
/** How many values may be made in all, those inside others counted as well: wide objects take many. */
const MAX_MADE = 120_000;

/** What came of a comparison. */
export interface Comparison {
  readonly judged: number;
  /** How many of them both schemas accepted. */
  readonly accepted: number;
  /** Where the two disagree: the first value that was found, or why one cannot be used. */
  readonly disagreement?: { readonly value: unknown };
}

/**
 * Asks two schemas about values made from both of them, always the same ones.
 * @param compiled the first one
 */
export function compareSchemas(
  first: JsonObject,
  compiled: CompiledSchema,
  second: JsonObject,
): Comparison {
  const after = compileSchema({ value: second });
  if (after.fault !== undefined) {
    return { judged: 0, accepted: 0, disagreement: { value: after.fault.message } };
  }
  const random = randomFrom(SAMPLES);
  let [judged, accepted, left] = [0, 0, MAX_MADE];
  while (judged < SAMPLES && left > 0) {
    judged += 1;
    const { value, made } = sampleInstance(judged % 2 === 0 ? first : second, random);
    left -= made;
    const valid = compiled.isValid(value);
    if (valid !== after.isValid(value)) return { judged, accepted, disagreement: { value } };
    if (valid) accepted += 1;
  }
  return { judged, accepted };
}
