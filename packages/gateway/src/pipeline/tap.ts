import type { Conversation } from "./context.ts";

/** Who a frame comes from, or goes to. */
export type Party = "client" | "server" | "gateway";

/** Takes the frames of one conversation as they pass. Neither throws nor waits. */
export interface Tap {
  /**
   * @param bytes copied at once
   * @param answers the method of the gateway's own request that they answer
   */
  frame(from: Party, to: Party, bytes: Uint8Array, answers?: string): void;
  /** A frame of which only the ends were kept. */
  oversize(from: Party, bytes: number): void;
}

/** A file that frames are written to. */
export interface Capture {
  /** Begins to take the frames of a conversation. */
  tap(server: string, conversation: Conversation): Tap;
  /** Writes what waits, 10 s at most, and closes the file. */
  close(): Promise<void>;
}
