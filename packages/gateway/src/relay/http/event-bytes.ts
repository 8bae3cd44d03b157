import { type Frame, routingTwin } from "@touchstone/protocol/advanced";
import { visible } from "@touchstone/util";
import { isStrayOutput } from "../../pipeline/broken.ts";
import { type SseEvent, sseEvent, sseIdEvent } from "../../transport/http/sse.ts";

/**
 * Returns the same event if its message passed and nothing else in it could be read as a message; else one with the
 * same id that replaces it.
 */
export function eventBytes(
  event: SseEvent,
  frame: Frame,
  onward: Uint8Array | undefined,
): Uint8Array {
  if (onward === frame.bytes && isPlain(event)) return event.raw;
  return onward === undefined ? resumptionMark(event) : sseEvent(onward, plainId(event));
}

/**
 * Returns whether simpler readers of streams would find more in an event than its `data`: readers that end lines
 * elsewhere, or that are lax about names of fields.
 */
function isPlain({ raw, data, foreign }: SseEvent): boolean {
  return foreign !== true && !hasOddLineBreaks(raw, data);
}

/**
 * Returns the rest of an event that is not a message, by its type or because it has no data: all of it, if nothing in
 * it could be read as a message. Some readers ignore types (the official Go SDK did).
 * @param read the data as a frame
 */
export function remainingEventBytes(
  event: SseEvent,
  read: (data: Uint8Array) => Frame,
): Uint8Array {
  const { data, foreign, raw } = event;
  const frame = data === undefined || data.length === 0 ? undefined : read(data);
  const mayBeMessage = frame && (!isStrayOutput(frame) || routingTwin(frame) !== undefined);
  return mayBeMessage || foreign === true || hasOddLineBreaks(raw) ? resumptionMark(event) : raw;
}

/** Returns the rest of an event whose message is blocked. */
export function resumptionMark(event: SseEvent): Uint8Array {
  const id = plainId(event);
  return id === undefined ? new Uint8Array(0) : sseIdEvent(id);
}

function plainId({ id }: SseEvent): string | undefined {
  if (id === undefined || id.includes("{")) return undefined;
  return hasOddLineBreaks(Buffer.from(id)) ? undefined : id;
}

const TYPE_CHARACTERS = 64;
const SPACE = 0x20;

/** Returns whether a text may be a message. */
export function mayBeMessage({ buffer, byteOffset, length }: Uint8Array): boolean {
  return Buffer.from(buffer, byteOffset, length).includes('"jsonrpc"');
}

/** Logs that an event was left out because its data is not a message, and why. */
export function skippedEventText({ type, data }: SseEvent): string {
  const named = visible(type, TYPE_CHARACTERS);
  return `an event of the type "${named}" with ${data?.length ?? 0} bytes of data is dropped: messages come in events of the type "message"`;
}

/** Logs the same about bytes after the last whole event of a stream; undefined if there are none. */
export function skippedRestText(rest: Uint8Array): string | undefined {
  if (rest.every((byte) => byte <= SPACE)) return undefined;
  return `the last ${rest.length} bytes of a stream are dropped: no blank line ends them, so they are not an event`;
}

/** The event has more than one `data` line around its value. */
const MORE_THAN_DATA = 10;
/** Enough of a message to find it; searching for a longer needle is slower. */
const BEGINNING = 8;
/** The first byte of a byte order mark. */
const MARK = 0xef;
/** VT, FF, FS, GS and RS. */
const CONTROLS: ReadonlySet<number> = new Set([0x0b, 0x0c, 0x1c, 0x1d, 0x1e]);

/**
 * Returns how many characters in a text end a line for many readers, such as Python's `str.splitlines`, but not in an
 * event stream: VT, FF, FS, GS, RS, NEL (C2 85), LS and PS (E2 80 A8 and A9). A byte order mark (EF BB BF) counts
 * too: a reader that decodes a stream piece by piece may lose it at the start of a line.
 */
function count(bytes: Uint8Array): number {
  let found = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (CONTROLS.has(byte)) found += 1;
    else if (byte === 0xc2) found += bytes[at + 1] === 0x85 ? 1 : 0;
    else if (byte === MARK) found += bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 1 : 0;
    else if (byte === 0xe2 && bytes[at + 1] === 0x80) {
      found += bytes[at + 2] === 0xa8 || bytes[at + 2] === 0xa9 ? 1 : 0;
    }
  }
  return found;
}

/**
 * Returns whether an event has such a character outside the checked text. A client that ends lines there (httpx-sse
 * before 0.4.2) would read more lines and events than the gateway did. A JSON text may contain one: what follows it
 * inside a string has escaped quotes, so it is not a message.
 * @param judged the value of the event's `data`, if it is a JSON text that passed
 */
export function hasOddLineBreaks(raw: Uint8Array, judged?: Uint8Array): boolean {
  if (judged === undefined) return count(raw) > 0;
  if (raw.length - judged.length <= MORE_THAN_DATA && raw[0] !== MARK) return false;
  // Usually the whole text is there, with little around it.
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const start = text.indexOf(judged.subarray(0, BEGINNING));
  const end = start + judged.length;
  const stands =
    start >= 0 && end <= raw.length && text.compare(judged, 0, undefined, start, end) === 0;
  if (!stands) return count(raw) > count(judged);
  return count(raw.subarray(0, start)) > 0 || count(raw.subarray(end)) > 0;
}
