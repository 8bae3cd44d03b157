import type { CompiledSchema } from "@touchstone/core/advanced";
import { BoundedWork } from "../bounded-work.ts";
import { randomFrom, sampleInstance } from "./sample.ts";

export { randomFrom } from "./sample.ts";

/** How many values are tried. */
const MAX_TRIES = 2_000;
/** How many steps the search may take. */
const MAX_STEPS = 20_000_000;

/**
 * Returns the JSON text of a value that a schema accepts, the same one for the same seed; undefined if a bounded search
 * finds none, or the schema cannot be used.
 */
export function acceptedValue(schema: CompiledSchema, seed: number): string | undefined {
  const { canonical } = schema;
  if (canonical === undefined) return undefined;
  const random = randomFrom(seed);
  const work = new BoundedWork(MAX_STEPS);
  for (let tries = 0; tries < MAX_TRIES && !work.isOver; tries += 1) {
    const { value } = sampleInstance(canonical, random, undefined, work);
    if (work.accepts(schema, value) !== true) continue;
    const text = JSON.stringify(value);
    // Checks the text as well, because only that check compares numbers by their digits.
    if (schema.validateText(text).valid) return text;
  }
  return undefined;
}
