import type { Readable } from "node:stream";
import type { ChildWatch } from "../../upstream-status.ts";
import type { LinkEvents } from "../link.ts";
import { type Line, LineSplitter } from "./lines.ts";

const MAX_STDERR_LINE = 16_384;

interface FrameReading {
  /** Longest line that is taken as a frame. */
  readonly maxBytes: number;
  readonly events: LinkEvents;
  readonly watch?: ChildWatch | undefined;
}

/** Hands over the lines that a child writes to its stdout. */
export function readFrames(stdout: Readable, { maxBytes, events, watch }: FrameReading): void {
  readLines(stdout, maxBytes, (line) => {
    watch?.spoke();
    if (line.kind === "oversize") events.oversize(line);
    else if (events.line) events.line(line.bytes);
    else events.frame(line.bytes);
  });
}

/** Hands over what a child writes to its stderr, as text, line by line; a very long line is cut. */
export function readStderr(stderr: Readable, take: (line: string) => void): void {
  const decoder = new TextDecoder();
  readLines(stderr, MAX_STDERR_LINE, (line) => {
    const text = decoder.decode(line.kind === "line" ? line.bytes : line.head).trimEnd();
    take(line.kind === "line" ? text : `${text.slice(0, MAX_STDERR_LINE)}…`);
  });
}

function readLines(stream: Readable, maxBytes: number, take: (line: Line) => void): void {
  const splitter = new LineSplitter(maxBytes);
  stream.on("data", (chunk: Buffer) => {
    for (const line of splitter.push(chunk)) take(line);
  });
  stream.on("end", () => {
    const rest = splitter.flush();
    if (rest) take(rest);
  });
  // How a child ends is told by the child.
  stream.on("error", () => {});
}
