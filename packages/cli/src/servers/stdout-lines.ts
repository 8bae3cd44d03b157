import { concatBytes } from "@touchstone/gateway/transport";
import { batchItems, type Frame, readFrame } from "@touchstone/protocol/advanced";

/** Called with the results of reading the lines of a server's stdout. */
export interface StdoutEvents {
  /** A message, on a separate line or extracted from an unusual one. */
  message(frame: Frame): void;
  /** Text that is not a message. It may be a broken message. */
  unreadable(frame: Frame): void;
  /** A message that could be read although its form is not allowed by the transport. */
  odd(what: string): void;
}

/** Longest text to assemble from several lines, in bytes. */
const MAX_JOINED = 4 * 1024 * 1024;
/** How long to wait for the rest of a message that continues after its line, in milliseconds. */
const HELD_MS = 1_000;
const FEED = new Uint8Array([0x0a]);
/** Matches the position before each text on a line that looks like the start of a message. */
const BEGINNING = /(?=\{\s*"jsonrpc"\s*:)/;

/**
 * Reads the lines that a stdio server writes. MCP allows one message per line and nothing else (MCP 2025-11-25,
 * Transports, stdio). This also reads a message on several lines, several messages on one line, and a message after
 * other text, so that a command can report the fault and continue.
 */
export class StdoutLines {
  readonly #events: StdoutEvents;
  #held: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(events: StdoutEvents) {
    this.#events = events;
  }

  /** Processes the next line. */
  take(line: Uint8Array): void {
    const frame = readFrame(line);
    const held = this.#held;
    this.#drop();
    if (held !== undefined && frame.kind === "invalid") this.#join(held, line);
    else {
      if (held !== undefined) this.#events.unreadable(readFrame(held));
      this.#read(frame);
    }
  }

  /** Reports what remains after the last line. */
  flush(): void {
    const held = this.#held;
    this.#drop();
    if (held !== undefined) this.#events.unreadable(readFrame(held));
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#held = undefined;
  }

  #read(frame: Frame): void {
    if (frame.scan.error === undefined) this.#give(frame);
    else if (isUnfinished(frame)) this.#hold(frame.bytes);
    else if (!this.#split(frame)) this.#events.unreadable(frame);
  }

  /** Not every JSON text is a message: a program may print `true`, for example. */
  #give(frame: Frame): void {
    if (frame.kind === "batch") {
      for (const { start, end } of batchItems(frame)) {
        this.#give(readFrame(frame.bytes.subarray(start, end)));
      }
    } else if (frame.kind === "invalid" && frame.id === undefined) this.#events.unreadable(frame);
    else this.#events.message(frame);
  }

  #hold(bytes: Uint8Array): void {
    this.#held = bytes;
    this.#timer = setTimeout(() => this.flush(), HELD_MS);
    this.#timer.unref();
  }

  #join(held: Uint8Array, line: Uint8Array): void {
    const joined = concatBytes([held, FEED, line]);
    // Only an unindented bracket can end it: trying to parse after every line would take quadratic time.
    const mayEnd = /^[}\]]/.test(Buffer.from(line.subarray(0, 64)).toString());
    const frame = mayEnd ? readFrame(joined) : undefined;
    if (frame !== undefined && frame.kind !== "invalid") {
      this.#events.odd("wrote a message on several lines");
      this.#give(frame);
    } else if (joined.length > MAX_JOINED || (frame && !isUnfinished(frame))) {
      this.#events.unreadable(readFrame(held));
      this.#read(readFrame(line));
    } else this.#hold(joined);
  }

  /** Finds the messages on a line that holds several, or that has other text before one. */
  #split({ bytes }: Frame): boolean {
    const parts = Buffer.from(bytes).toString().split(BEGINNING);
    if (parts.length < 2) return false;
    const frames = parts.map((part) => readFrame(Buffer.from(part)));
    const messages = frames.filter(({ kind, scan }) => kind !== "invalid" && !scan.error);
    if (messages.length === 0) return false;
    this.#events.odd(
      messages.length > 1
        ? "wrote several messages on one line"
        : "wrote other text on the line of a message",
    );
    for (const frame of messages) this.#events.message(frame);
    return true;
  }
}

/** Returns whether a text begins like a message but is incomplete. */
function isUnfinished({ bytes, scan: { error } }: Frame): boolean {
  if (error === undefined || error.offset < bytes.length) return false;
  const first = bytes.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
}
