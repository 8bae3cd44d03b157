import type { Introduction } from "./handshake.ts";
import type { Peer } from "./peer.ts";

export interface ConnectOptions {
  /** For each response, in milliseconds; a server that never says anything has no more in all. */
  readonly timeout: number;
  /** Takes what a stdio server writes to stderr, line by line, each with its line feed. */
  readonly stderr: (text: string) => void;
  /** The command's own environment, which names proxies, and of which a stdio server gets a part. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Who asks, as the server and its records see it. Default: touchstone. */
  readonly clientName?: string;
  /** When aborted, what is asked fails, and a stdio server has only a moment left. */
  readonly stop: AbortSignal;
}

/** A server that has said who it is. */
export interface Opened {
  readonly peer: Peer;
  readonly introduction: Introduction;
}
