import type { JsonRange } from "@touchstone/core/advanced";
import {
  type Frame,
  OpenBrackets,
  readableIdSteps,
  readFrameSteps,
  skipBlankSteps,
  valueEndSteps,
} from "@touchstone/protocol/advanced";
import { concatSteps } from "@touchstone/util";

/** A part of a line that is not one JSON text. */
export interface LinePart {
  /**
   * - `message`: a whole JSON-RPC message, or a batch of them
   * - `lost`: the rest of a broken message, or a message inside one; only its id counts
   * - `text`: anything else
   */
  readonly kind: "message" | "lost" | "text";
  readonly bytes: Uint8Array;
}

const SPACE = 0x20;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
/** More parts of one line are not distinguished. */
const MAX_PARTS = 1_000;
/**
 * How many bytes may be read more than once: after brackets that do not match, the search restarts at the next one.
 */
const SPARE_BYTES: number = 1024 * 1024;
/** How much of each end of a text to search for ids. */
const SEARCHED_BYTES = 65_536;
const NONE: readonly LinePart[] = [];
const VERSION_KEY = '"jsonrpc"';
/** Requests that only servers send, so a line with one cannot be a log of a client's request. */
const ASKED_OF_CLIENTS: ReadonlySet<string> = new Set([
  "elicitation/create",
  "roots/list",
  "sampling/createMessage",
]);
/** Matches the beginning of a message. */
const BEGINNING = /^\{\s*"(?:jsonrpc|id|result|error)"\s*:/;
const BEGINNING_BYTES = 64;
/** Matches an id next to another member of a response. */
const LOOSE_ID =
  /("jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d+(?=[\s,}])|"(?:[^"\\]|\\.){0,256}")(?!\s*,\s*"method")(\s*,\s*"(?:jsonrpc|result|error)"\s*:)?/g;

/**
 * Splits a line that is not one JSON text (MCP, Transports, stdio: each message is on its own line). Two threads that
 * write at once put two messages on one line, or one into the other; other output of a program may be before, after
 * or inside a message. A whole message among other text counts only if it is a response, or a request that only
 * servers send: anything else may be the log line of a client message. Takes linear time in the size of the line, in
 * steps of a few milliseconds each.
 * @param line bytes for which `readFrame` reports an error
 * @returns the parts in order, except that those inside a message come before it; none if the line is one broken
 *   message, or only text
 */
export function* splitLineSteps(line: Uint8Array): Generator<void, readonly LinePart[], void> {
  const messages = yield* onlyMessages(line);
  if (messages !== undefined) return messages;
  const start = yield* skipBlankSteps(line, 0);
  // A broken batch, and an object without members of a message, are treated as a whole.
  const isOpen = yield* opens(line, start);
  if (isOpen && (line[start] === OPEN_ARRAY || !mentionsVersion(line))) return NONE;
  const parts = yield* new Splitter(line).parts();
  const [first] = parts;
  return parts.length === 1 && first?.bytes.length === line.length - start ? NONE : parts;
}

/** Returns the messages of a line that contains nothing else. */
function* onlyMessages(line: Uint8Array): Generator<void, LinePart[] | undefined, void> {
  const found: LinePart[] = [];
  const brackets = new OpenBrackets();
  for (let at = yield* skipBlankSteps(line, 0); at < line.length; ) {
    const isOpen = yield* opens(line, at);
    const end = isOpen ? yield* valueEndSteps(line, at, brackets) : undefined;
    if (end === undefined || found.length === MAX_PARTS) return undefined;
    const bytes = line.subarray(at, end);
    const { kind, scan } = yield* readFrameSteps(bytes);
    if (scan.error !== undefined || kind === "invalid") return undefined;
    found.push({ kind: "message", bytes });
    at = yield* skipBlankSteps(line, end);
    yield;
  }
  return found;
}

class Splitter {
  readonly #line: Uint8Array;
  readonly #text: Buffer;
  readonly #brackets = new OpenBrackets();
  readonly #parts: LinePart[] = [];
  /** The pieces so far of the current broken message. */
  #broken: JsonRange[] | undefined;
  /** Where the unreported part begins. */
  #from = 0;
  /** The next place with the key of the version, from {@link #searched} on; -1 if there is none. */
  #version = -1;
  #searched = -1;
  #work: number;

  constructor(line: Uint8Array) {
    this.#line = line;
    this.#text = bufferOf(line);
    this.#work = line.length + SPARE_BYTES;
  }

  *parts(): Generator<void, readonly LinePart[], void> {
    let at = 0;
    while (this.#work > 0 && this.#parts.length < MAX_PARTS) {
      // Without a version key, nothing that follows counts as a message.
      if (!this.#mentionsVersionFrom(at)) break;
      const start = yield* this.#nextOpening(at);
      if (start < 0) break;
      const end = yield* valueEndSteps(this.#line, start, this.#brackets);
      this.#work -= (end ?? this.#line.length) - start;
      at = (yield* this.#take(start, end)) ?? start + 1;
      yield;
    }
    yield* this.#endBroken(this.#line.length);
    yield* this.#tell(this.#line.length);
    return this.#parts;
  }

  #mentionsVersionFrom(at: number): boolean {
    if (this.#searched < 0 || (this.#version >= 0 && this.#version < at)) {
      this.#version = this.#text.indexOf(VERSION_KEY, at);
      this.#searched = at;
    }
    return this.#version >= 0;
  }

  /** Reads the value that begins here. Returns where to continue; undefined if that is inside the value. */
  *#take(start: number, end: number | undefined): Generator<void, number | undefined, void> {
    const frame =
      end === undefined ? undefined : yield* readFrameSteps(this.#line.subarray(start, end));
    if (end !== undefined && frame !== undefined && frame.scan.error === undefined) {
      if (isTaken(frame)) yield* this.#message(start, end, frame.bytes);
      return end;
    }
    if (this.#begins(start)) {
      yield* this.#endBroken(start);
      yield* this.#tell(start);
      this.#broken = [];
      this.#from = start;
    }
    return undefined;
  }

  *#message(start: number, end: number, bytes: Uint8Array): Generator<void, void, void> {
    if (this.#broken) {
      this.#broken.push({ start: this.#from, end: start });
      this.#parts.push({ kind: "lost", bytes });
    } else {
      yield* this.#tell(start);
      this.#parts.push({ kind: "message", bytes });
    }
    this.#from = end;
  }

  /**
   * Returns whether an unfinished message begins here. Inside of another one, its first member must be `jsonrpc`.
   */
  #begins(start: number): boolean {
    const first = BEGINNING.exec(this.#text.toString("latin1", start, start + BEGINNING_BYTES));
    return first !== null && (this.#broken === undefined || first[0].includes(VERSION_KEY));
  }

  /** Returns the rest of a broken message without the messages inside it. */
  *#endBroken(end: number): Generator<void, void, void> {
    const pieces = this.#broken;
    if (pieces === undefined) return;
    pieces.push({ start: this.#from, end });
    this.#broken = undefined;
    this.#from = end;
    const left = pieces.map((piece) => this.#line.subarray(piece.start, piece.end));
    const [whole] = left.length === 1 ? left : [];
    const bytes = whole ?? (yield* concatSteps(left));
    if (!mentionsVersion(bytes)) return;
    const frame = yield* readFrameSteps(bytes);
    const asks = frame.range("/method") !== undefined;
    const isNamed = asks || (yield* readableIdSteps(frame)) !== undefined;
    const ids = isNamed ? [] : looseIds(bytes);
    if (ids.length === 0) this.#parts.push({ kind: "lost", bytes });
    else this.#parts.push(...ids.map(lostWithId));
  }

  /** Reports the text up to this position, and the ids in it. */
  *#tell(end: number): Generator<void, void, void> {
    const start = yield* skipBlankSteps(this.#line, this.#from);
    this.#from = end;
    if (start >= end) return;
    const bytes = this.#line.subarray(start, end);
    this.#parts.push({ kind: "text", bytes }, ...looseIds(bytes).map(lostWithId));
  }

  /** Returns the next place where an object begins, or an array that begins with one. */
  *#nextOpening(from: number): Generator<void, number, void> {
    const object = this.#text.indexOf(OPEN_OBJECT, from);
    const before = yield* skipBlankBackSteps(this.#line, object - 1, from);
    return before >= from && this.#line[before] === OPEN_ARRAY ? before : object;
  }
}

/** Returns whether a whole JSON value among other text counts as a message. */
function isTaken(frame: Frame): boolean {
  const { kind, method, scan } = frame;
  if (kind === "batch") return mentionsVersion(frame.bytes);
  if (!scan.members.has("/jsonrpc")) return false;
  if (kind === "request") return ASKED_OF_CLIENTS.has(method ?? "");
  return kind === "response" || kind === "error";
}

/** Returns the source texts of ids in a text that is not a message, each once. */
function looseIds(bytes: Uint8Array): string[] {
  const text = bufferOf(bytes);
  const ends =
    text.length <= 2 * SEARCHED_BYTES
      ? [text]
      : [text.subarray(0, SEARCHED_BYTES), text.subarray(-SEARCHED_BYTES)];
  const ids = new Set<string>();
  for (const end of ends) {
    for (const [, before, id, after] of end.toString().matchAll(LOOSE_ID)) {
      if (id !== undefined && (before !== undefined || after !== undefined)) ids.add(id);
    }
  }
  return [...ids].slice(0, MAX_PARTS);
}

function lostWithId(id: string): LinePart {
  return { kind: "lost", bytes: Buffer.from(`{"jsonrpc":"2.0","id":${id}}`) };
}

function mentionsVersion(bytes: Uint8Array): boolean {
  return bufferOf(bytes).includes(VERSION_KEY);
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Returns whether an object begins here, or an array of objects. */
function* opens(bytes: Uint8Array, at: number): Generator<void, boolean, void> {
  if (bytes[at] === OPEN_OBJECT) return true;
  return bytes[at] === OPEN_ARRAY && bytes[yield* skipBlankSteps(bytes, at + 1)] === OPEN_OBJECT;
}

const STEP_BYTES = 131_072;

/** Returns the position of the last byte from `from` to `at` that is not blank; less than `from` if there is none. */
function* skipBlankBackSteps(
  bytes: Uint8Array,
  at: number,
  from: number,
): Generator<void, number, void> {
  for (let i = at, pause = at - STEP_BYTES; ; i -= 1) {
    if (i < from || (bytes[i] as number) > SPACE) return i;
    if (i > pause) continue;
    pause = i - STEP_BYTES;
    yield;
  }
}
