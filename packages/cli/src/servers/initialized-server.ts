import type { ServerIntroduction } from "./handshake.ts";
import type { ServerPeer } from "./peer.ts";

export interface ConnectOptions {
  /** For each response, in milliseconds; for a server that never responds, for all of them together. */
  readonly timeout: number;
  /** Receives what a stdio server writes to stderr, line by line, each with its line feed. */
  readonly stderr: (text: string) => void;
  /** The command's own environment, which names proxies; a stdio server gets a part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** The client name that the server and its records see. Default: touchstone. */
  readonly clientName?: string;
  /** When aborted, pending requests fail, and a stdio server has only a moment left. */
  readonly stop: AbortSignal;
}

/** A server that has introduced itself. */
export interface InitializedServer {
  readonly peer: ServerPeer;
  readonly introduction: ServerIntroduction;
}
