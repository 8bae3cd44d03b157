import { parseJson } from "@touchstone/core";
import { LATEST } from "@touchstone/protocol";
import { orAfter } from "../or-after.ts";
import { type Era, MODERN } from "./era.ts";
import type { Posted } from "./loopback.ts";

/**
 * How long `server/discover` is waited for before `initialize` is sent as well: servers from before
 * 2026-07-28 may never answer what they do not know.
 */
export const DISCOVER_MS = 2_000;

/** How a server is asked which era it speaks. */
export interface Opening {
  /** Whether the server says that it speaks the latest revision. */
  readonly discover: (signal: AbortSignal) => Promise<boolean>;
  /** The handshake of the revisions before. */
  readonly initialize: (signal: AbortSignal) => Promise<Era>;
}

/**
 * Finds out which era a server speaks. One that is slow to answer may speak either: then the first question
 * that it answers with a yes counts.
 * @throws what the failed `initialize` gives, or `server/discover` where it fails at once
 */
export async function openEra(
  { discover, initialize }: Opening,
  signal: AbortSignal,
): Promise<Era> {
  const decided = new AbortController();
  const asking = AbortSignal.any([signal, decided.signal]);
  const discovered = discover(asking);
  try {
    const said = await orAfter(DISCOVER_MS, discovered, () => undefined);
    if (said === true) return MODERN;
    const opened = initialize(asking);
    if (said === false) return await opened;
    const late = discovered.then((yes) => (yes ? MODERN : opened));
    return await Promise.any([opened, late]).catch(() => opened);
  } finally {
    decided.abort();
  }
}

/**
 * Whether an answer to `server/discover` names the latest revision. Some servers of earlier ones answer
 * every method that they do not know with an empty result.
 */
export function speaksLatest({ answer }: Posted): boolean {
  const range = answer?.ranges.result;
  if (answer?.kind !== "response" || range === undefined) return false;
  const parsed = parseJson(answer.bytes.subarray(range.start, range.end));
  const result = parsed.ok ? parsed.value : undefined;
  const versions = (result as { readonly supportedVersions?: unknown } | null | undefined)
    ?.supportedVersions;
  return Array.isArray(versions) && versions.includes(LATEST.version);
}
