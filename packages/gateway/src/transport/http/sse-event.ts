import { concatBytes } from "../../concat-bytes.ts";

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
  /**
   * It has a line that is no field of the format, and no comment; or a brace, and so maybe a message, in a line
   * that is not its data.
   */
  readonly foreign?: true;
}

export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const NUL = 0x00;
const OPEN_OBJECT = 0x7b;
export const FEED: Uint8Array = new Uint8Array([LINE_FEED]);
/** Of the names of fields that are known, `event` and `retry`. */
const LONGEST_NAME = 5;
const UTF_8 = new TextDecoder();

/**
 * Where the lines of a piece end. A buffer searches for a byte many times as fast as a loop looks at each.
 * Neither of the two is looked for again before it is reached, however many of the other come.
 */
export class LineEnds {
  readonly #bytes: Buffer;
  #feed = -1;
  #carriageReturn = -1;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, length);
  }

  /** The first LF or CR at a place or behind it; the length where there is none. */
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
export function readEvent(raw: Uint8Array, start: number): SseEvent {
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
    // Readers leave one out that holds it (HTML Standard, 9.2.6): no header could.
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
