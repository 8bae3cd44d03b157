import { createHash } from "node:crypto";
import type { ContractHashes } from "./store.ts";

/**
 * `sha256:` and a digest of what a list declares: alike for two lists that have the same tools with the
 * same schemas, in whatever order. Pure.
 */
export function listHash(contracts: ReadonlyMap<string, ContractHashes>): string {
  const digest = createHash("sha256");
  for (const name of [...contracts.keys()].sort()) {
    const { inputHash, outputHash } = contracts.get(name) ?? {};
    digest.update(JSON.stringify([name, inputHash ?? null, outputHash ?? null]));
  }
  return `sha256:${digest.digest("hex")}`;
}
