import { revisionOf } from "@touchstone/protocol";

/** Whether a revision carries its context in every request (2026-07-28 and later). */
export function isModern(revision: string | undefined): boolean {
  return revision !== undefined && revisionOf(revision)?.era === "modern";
}
