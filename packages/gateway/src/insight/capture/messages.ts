import type { CapturedFrame, LostFrames } from "./line.ts";

/** A message to the thread that writes a capture. */
export type ToWriter =
  | { readonly kind: "frame"; readonly frame: CapturedFrame; readonly bytes: Uint8Array }
  | { readonly kind: "oversize"; readonly frame: CapturedFrame; readonly bytes: number }
  /** Frames that were never sent to it. */
  | { readonly kind: "lost"; readonly time: string; readonly lost: LostFrames }
  /** Texts to hide from now on. It gets no response. */
  | { readonly kind: "secrets"; readonly secrets: readonly string[] }
  | { readonly kind: "close" };

/** Its response: one for each frame and gap, in order. */
export interface FromWriter {
  /** Why the line could not be written; absent if it was. */
  readonly failed?: string;
}

/** The thread's start data. */
export interface WriterStart {
  /** Open for appending. */
  readonly fd: number;
}
