import type { Frame } from "@touchstone/protocol/advanced";

/** A bridge that has written the envelope of a client's message. */
export interface Bridging {
  /** The client's revision and the server's, such as `2025-11-25>2026-07-28`. */
  readonly pair: string;
  /** Returns why the client gets an error instead of a result of the server; undefined if it does not. */
  uncrossed(result: Frame): string | undefined;
}
