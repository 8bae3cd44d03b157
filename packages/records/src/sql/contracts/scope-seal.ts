import { createHash } from "node:crypto";
import type { ContractScope } from "../../contracts/store.ts";

/**
 * Returns the value of column `since` in a row of `list_scopes`: a time, and a digest that confirms which list
 * belongs to the scope since then. The digest is in this column because an earlier build, which may still run,
 * overwrites the column whenever it replaces the list.
 */
export function sealedSince(time: string, scope: ContractScope, listHash: string): string {
  return `${time} ${digestOf(time, scope, listHash)}`;
}

/** Returns the time in column `since`. */
export function sinceTime(since: string): string {
  const space = since.indexOf(" ");
  return space < 0 ? since : since.slice(0, space);
}

/** Returns whether the digest confirms the list of a row; undefined if an earlier build has written the row. */
export function isScopeSealed(
  since: string,
  scope: ContractScope,
  listHash: string,
): boolean | undefined {
  const space = since.indexOf(" ");
  if (space < 0) return undefined;
  return since.slice(space + 1) === digestOf(since.slice(0, space), scope, listHash);
}

function digestOf(
  time: string,
  { server, revision, authorization }: ContractScope,
  listHash: string,
): string {
  return createHash("sha256")
    .update(JSON.stringify([time, server, revision, authorization, listHash]))
    .digest("hex");
}
