import type { Readable } from "node:stream";
import { type Sender, type TimeSlice, threadSlice } from "@touchstone/util";
import { type Line, LineSplitter } from "./lines.ts";

/** Longest line of stderr that is passed on as a whole, in bytes. */
const MAX_LINE = 16_384;
/** How many bytes to process between two checks of the time. */
const STEP = 1_024;

/**
 * Passes on the lines that a child writes to its stderr, as text with U+FFFD for bytes that are not UTF-8; long lines
 * are cut, with `…`. Lines that do not fit into a turn of the event loop wait for the next one, and nothing is read
 * until then, so that a child that writes without end waits for the gateway.
 * @param sender the sender whose share of time the lines use
 * @returns a function that returns a promise that resolves when the pending lines were passed on; undefined if there
 *   are none
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
    // If the last piece of a stream was read, its end event is emitted even while it is paused.
    if (waiting === undefined) passLast();
    else waiting = waiting.then(passLast);
  });
  stderr.on("error", () => {});
  return () => waiting;
}
