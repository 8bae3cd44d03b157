import { orAfter } from "../util/or-after.ts";

/**
 * How long `server/discover` is waited for before `initialize` is sent as well: servers from before
 * 2026-07-28 may never answer what they do not know.
 */
export const DISCOVER_MS = 2_000;

/** How a server is asked which era it speaks, and what the response gives. */
export interface Opening<T> {
  /** What is gone on with where the server says that it speaks the latest revision, else nothing. */
  readonly discover: (signal: AbortSignal) => Promise<T | undefined>;
  /** The handshake of the revisions before. */
  readonly initialize: (signal: AbortSignal) => Promise<T>;
  /** How long the first question is waited for, in milliseconds; {@link DISCOVER_MS} by itself. */
  readonly patience?: number;
}

/**
 * Finds out which era a server speaks. One that is slow to answer may speak either: then the first question
 * that it answers with a yes counts.
 * @throws what the failed `initialize` gives, or `server/discover` where it fails at once
 */
export async function openEra<T extends object>(
  { discover, initialize, patience = DISCOVER_MS }: Opening<T>,
  signal: AbortSignal,
): Promise<T> {
  const decided = new AbortController();
  const asking = AbortSignal.any([signal, decided.signal]);
  const discovered = discover(asking);
  try {
    const said = await orAfter<T | "nothing yet" | undefined>(
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
