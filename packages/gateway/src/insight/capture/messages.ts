import type { CapturedFrame, Lost } from "./line.ts";

/** What the thread that writes a capture is told. */
export type ToWriter =
  | { readonly kind: "frame"; readonly frame: CapturedFrame; readonly bytes: Uint8Array }
  | { readonly kind: "oversize"; readonly frame: CapturedFrame; readonly bytes: number }
  /** Frames that were never handed to it. */
  | { readonly kind: "lost"; readonly time: string; readonly lost: Lost }
  | { readonly kind: "close" };

/** What it answers: one message for each but `close`, in order. */
export interface FromWriter {
  /** Why the line could not be written; absent if it was. */
  readonly failed?: string;
}

/** What the thread is started with. */
export interface WriterStart {
  /** Open for appending. */
  readonly fd: number;
}
