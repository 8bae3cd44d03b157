import { encodeUtf8 } from "@touchstone/core/advanced";
import { OpenBrackets } from "./brackets.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from "./bytes.ts";

/** Longer strings are left out. Ids may be longer than strings inside a member. */
const STRING_BYTES = 4_096;
const INNER_STRING_BYTES = 256;
/** How deep a member is kept: the revision of a request is at `params._meta["…"]`. */
const MEMBER_DEPTH = 2;
/** If a message's outline exceeds this size, only the message's own members are kept from then on. */
const MESSAGE_BYTES = 1_024;
/** The longest outline. Anything after that is dropped silently. */
const MAX_BYTES: number = 8 * 1024 * 1024;

const NULL = encodeUtf8("null");
const EMPTY = encodeUtf8('""');

/**
 * Reads a message, or a batch of messages, that is too large to keep, and keeps its outline: the members of each
 * message, and about 1 KiB of their contents, two levels deep. `null` replaces a string of over 4 KiB, or of over 256
 * bytes inside a member, so that the outline of JSON is JSON. It stops after 8 MiB, and after a fault in quotes or
 * brackets, because anything that looks like a message there may be part of a string.
 */
export class OutlineReader {
  readonly #brackets = new OpenBrackets();
  readonly #kept = new ByteBuffer();
  /** The depth of a message's members; 0 until the first bracket arrives. */
  #members = 0;
  #broken = false;
  #inString = false;
  #escaped = false;
  /** Where the current string begins in the kept bytes, and where it must end; -1 if it is left out. */
  #string = -1;
  #stringEnd = -1;
  /** The last byte outside strings, ignoring white space. */
  #before = 0;
  /** Where the message begins in the kept bytes. */
  #message = 0;
  /** The depth of what is being left out, until that level ends; 0 if nothing is. */
  #skipped = 0;
  /** Whether white space precedes the next byte. */
  #space = false;

  /** Takes the next bytes. Does not keep a reference to them. */
  push(part: Uint8Array): void {
    for (let at = 0; at < part.length && !this.#broken; at += 1) {
      if (this.#inString) at = this.#throughString(part, at);
      else this.#take(part[at] as number);
    }
  }

  /**
   * Returns the outline so far: a JSON text, or the beginning of one if it stopped early. Undefined if the text is
   * neither an object nor an array.
   */
  take(): Uint8Array | undefined {
    return this.#members === 0 ? undefined : this.#kept.take();
  }

  #take(byte: number): void {
    if (byte <= SPACE) {
      this.#space = true;
      return;
    }
    if (this.#members === 0) this.#members = byte === OPEN_ARRAY ? 2 : byte === OPEN_OBJECT ? 1 : 0;
    if (this.#stopsAt(byte)) return;
    const { depth } = this.#brackets;
    if (byte === QUOTE) {
      this.#openString(depth);
      return;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(byte, depth);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#close(byte, depth);
    else this.#other(byte, depth);
    this.#follow(byte);
  }

  /**
   * Returns whether the outline stops here. A byte after the end is kept, so that the outline is not JSON either.
   */
  #stopsAt(byte: number): boolean {
    const ended = this.#brackets.depth === 0 && this.#before !== 0;
    const follows = !ended && mayFollow(this.#before, byte);
    if (this.#members !== 0 && follows && this.#kept.length <= MAX_BYTES) return false;
    if (ended) this.#kept.push(byte);
    this.#broken = true;
    return true;
  }

  #follow(byte: number): void {
    this.#before = byte;
    this.#space = false;
  }

  #other(byte: number, depth: number): void {
    if (!this.#keeps(depth)) return;
    const isFull = this.#kept.length - this.#message > MESSAGE_BYTES;
    if (byte === COMMA && depth > this.#members && isFull) {
      this.#skipped = depth;
      return;
    }
    // Keeps one space, because two numbers without it would become one.
    if (this.#space) this.#kept.push(SPACE);
    this.#kept.push(byte);
  }

  /** Returns whether content at this depth is kept. */
  #keeps(depth: number): boolean {
    const isSkipped = this.#skipped !== 0 && depth >= this.#skipped;
    return depth <= this.#members + MEMBER_DEPTH && !isSkipped;
  }

  #open(byte: number, depth: number): void {
    this.#broken = !this.#brackets.take(byte);
    if (depth === this.#members - 1) this.#message = this.#kept.length;
    if (this.#keeps(depth)) this.#kept.push(byte);
  }

  #close(byte: number, depth: number): void {
    this.#broken = !this.#brackets.take(byte);
    if (this.#broken) return;
    if (depth === this.#skipped) this.#skipped = 0;
    if (this.#keeps(depth - 1)) this.#kept.push(byte);
  }

  #openString(depth: number): void {
    this.#inString = true;
    this.#string = this.#keeps(depth) ? this.#kept.length : -1;
    if (this.#string < 0) return;
    const most = depth > this.#members ? INNER_STRING_BYTES : STRING_BYTES;
    this.#stringEnd = this.#string + most;
    this.#kept.push(QUOTE);
  }

  /** Takes the rest of a string, as far as it has arrived. Returns the position of the last byte taken. */
  #throughString(part: Uint8Array, from: number): number {
    for (let at = from; at < part.length; at += 1) {
      const byte = part[at] as number;
      if (this.#string >= 0) this.#keepInString(byte);
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        this.#follow(QUOTE);
        return at;
      }
    }
    return part.length;
  }

  #keepInString(byte: number): void {
    if (this.#kept.length <= this.#stringEnd) {
      this.#kept.push(byte);
      return;
    }
    this.#kept.cut(this.#string);
    this.#kept.append(this.#before === COLON ? NULL : EMPTY);
    this.#string = -1;
  }
}

/** Returns whether a byte may follow another one outside strings. Mismatched quotes show here first. */
function mayFollow(before: number, byte: number): boolean {
  if (byte === QUOTE) {
    return before === COMMA || before === COLON || before === OPEN_ARRAY || before === OPEN_OBJECT;
  }
  if (before !== QUOTE) return true;
  return byte === COMMA || byte === COLON || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
}
