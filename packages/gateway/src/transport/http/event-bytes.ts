import { type Frame, routingTwin } from "@touchstone/protocol";
import { visible } from "../../log.ts";
import { isNoise } from "../../pipeline/broken.ts";
import { hasOddBreaks } from "./odd-breaks.ts";
import { type SseEvent, sseEvent, sseMark } from "./sse.ts";

/**
 * The event as it came wherever its message passed and nothing else in it could be read as one; else one
 * with the same id in its place.
 */
export function eventBytes(
  event: SseEvent,
  frame: Frame,
  onward: Uint8Array | undefined,
): Uint8Array {
  if (onward === frame.bytes && isPlain(event)) return event.raw;
  return onward === undefined ? markOf(event) : sseEvent(onward, plainId(event));
}

/**
 * Whether simpler readers of streams find no more in an event than is in its `data`: those that end lines
 * elsewhere, or that are not strict about the names of fields.
 */
function isPlain({ raw, data, foreign }: SseEvent): boolean {
  return foreign !== true && !hasOddBreaks(raw, data);
}

/**
 * What goes on of an event that is no message, by its type or for want of data: all of it, where nothing in it
 * could be read as one. Some readers look at no type (the official SDK for Go did so).
 * @param read the data as a frame
 */
export function otherBytes(event: SseEvent, read: (data: Uint8Array) => Frame): Uint8Array {
  const { data, foreign, raw } = event;
  const frame = data === undefined || data.length === 0 ? undefined : read(data);
  const speaks = frame && (!isNoise(frame) || routingTwin(frame) !== undefined);
  return speaks || foreign === true || hasOddBreaks(raw) ? markOf(event) : raw;
}

/** What is left of an event whose message does not go on. */
export function markOf(event: SseEvent): Uint8Array {
  const id = plainId(event);
  return id === undefined ? new Uint8Array(0) : sseMark(id);
}

function plainId({ id }: SseEvent): string | undefined {
  if (id === undefined || id.includes("{")) return undefined;
  return hasOddBreaks(Buffer.from(id)) ? undefined : id;
}

const TYPE_CHARACTERS = 64;
const SPACE = 0x20;

/** Whether a text may be a message. */
export function speaks({ buffer, byteOffset, length }: Uint8Array): boolean {
  return Buffer.from(buffer, byteOffset, length).includes('"jsonrpc"');
}

/** Says of an event whose data is no message that it is left out, and why. */
export function leftOutEvent({ type, data }: SseEvent): string {
  const named = visible(type, TYPE_CHARACTERS);
  return `an event of the type "${named}" with ${data?.length ?? 0} bytes of data is left out: messages come in events of the type "message"`;
}

/** The same of what follows the last whole event of a stream; undefined if there is nothing. */
export function leftOutRest(rest: Uint8Array): string | undefined {
  if (rest.every((byte) => byte <= SPACE)) return undefined;
  return `the last ${rest.length} bytes of a stream are left out: no blank line ends them, so that they are no event`;
}
