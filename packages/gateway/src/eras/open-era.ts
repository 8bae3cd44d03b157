import { valueOrTimeout } from "@touchstone/util";

/**
 * How long to wait for `server/discover` before sending `initialize` as well. Servers from before 2026-07-28 may
 * never respond to a method that they do not know.
 */
export const DISCOVER_MS = 2_000;

/** How to ask a server which era it speaks, and what the responses mean. */
export interface EraProbe<T> {
  /** Returns the connection if the server says that it speaks the latest revision; else undefined. */
  readonly discover: (signal: AbortSignal) => Promise<T | undefined>;
  /** The handshake of earlier revisions. */
  readonly initialize: (signal: AbortSignal) => Promise<T>;
  /** How long to wait for the first response, in milliseconds. Defaults to {@link DISCOVER_MS}. */
  readonly patience?: number;
}

/**
 * Finds out which era a server speaks. A slow server may speak either era, so the first request that succeeds
 * decides.
 * @throws the error of `initialize`, or of `server/discover` if that fails at once
 */
export async function openEra<T extends object>(
  { discover, initialize, patience = DISCOVER_MS }: EraProbe<T>,
  signal: AbortSignal,
): Promise<T> {
  const decided = new AbortController();
  const asking = AbortSignal.any([signal, decided.signal]);
  const discovered = discover(asking);
  try {
    const said = await valueOrTimeout<T | "nothing yet" | undefined>(
      patience,
      discovered,
      () => "nothing yet",
    );
    if (typeof said === "object") return said;
    const opened = initialize(asking);
    if (said === undefined) return await opened;
    const late = discovered.then((yes) => yes ?? opened);
    return await Promise.any([opened, late]).catch(() => opened);
  } finally {
    decided.abort();
  }
}
