import { concatBytes } from "@touchstone/gateway/transport";
import { batchItems, type Frame, readFrame } from "@touchstone/protocol";

/** What the lines of a server's stdout turn out to be. */
export interface SpokenEvents {
  /** A message, on a line of its own or taken out of an odd one. */
  message(frame: Frame): void;
  /** Text that is not a message. It may be an attempt at one. */
  unreadable(frame: Frame): void;
  /** A message that could be read although the transport does not allow how it was written. */
  odd(what: string): void;
}

/** Longest text that is put together from several lines, in bytes. */
const MAX_JOINED = 4 * 1024 * 1024;
/** How long the rest of a message is awaited that goes on after its line, in milliseconds. */
const HELD_MS = 1_000;
const FEED = new Uint8Array([0x0a]);
/** Before each text on a line that may be a message by its beginning. */
const BEGINNING = /(?=\{\s*"jsonrpc"\s*:)/;

/**
 * Reads the lines that a stdio server writes. MCP has one message a line and nothing else (MCP 2025-11-25,
 * Transports, stdio); this also reads a message that was written on several lines, several messages on one
 * line, and one after other text, so that a command can report what the server did and go on.
 */
export class StdoutLines {
  readonly #events: SpokenEvents;
  #held: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(events: SpokenEvents) {
    this.#events = events;
  }

  /** Takes the next line. */
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

  /** Reports what is left after the last line. */
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

  /** JSON alone is not a message: `true`, say, which a program prints. */
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
    // Only a bracket that is not indented can end it: to try every line would take quadratic time.
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

  /** Finds the messages on a line that holds more than one, or other text before one. */
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

/** Returns whether a text begins like a message and ends before its time. */
function isUnfinished({ bytes, scan: { error } }: Frame): boolean {
  if (error === undefined || error.offset < bytes.length) return false;
  const first = bytes.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
}
