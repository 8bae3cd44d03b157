import { createHash } from "node:crypto";
import { takeSteps } from "@touchstone/core";
import type { ContractHashes } from "./store.ts";

/** How many tools are hashed in one step. */
const STEP_TOOLS = 1_000;

/**
 * `sha256:` and a digest of what a list declares: alike for two lists that have the same tools with the
 * same schemas, in whatever order. Made in steps.
 */
export function* listHashSteps(
  contracts: ReadonlyMap<string, ContractHashes>,
): Generator<void, string, void> {
  yield;
  const digest = createHash("sha256");
  let count = 0;
  for (const name of [...contracts.keys()].sort()) {
    const { inputHash, outputHash } = contracts.get(name) ?? {};
    digest.update(JSON.stringify([name, inputHash ?? null, outputHash ?? null]));
    count += 1;
    if (count % STEP_TOOLS === 0) yield;
  }
  return `sha256:${digest.digest("hex")}`;
}

/** {@link listHashSteps} at once. */
export function listHash(contracts: ReadonlyMap<string, ContractHashes>): string {
  return takeSteps(listHashSteps(contracts));
}
