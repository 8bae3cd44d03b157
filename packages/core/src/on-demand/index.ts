/// <reference types="node" />
import { SchemaCache } from "../cache.ts";
import type { Deadline } from "../schema/deadline.ts";

/** More than a task that does nothing takes on any machine. */
const PROBE_MS = 10_000;

/**
 * What ends a check that takes too long: on Node, a timer outside of the script; elsewhere nothing,
 * and the engine's step budget alone bounds a check. Workers of Cloudflare call themselves Node as well, and have all
 * names of `node:vm`, with functions that throw.
 */
async function findDeadline(): Promise<Deadline | undefined> {
  if (globalThis.process?.versions?.node === undefined) return undefined;
  try {
    const { nodeDeadline } = await import("../node/index.ts");
    return nodeDeadline.run(PROBE_MS, () => nodeDeadline);
  } catch {
    return undefined;
  }
}

/** Opens a cache of compiled schemas, which is made once, when it is first needed. Never rejects. */
export function schemaCacheOnDemand(): () => Promise<SchemaCache> {
  let cache: Promise<SchemaCache> | undefined;
  const open = async (): Promise<SchemaCache> => {
    const deadline = await findDeadline();
    return new SchemaCache(deadline === undefined ? {} : { deadline });
  };
  return () => {
    cache ??= open();
    return cache;
  };
}
