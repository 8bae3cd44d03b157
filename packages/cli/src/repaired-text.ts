import {
  type Check,
  type CompiledSchema,
  type RepairedText,
  repairsNamed,
  repairText,
} from "@touchstone/core";
import type { RepairWord } from "./repair-option.ts";
import { safeText } from "./terminal/safe-text.ts";

/** A text to repair, and why it is not valid. */
export interface Unrepaired {
  readonly bytes: Uint8Array;
  readonly check: Check;
  readonly schema: CompiledSchema;
  /** The schema as its author wrote it, for its defaults. */
  readonly declared: unknown;
  readonly limits?: Parameters<typeof repairText>[0]["limits"];
}

/** Repairs a text; undefined if it is valid, no repairs are named, or that does not make it valid. */
export function repaired(
  words: readonly RepairWord[] | undefined,
  { check, ...text }: Unrepaired,
): RepairedText | undefined {
  if (words === undefined || check.valid) return undefined;
  // A check that was cut, or whose paths are the engine's own, is made again.
  const errors = check.errors.map((issue) => ({ ...issue }));
  return repairText({ ...text, check: { ...check, errors }, repair: repairsNamed(words) });
}

/** Returns what was repaired and where, in one line. */
export function repairsLine({ repairs }: Pick<RepairedText, "repairs">): string {
  const told = repairs.map(({ kind, path }) => `${kind} at ${path === "" ? "the root" : path}`);
  return safeText(told.join("; "));
}
