import type { Readable } from "node:stream";
import { type Sender, type TimeSlice, threadSlice } from "@touchstone/util";
import { type Line, LineSplitter } from "./lines.ts";

/** Longest line of stderr that is passed on as a whole, in bytes. */
const MAX_LINE = 16_384;
/** How many bytes to take between two looks at the time. */
const STEP = 1_024;

/**
 * Passes on the lines that a child writes to its stderr, as text with U+FFFD for what is not UTF-8; long lines are cut,
 * with `…`. What does not fit into a turn of the event loop waits for the next one, and meanwhile nothing is read, so
 * that a child that writes without end waits for the gateway.
 * @param sender whose time it uses
 * @returns a function that returns a promise of the lines that wait; undefined if none does
 */
export function readStderr(
  stderr: Readable,
  take: (line: string) => void,
  sender: Sender,
  slice: TimeSlice = threadSlice,
): () => Promise<void> | undefined {
  const splitter = new LineSplitter(MAX_LINE);
  const decoder = new TextDecoder();
  let waiting: Promise<void> | undefined;
  const pass = (line: Line): void => {
    if (line.kind === "line") take(decoder.decode(line.bytes).trimEnd());
    else take(`${decoder.decode(line.head.subarray(0, MAX_LINE))}…`);
  };
  function* steps(chunk: Uint8Array): Generator<void, void> {
    for (let at = 0; at < chunk.length; at += STEP) {
      for (const line of splitter.push(chunk.subarray(at, at + STEP))) pass(line);
      yield;
    }
  }
  const passAll = async (chunk: Uint8Array): Promise<void> => {
    stderr.pause();
    await slice.take(steps(chunk), sender);
    waiting = undefined;
    stderr.resume();
  };
  const passLast = (): void => {
    const rest = splitter.flush();
    if (rest) pass(rest);
  };
  stderr.on("data", (chunk: Buffer) => {
    waiting = passAll(chunk);
  });
  stderr.on("end", () => {
    // The end of a stream whose last piece was read comes also while it is paused.
    if (waiting === undefined) passLast();
    else waiting = waiting.then(passLast);
  });
  stderr.on("error", () => {});
  return () => waiting;
}
