import { BytePieces, concatBytes } from "@touchstone/util";

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

export class SseTooLargeError extends Error {
  /** How many of its bytes had arrived when reading stopped. */
  readonly size: number;
  constructor(size: number, limit: number) {
    super(`an event of the stream is larger than the limit of ${limit} bytes`);
    this.name = "SseTooLargeError";
    this.size = size;
  }
}

/**
 * Splits a `text/event-stream` into events without decoding it (HTML Standard, 9.2.6: lines end with CR LF, LF or CR,
 * a blank line ends an event). If an event ends with CR LF and a piece ends between the two, the LF becomes the first
 * byte of the next event.
 */
export class SseSplitter {
  readonly #maxBytes: number;
  readonly #raw: BytePieces = new BytePieces();
  /** Bytes of the current line so far. */
  #lineSize = 0;
  #afterCarriageReturn = false;
  /** Whether the stream is still in its first line, which may begin with a byte order mark. */
  #inFirstLine = true;
  #inFirstEvent = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the next piece of the stream and returns the events that it completes.
   * @throws SseTooLargeError when an event grows beyond the limit.
   */
  push(chunk: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    const ends = new LineEnds(chunk);
    let eventStart = 0;
    let lineStart = this.#afterCarriageReturn && chunk[0] === LINE_FEED ? 1 : 0;
    for (let at = ends.from(lineStart); at < chunk.length; at = ends.from(lineStart)) {
      const blank = this.#isBlank(chunk.subarray(lineStart, at));
      const pair = chunk[at] === CARRIAGE_RETURN && chunk[at + 1] === LINE_FEED;
      lineStart = at + (pair ? 2 : 1);
      if (!blank) continue;
      events.push(this.#endEvent(chunk.subarray(eventStart, lineStart)));
      eventStart = lineStart;
    }
    if (chunk.length > 0) this.#afterCarriageReturn = chunk[chunk.length - 1] === CARRIAGE_RETURN;
    this.#lineSize += chunk.length - lineStart;
    if (eventStart < chunk.length) this.#keep(chunk.subarray(eventStart));
    return events;
  }

  /** The bytes after the last whole event, at the end of the stream. They are not an event. */
  rest(): Uint8Array {
    return concatBytes(this.#raw.parts);
  }

  #keep(piece: Uint8Array): void {
    this.#raw.push(piece);
    const { size } = this.#raw;
    if (size > this.#maxBytes) throw new SseTooLargeError(size, this.#maxBytes);
  }

  /** Returns whether the line that ends with this piece is blank. */
  #isBlank(piece: Uint8Array): boolean {
    const size = this.#lineSize + piece.length;
    const first = this.#inFirstLine;
    this.#lineSize = 0;
    this.#inFirstLine = false;
    if (!first || size !== BYTE_ORDER_MARK.length) return size === 0;
    return markEnd(concatBytes([...this.#raw.parts, piece])) === size;
  }

  #endEvent(piece: Uint8Array): SseEvent {
    this.#keep(piece);
    const raw = this.#raw.take();
    const start = this.#inFirstEvent ? markEnd(raw) : 0;
    this.#inFirstEvent = false;
    return readEvent(raw, start);
  }
}

/** Where a byte order mark ends; 0 if there is none. */
function markEnd(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? BYTE_ORDER_MARK.length : 0;
}

/** Returns an event without data: it advances the client's last event id and is not dispatched. */
export function sseIdEvent(id: string): Uint8Array {
  return Buffer.from(`id: ${id}\n\n`);
}

/** Returns an event with empty data, which gives a client an id for reconnecting (MCP 2025-11-25, Transports). */
export function ssePrimingEvent(id: string): Uint8Array {
  return Buffer.from(`id: ${id}\ndata:\n\n`);
}

/** Writes a frame as one event. A frame with line breaks gets one `data` line per line, as the format requires. */
export function sseEvent(frame: Uint8Array, id?: string): Uint8Array {
  return concatBytes(sseParts(frame, id));
}

/** Returns the parts of {@link sseEvent}: joining them takes long if the frame is large. */
export function sseParts(frame: Uint8Array, id?: string): readonly Uint8Array[] {
  const parts: Uint8Array[] = id === undefined ? [] : [Buffer.from(`id: ${id}\n`)];
  const ends = new LineEnds(frame);
  for (let start = 0; start < frame.length; ) {
    const end = ends.from(start);
    if (end > start) parts.push(DATA, frame.subarray(start, end), FEED);
    start = end + 1;
  }
  parts.push(FEED);
  return parts;
}

const DATA = new TextEncoder().encode("data: ");

/** One event of a `text/event-stream`, with its source bytes. */
export interface SseEvent {
  /** The event's bytes, with the blank line that ends it. */
  readonly raw: Uint8Array;
  /** The `data` field's value, lines joined by a line feed; absent if the event has none. */
  readonly data?: Uint8Array;
  /** The `event` field's value; `message` if it is absent. */
  readonly type: string;
  /** The `id` field's value. */
  readonly id?: string;
  /** The `retry` field's value, in milliseconds. */
  readonly retry?: number;
  /**
   * Whether a line is neither a field of the format nor a comment; or whether a line other than data contains a
   * brace, and so may hold a message.
   */
  readonly foreign?: true;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const NUL = 0x00;
const OPEN_OBJECT = 0x7b;
const FEED: Uint8Array = new Uint8Array([LINE_FEED]);
/** The length of the longest known field names (`event` and `retry`). */
const LONGEST_NAME = 5;
const UTF_8 = new TextDecoder();

/**
 * Finds the ends of lines in a piece. A buffer searches for a byte many times as fast as a loop. A byte that was
 * found ahead is not searched for again until it is reached, however often the other byte occurs.
 */
class LineEnds {
  readonly #bytes: Buffer;
  #feed = -1;
  #carriageReturn = -1;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, length);
  }

  /** Returns the first LF or CR at or after a place; the length if there is none. */
  from(start: number): number {
    if (this.#feed < start) this.#feed = this.#next(LINE_FEED, start);
    if (this.#carriageReturn < start) this.#carriageReturn = this.#next(CARRIAGE_RETURN, start);
    return Math.min(this.#feed, this.#carriageReturn);
  }

  #next(byte: number, start: number): number {
    const at = this.#bytes.indexOf(byte, start);
    return at < 0 ? this.#bytes.length : at;
  }
}

interface Fields {
  readonly data: Uint8Array[];
  type: string;
  id?: string;
  retry?: number;
  foreign?: true;
}

/**
 * Reads the fields of one event.
 * @param raw its bytes, with the blank line that ends it
 * @param start where its first line begins
 */
function readEvent(raw: Uint8Array, start: number): SseEvent {
  const fields: Fields = { data: [], type: "message" };
  const ends = new LineEnds(raw);
  for (let from = start; from < raw.length; ) {
    const end = ends.from(from);
    if (end > from) readField(raw.subarray(from, end), fields);
    from = end + 1;
  }
  const { data, type, id, retry, foreign } = fields;
  return {
    raw,
    type,
    ...(id === undefined ? {} : { id }),
    ...(retry === undefined ? {} : { retry }),
    ...(foreign === undefined ? {} : { foreign }),
    ...(data.length === 0 ? {} : { data: joinLines(data) }),
  };
}

function readField(line: Uint8Array, fields: Fields): void {
  const colon = line.indexOf(COLON);
  const nameEnd = colon < 0 ? line.length : colon;
  if (nameEnd > LONGEST_NAME) {
    fields.foreign = true;
    return;
  }
  const name = String.fromCharCode(...line.subarray(0, nameEnd));
  const start = colon < 0 ? line.length : line[colon + 1] === SPACE ? colon + 2 : colon + 1;
  const value = line.subarray(start);
  if (name !== "data" && line.includes(OPEN_OBJECT)) fields.foreign = true;
  if (name === "event") fields.type = UTF_8.decode(value) || "message";
  else if (name === "data") fields.data.push(value);
  else if (name === "id") {
    // Readers ignore an id with NUL (HTML Standard, 9.2.6), because no header can contain it.
    if (!value.includes(NUL)) fields.id = UTF_8.decode(value);
  } else if (name === "retry") {
    const digits = Buffer.from(value).toString("latin1");
    if (/^\d{1,9}$/.test(digits)) fields.retry = Number(digits);
  } else if (name !== "") fields.foreign = true;
}

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  if (lines.length === 1) return concatBytes(lines);
  return concatBytes(lines.flatMap((line, i) => (i === 0 ? [line] : [FEED, line])));
}
