import { hasByteOrderMark, type JsonRange, jsonText, runSteps } from "@touchstone/core/advanced";
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT, SPACE } from "./bytes.ts";
import type { Frame } from "./frame.ts";
import { idKey, isLongerThan } from "./id.ts";
import { isInRootSteps } from "./nesting.ts";
import type { OutlineReader } from "./outline.ts";
import { readFrame, readFrameSteps } from "./read.ts";
import { trailingId } from "./trailing-id.ts";

const MARK_BYTES = 3;

/** The parts that are kept of a message that was too large to read. */
export interface CutMessage {
  /** Its first bytes. */
  readonly head: Uint8Array;
  /** Its last bytes; empty if the message never arrived completely. They may overlap the head. */
  readonly tail: Uint8Array;
  /** The size of the whole message in bytes. */
  readonly size: number;
  /** The result of {@link OutlineReader}, if it read the whole message. */
  readonly outline?: Uint8Array | undefined;
}

/** The id of a message that cannot be read completely. */
export interface ReadableId {
  /** Its source text. */
  readonly text: string;
  /** The same key as {@link idKey} returns. */
  readonly key: string;
  /** Its position in the bytes of the frame, of the head or of the tail. */
  readonly range: JsonRange;
}

/**
 * Returns the id of a frame, if it is certainly complete and certainly the message's own. In a frame that is not JSON,
 * searches for it before the fault, and then at the message's end, as long as quotes and brackets match there.
 * Undefined if there is no id, or if it might belong to something else.
 */
export function readableId(frame: Frame): ReadableId | undefined {
  return runSteps(readableIdSteps(frame));
}

/** Runs {@link readableId} in steps. The id is then known: the next call for the same bytes reads nothing. */
export function* readableIdSteps(frame: Frame): Generator<void, ReadableId | undefined, void> {
  const { bytes, scan, ranges } = frame;
  if (scan.error === undefined || scan.error.code === "size") {
    return ranges.id && legible(frame, ranges.id);
  }
  if (ranges.id !== undefined) return wholeId(frame);
  if (!hasByteOrderMark(bytes)) {
    const range = yield* lastId(bytes);
    return range && legible(frame, range);
  }
  const kept = marked.get(bytes);
  const id = kept === undefined ? yield* behindMark(bytes) : (kept ?? undefined);
  if (bytes.length >= KEPT_BYTES) marked.set(bytes, id ?? null);
  return id;
}

/** From this size on, the result is cached: transport, pipeline and records ask for the same message. */
const KEPT_BYTES = 65_536;
const lastIds = new WeakMap<Uint8Array, JsonRange | null>();
/** The ids of texts with a byte order mark. */
const marked = new WeakMap<Uint8Array, ReadableId | null>();

/** Returns the position of the id at the end of a text that is not JSON. */
function* lastId(bytes: Uint8Array): Generator<void, JsonRange | undefined, void> {
  const kept = lastIds.get(bytes);
  if (kept !== undefined) return kept ?? undefined;
  const range = trailingId(bytes);
  const found = range && (yield* isInRootSteps(bytes, range)) ? range : undefined;
  if (bytes.length >= KEPT_BYTES) lastIds.set(bytes, found ?? null);
  return found;
}

function* behindMark(text: Uint8Array): Generator<void, ReadableId | undefined, void> {
  const bytes = text.subarray(MARK_BYTES);
  if (hasByteOrderMark(bytes)) return undefined;
  const frame = yield* readFrameSteps(bytes);
  const id = yield* readableIdSteps(frame);
  if (id === undefined) return undefined;
  const { start, end } = id.range;
  return { ...id, range: { start: start + MARK_BYTES, end: end + MARK_BYTES } };
}

/**
 * Reads the ends of a message that was too large. Returns a view of its head, which is cut off somewhere and shows
 * only the members before the cut, and the id, from the head or the tail.
 */
export function readCutMessage({ head, tail }: CutMessage): {
  readonly frame: Frame;
  readonly id: (ReadableId & { readonly in: "head" | "tail" }) | undefined;
} {
  const frame = readFrame(head);
  if (frame.ranges.id !== undefined) {
    const id = wholeId(frame);
    return { frame, id: id && { ...id, in: "head" } };
  }
  const range = opensObject(head) ? trailingId(tail) : undefined;
  if (range === undefined) return { frame, id: undefined };
  const id = legible(readFrame(tail), range);
  return { frame, id: id && { ...id, in: "tail" } };
}

function opensObject(head: Uint8Array): boolean {
  const first = head.find((byte) => byte > SPACE);
  return first === OPEN_OBJECT;
}

const SHOWN_BYTES = 200;
const ENVELOPE = ["/jsonrpc", "/id", "/method", "/result", "/error"];

/**
 * Returns whether a frame that is not a message (kind `invalid`) was meant as one, and is not other output that a
 * server printed between its messages.
 */
export function looksLikeMessage(frame: Frame): boolean {
  const { bytes, scan } = frame;
  if (ENVELOPE.some((pointer) => scan.members.has(pointer))) return true;
  if (scan.error === undefined) return false;
  if (readableId(frame) !== undefined) return true;
  const text = jsonText(bytes, { start: 0, end: Math.min(bytes.length, SHOWN_BYTES) });
  return /^\s*[{[]/.test(text) && text.includes('"jsonrpc"');
}

/**
 * Returns the id if it is complete. A number at the very end may lack digits; one before other characters, as in
 * `01`, is not a number.
 */
function wholeId(frame: Frame): ReadableId | undefined {
  const { id } = frame.ranges;
  const next = id && frame.bytes[id.end];
  const ends = next === COMMA || next === CLOSE_OBJECT || (next !== undefined && next <= SPACE);
  return id !== undefined && ends ? legible(frame, id) : undefined;
}

function legible(frame: Frame, range: JsonRange): ReadableId | undefined {
  if (isLongerThan(range)) return undefined;
  const text = frame.text(range);
  return { text, key: idKey(text), range };
}
