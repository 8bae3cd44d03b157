import { createHash } from "node:crypto";
import { runSteps } from "@touchstone/core/advanced";
import type { ContractHashes } from "./store.ts";

/** How many tools to hash in one step. */
const STEP_TOOLS = 1_000;

/**
 * Computes `sha256:` and a digest of a list's declarations, in steps: equal for two lists with the same tools and
 * schemas, in any order.
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

/** Runs {@link listHashSteps} without pauses. */
export function listHash(contracts: ReadonlyMap<string, ContractHashes>): string {
  return runSteps(listHashSteps(contracts));
}
