import { type CompiledSchema, compileSchema, type JsonObject } from "@touchstone/core";
import { randomFrom, sampleInstance } from "./sample.ts";

/** How many values are tried. */
const SAMPLES = 400;

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
  let accepted = 0;
  for (let judged = 1; judged <= SAMPLES; judged += 1) {
    const value = sampleInstance(judged % 2 === 0 ? first : second, random);
    const valid = compiled.isValid(value);
    if (valid !== after.isValid(value)) return { judged, accepted, disagreement: { value } };
    if (valid) accepted += 1;
  }
  return { judged: SAMPLES, accepted };
}
