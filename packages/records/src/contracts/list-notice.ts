import type { ContractScope } from "./store.ts";

/** The channel of PostgreSQL's NOTIFY for changes of tool lists. */
export const CONTRACTS_CHANNEL = "touchstone_contracts";

/** PostgreSQL takes payloads of fewer than 8000 bytes. */
const MAX_BYTES = 7_999;

/** Returns a notice that a list has changed; an empty one if the scope's names are too long for it. */
export function contractNotice({ server, revision, authorization }: ContractScope): string {
  const notice = JSON.stringify([server, revision, authorization]);
  return Buffer.byteLength(notice) > MAX_BYTES ? "" : notice;
}

/** Returns the scope of a notice; undefined if it names none, so that any list may have changed. */
export function readNotice(notice: string | undefined): ContractScope | undefined {
  try {
    const told: unknown = JSON.parse(notice ?? "");
    if (!Array.isArray(told)) return undefined;
    const [server, revision, authorization]: readonly unknown[] = told;
    if (typeof server !== "string" || typeof revision !== "string") return undefined;
    return typeof authorization === "string" ? { server, revision, authorization } : undefined;
  } catch {
    return undefined;
  }
}
