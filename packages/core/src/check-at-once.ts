import type { TextCheckOptions } from "./check-options.ts";
import type { CompiledSchema } from "./compile.ts";
import type { Check } from "./result.ts";

const NEVER: Promise<Check> = new Promise(() => {});

/**
 * Checks a JSON text for a caller that must not block; returns undefined if that takes more than a few milliseconds.
 */
export function checkAtOnce(
  schema: Pick<CompiledSchema, "validateLater">,
  input: string | Uint8Array,
  options?: TextCheckOptions,
): Check | undefined {
  const check = schema.validateLater(input, () => NEVER, options);
  return check instanceof Promise ? undefined : check;
}
