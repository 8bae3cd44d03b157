import type { ContractScope } from "./store.ts";

/** The channel of PostgreSQL's NOTIFY on which changes of lists are told. */
export const CONTRACTS_CHANNEL = "touchstone_contracts";

/** PostgreSQL takes payloads of fewer than 8000 bytes. */
const MAX_BYTES = 7_999;

/** A notice that a list has changed; an empty one where the scope's names are too long for it. */
export function contractNotice({ server, revision, authorization }: ContractScope): string {
  const notice = JSON.stringify([server, revision, authorization]);
  return Buffer.byteLength(notice) > MAX_BYTES ? "" : notice;
}

/** The scope that a notice tells of; undefined where it tells of none, and any list may be meant. */
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
