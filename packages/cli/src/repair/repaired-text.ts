import {
  type Check,
  type CompiledSchema,
  type RepairedText,
  repairsNamed,
  repairText,
} from "@touchstone/core/advanced";
import { safeText } from "../terminal/safe-text.ts";
import type { RepairName } from "./repair-option.ts";

/** A text to repair, and the issues that make it invalid. */
export interface TextToRepair {
  readonly bytes: Uint8Array;
  readonly check: Check;
  readonly schema: CompiledSchema;
  /** The schema as its author wrote it, needed for its defaults. */
  readonly declared: unknown;
  readonly limits?: Parameters<typeof repairText>[0]["limits"];
}

/**
 * Repairs a text. Returns undefined if the text is already valid, no repairs are named, or repairs cannot make it
 * valid.
 */
export function repairTextWith(
  words: readonly RepairName[] | undefined,
  { check, ...text }: TextToRepair,
): RepairedText | undefined {
  if (words === undefined || check.valid) return undefined;
  // If a check was cut short, or has the engine's own paths, it is repeated.
  const errors = check.errors.map((issue) => ({ ...issue }));
  return repairText({ ...text, check: { ...check, errors }, repair: repairsNamed(words) });
}

/** Returns what was repaired and where, on one line. */
export function repairsLine({ repairs }: Pick<RepairedText, "repairs">): string {
  const told = repairs.map(({ kind, path }) => `${kind} at ${path === "" ? "the root" : path}`);
  return safeText(told.join("; "));
}
