import { concatBytes } from "../../concat-bytes.ts";
import { Pieces } from "../../pieces.ts";
import {
  CARRIAGE_RETURN,
  FEED,
  LINE_FEED,
  LineEnds,
  readEvent,
  type SseEvent,
} from "./sse-event.ts";

export type { SseEvent } from "./sse-event.ts";

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
  readonly #raw: Pieces = new Pieces();
  /** How much has come of the line that has not ended yet, in bytes. */
  #lineSize = 0;
  #afterCarriageReturn = false;
  /** Nothing but the stream's first line, which may begin with a byte order mark, has come. */
  #inFirstLine = true;
  #inFirstEvent = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the next piece of the stream and gives the events that it completes.
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

  /** The bytes after the last whole event, at the end of the stream. They are no event. */
  rest(): Uint8Array {
    return concatBytes(this.#raw.parts);
  }

  #keep(piece: Uint8Array): void {
    this.#raw.push(piece);
    const { size } = this.#raw;
    if (size > this.#maxBytes) throw new SseTooLargeError(size, this.#maxBytes);
  }

  /** Whether the line is blank that ends with this piece of it. */
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

/** Where a byte order mark ends; 0 where there is none. */
function markEnd(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? BYTE_ORDER_MARK.length : 0;
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
  const ends = new LineEnds(frame);
  for (let start = 0; start < frame.length; ) {
    const end = ends.from(start);
    if (end > start) parts.push(DATA, frame.subarray(start, end), FEED);
    start = end + 1;
  }
  parts.push(FEED);
  return concatBytes(parts);
}

const DATA = new TextEncoder().encode("data: ");
