import { REVISION_2024_11_05 } from "./2024-11-05.ts";
import { REVISION_2025_03_26 } from "./2025-03-26.ts";
import { REVISION_2025_06_18 } from "./2025-06-18.ts";
import { REVISION_2025_11_25 } from "./2025-11-25.ts";
import { REVISION_2026_07_28 } from "./2026-07-28.ts";
import type { Revision } from "./revision.ts";

/** The released revisions of MCP, oldest first. */
export const REVISIONS: readonly Revision[] = [
  REVISION_2024_11_05,
  REVISION_2025_03_26,
  REVISION_2025_06_18,
  REVISION_2025_11_25,
  REVISION_2026_07_28,
];

/** The oldest revision without `initialize`. */
export const FIRST_MODERN: Revision = REVISION_2026_07_28;
/** The newest revision that Touchstone itself speaks: with servers without `initialize`, and as a client. */
export const LATEST: Revision = REVISION_2026_07_28;
/** The newest revision that starts with `initialize`. */
export const LATEST_LEGACY: Revision = REVISION_2025_11_25;

/** Returns the revision with this `protocolVersion`, or undefined if there is none. */
export function revisionOf(version: string): Revision | undefined {
  return REVISIONS.find((revision) => revision.version === version);
}
