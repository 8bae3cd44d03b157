import type { ServerIntroduction } from "./handshake.ts";
import type { ServerPeer } from "./peer.ts";

export interface ConnectOptions {
  /** The time limit for each response, in milliseconds; for a server that never responds, for all of them together. */
  readonly timeout: number;
  /** Receives the lines that a stdio server writes to stderr, each with its line feed. */
  readonly stderr: (text: string) => void;
  /** The command's own environment, which may name proxies; a stdio server gets a part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** The client name that the server and its records see. Default: touchstone. */
  readonly clientName?: string;
  /** When aborted, pending requests fail, and a stdio server has only a short time left. */
  readonly stop: AbortSignal;
}

/** A server that has responded to the handshake or to `server/discover`. */
export interface InitializedServer {
  readonly peer: ServerPeer;
  readonly introduction: ServerIntroduction;
}
