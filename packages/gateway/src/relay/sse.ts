import { concatBytes } from "../concat-bytes.ts";

/** One event of a `text/event-stream`, with the bytes that it came in. */
export interface SseEvent {
  /** The event's bytes, with the blank line that ends it. */
  readonly raw: Uint8Array;
  /** The `data` field's value, lines joined by a line feed; absent where the event has none. */
  readonly data?: Uint8Array;
  /** The `event` field's value; `message` where it is absent. */
  readonly type: string;
  /** The `id` field's value. */
  readonly id?: string;
  /** The `retry` field's value, in milliseconds. */
  readonly retry?: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const FEED = new Uint8Array([LINE_FEED]);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

export class SseTooLargeError extends Error {
  /** How much of it had come when it was given up, in bytes. */
  readonly size: number;
  constructor(size: number, limit: number) {
    super(`an event of the stream is larger than the limit of ${limit} bytes`);
    this.name = "SseTooLargeError";
    this.size = size;
  }
}

/**
 * Splits a `text/event-stream` into events without decoding it (HTML Standard, 9.2.6: lines end
 * with CR LF, LF or CR, a blank line ends an event). Where an event ends with CR LF and the pieces
 * are cut between the two, the LF comes at the head of the next event's bytes.
 */
export class SseSplitter {
  readonly #maxBytes: number;
  #raw: Uint8Array[] = [];
  #rawSize = 0;
  #line: Uint8Array[] = [];
  #fields: EventFields = { data: [], type: "message" };
  #afterCarriageReturn = false;
  #firstLine = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the next piece of the stream and gives the events that it completes.
   * @throws SseTooLargeError when an event grows beyond the limit.
   */
  push(chunk: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    let eventStart = 0;
    let lineStart = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      const secondOfPair = this.#afterCarriageReturn && byte === LINE_FEED;
      this.#afterCarriageReturn = byte === CARRIAGE_RETURN;
      if (secondOfPair) lineStart = at + 1;
      if (secondOfPair || (byte !== LINE_FEED && byte !== CARRIAGE_RETURN)) continue;
      this.#line.push(chunk.subarray(lineStart, at));
      lineStart = at + 1;
      if (!this.#endLine()) continue;
      let end = at + 1;
      if (byte === CARRIAGE_RETURN && chunk[end] === LINE_FEED) end += 1;
      events.push(this.#endEvent(chunk.subarray(eventStart, end)));
      eventStart = end;
    }
    if (lineStart < chunk.length) this.#line.push(chunk.subarray(lineStart));
    if (eventStart < chunk.length) this.#keep(chunk.subarray(eventStart));
    return events;
  }

  /** The bytes after the last whole event, at the end of the stream. They are no event. */
  rest(): Uint8Array {
    return concatBytes(this.#raw);
  }

  #keep(piece: Uint8Array): void {
    this.#raw.push(piece);
    this.#rawSize += piece.length;
    if (this.#rawSize > this.#maxBytes) throw new SseTooLargeError(this.#rawSize, this.#maxBytes);
  }

  /** Reads the line that has just ended. True when it was blank. */
  #endLine(): boolean {
    let line = concatBytes(this.#line);
    this.#line = [];
    if (this.#firstLine) line = withoutByteOrderMark(line);
    this.#firstLine = false;
    if (line.length === 0) return true;
    readField(line, this.#fields);
    return false;
  }

  #endEvent(piece: Uint8Array): SseEvent {
    this.#keep(piece);
    const { data, type, id, retry } = this.#fields;
    const raw = concatBytes(this.#raw);
    this.#raw = [];
    this.#rawSize = 0;
    this.#fields = { data: [], type: "message" };
    return {
      raw,
      type,
      ...(id === undefined ? {} : { id }),
      ...(retry === undefined ? {} : { retry }),
      ...(data.length === 0 ? {} : { data: joinLines(data) }),
    };
  }
}

interface EventFields {
  readonly data: Uint8Array[];
  type: string;
  id?: string;
  retry?: number;
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(3) : bytes;
}

function readField(line: Uint8Array, fields: EventFields): void {
  const colon = line.indexOf(COLON);
  const name = Buffer.from(colon < 0 ? line : line.subarray(0, colon)).toString("latin1");
  const start = colon < 0 ? line.length : line[colon + 1] === SPACE ? colon + 2 : colon + 1;
  const value = line.subarray(start);
  if (name === "event") fields.type = new TextDecoder().decode(value) || "message";
  else if (name === "id") fields.id = new TextDecoder().decode(value);
  else if (name === "data") fields.data.push(value);
  else if (name === "retry") {
    const digits = Buffer.from(value).toString("latin1");
    if (/^\d{1,9}$/.test(digits)) fields.retry = Number(digits);
  }
}

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  return concatBytes(lines.flatMap((line, i) => (i === 0 ? [line] : [FEED, line])));
}

function* splitLines(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
    if (at > start) yield bytes.subarray(start, at);
    start = at + 1;
  }
}

/** An event without data: it moves the client's last event id on and is not dispatched. */
export function sseMark(id: string): Uint8Array {
  return Buffer.from(`id: ${id}\n\n`);
}

/** An event with empty data, which tells a client an id to come back with (MCP 2025-11-25, Transports). */
export function ssePriming(id: string): Uint8Array {
  return Buffer.from(`id: ${id}\ndata:\n\n`);
}

/**
 * Writes a frame as one event. A frame that holds line breaks takes one `data` line for each of
 * its lines, as the format asks.
 */
export function sseEvent(frame: Uint8Array, id?: string): Uint8Array {
  const parts: Uint8Array[] = id === undefined ? [] : [Buffer.from(`id: ${id}\n`)];
  for (const line of splitLines(concatBytes([frame, FEED]))) {
    parts.push(DATA, line, FEED);
  }
  return concatBytes([...parts, FEED]);
}

const DATA = new TextEncoder().encode("data: ");
