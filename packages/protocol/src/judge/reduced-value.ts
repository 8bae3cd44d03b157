import {
  derivedIssue,
  encodeUtf8,
  type Issue,
  isBase64,
  type JsonRange,
  joinPointer,
  skipLongValue,
  skipQuoted,
  skipSpace,
  WORDS_PER_MEMBER,
} from "@touchstone/core/advanced";
import { ByteBuffer } from "../byte-buffer.ts";
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "../bytes.ts";
import type { Frame } from "../frame.ts";
import type { MessageTable } from "../messages/message-table.ts";
import type { Schema } from "../messages/schema.ts";
import { type ExaminedShape, examinedShape, rootSchemas } from "./shape.ts";

/** Strings up to this length are kept, so that `enum` and `const` can compare them, however they are escaped. */
const SHORT_STRING = 256;
const EMPTY_STRING = encodeUtf8('""');
const ZERO = encodeUtf8("0");
/** Replaces a long string that is not base64. */
const NOT_BASE64 = encodeUtf8('"!"');
const EMPTY_OBJECT = encodeUtf8("{}");
const EMPTY_ARRAY = encodeUtf8("[]");

/** An array in which items that look the same to the schemas were written only once. */
interface ReducedList {
  /** RFC 6901 pointer to the array. */
  readonly path: string;
  /** For each item that was written: the indexes of the items that it represents. */
  readonly groups: readonly (readonly number[])[];
}

/** The parts of a value that schemas examine. */
export interface ReducedValue {
  readonly bytes: Uint8Array;
  readonly lists: readonly ReducedList[];
}

function isDigits(bytes: Uint8Array, start: number, end: number): boolean {
  let i = start;
  while (i < end && ((bytes[i] as number) ^ 0x30) <= 9) i += 1;
  return i === end;
}

/** Roughly how many bytes are read in one step. */
const STEP_BYTES = 32_768;

/** Returns the offset after a value. For a container that schemas examine, it is found in steps. */
type Written = number | Generator<void, number, void>;

/** Thrown if there is more to examine than allowed. */
class TooLong extends Error {}

class Reduction {
  readonly #frame: Frame;
  readonly #table: MessageTable;
  readonly #most: number;
  readonly #out = new ByteBuffer();
  readonly #lists: ReducedList[] = [];
  /** Pointer to the value being written; undefined inside a list. */
  #path: string | undefined = "";
  /** Where the next step begins. */
  #pause: number;
  /** Maps the start of a located value to its end. */
  readonly #ends: ReadonlyMap<number, number>;

  constructor(frame: Frame, table: MessageTable, most: number, start: number) {
    this.#frame = frame;
    this.#table = table;
    this.#most = most;
    this.#pause = start + STEP_BYTES;
    const ends = new Map<number, number>();
    const { words } = frame.scan.members;
    for (let i = 0; i < words.length; i += WORDS_PER_MEMBER) {
      ends.set(words[i + 1] as number, words[i + 2] as number);
    }
    this.#ends = ends;
  }

  get result(): ReducedValue {
    return { bytes: this.#out.take(), lists: this.#lists };
  }

  /** Writes the parts that schemas examine of the value that begins at `start`. */
  value(start: number, schemas: readonly Schema[]): Written {
    const { bytes } = this.#frame;
    const shape = examinedShape(this.#table, schemas);
    const byte = bytes[start];
    if (!shape.whole && byte === OPEN_OBJECT) {
      return shape.members.size > 0 || shape.others !== undefined
        ? this.#object(start, shape)
        : this.#stand(EMPTY_OBJECT, this.#endOf(start));
    }
    if (!shape.whole && byte === OPEN_ARRAY) {
      return shape.items === undefined
        ? this.#stand(EMPTY_ARRAY, this.#endOf(start))
        : this.#array(start, shape.items);
    }
    const end = this.#endOf(start);
    if (shape.whole || (shape.literal && end - start <= SHORT_STRING))
      return this.#copy(start, end);
    if (byte !== QUOTE)
      return isDigits(bytes, start, end) ? this.#stand(ZERO, end) : this.#copy(start, end);
    const isWrong = shape.base64 && !isBase64(bytes, start + 1, end - 1);
    return this.#stand(isWrong ? NOT_BASE64 : EMPTY_STRING, end);
  }

  /** Returns whether the step has read enough once it reaches an offset. */
  #isOver(at: number): boolean {
    if (at < this.#pause) return false;
    this.#pause = at + STEP_BYTES;
    return true;
  }

  *#object(start: number, { members, others }: ExaminedShape): Generator<void, number, void> {
    const { bytes } = this.#frame;
    const end = bytes.length;
    this.#out.push(OPEN_OBJECT);
    let isFirst = true;
    let i = skipSpace(bytes, start + 1, end);
    while (bytes[i] === QUOTE) {
      const behind = skipQuoted(bytes, i);
      const value = skipSpace(bytes, skipSpace(bytes, behind, end) + 1, end);
      const looked = members.get(this.#key(i, behind)) ?? others;
      if (looked === undefined) i = this.#endOf(value);
      else {
        if (!isFirst) this.#out.push(COMMA);
        isFirst = false;
        this.#copy(i, behind);
        this.#out.push(COLON);
        const path = this.#path;
        if (path !== undefined) this.#path = joinPointer(path, this.#key(i, behind));
        const written = this.value(value, looked);
        i = typeof written === "number" ? written : yield* written;
        this.#path = path;
      }
      if (this.#isOver(i)) yield;
      i = skipSpace(bytes, i, end);
      if (bytes[i] !== COMMA) break;
      i = skipSpace(bytes, i + 1, end);
    }
    this.#out.push(CLOSE_OBJECT);
    return i + 1;
  }

  /** Writes items that look the same to the schemas only once, in outermost arrays. */
  *#array(start: number, items: readonly Schema[]): Generator<void, number, void> {
    const { bytes } = this.#frame;
    const end = bytes.length;
    const path = this.#path;
    const groups: number[][] | undefined = path === undefined ? undefined : [];
    const known = new Map<string, number[]>();
    this.#path = undefined;
    this.#out.push(OPEN_ARRAY);
    let i = skipSpace(bytes, start + 1, end);
    for (let index = 0; bytes[i] !== CLOSE_ARRAY && i < end; index += 1) {
      const before = this.#out.length;
      if (index > 0) this.#out.push(COMMA);
      const from = this.#out.length;
      const written = this.value(i, items);
      i = skipSpace(bytes, typeof written === "number" ? written : yield* written, end);
      if (this.#isOver(i)) yield;
      if (groups !== undefined) {
        const text = this.#out.textFrom(from);
        const same = known.get(text);
        if (same === undefined) {
          const group = [index];
          known.set(text, group);
          groups.push(group);
        } else {
          same.push(index);
          this.#out.cut(before);
        }
      }
      if (bytes[i] !== COMMA) break;
      i = skipSpace(bytes, i + 1, end);
    }
    this.#out.push(CLOSE_ARRAY);
    this.#path = path;
    if (path !== undefined && groups !== undefined) this.#lists.push({ path, groups });
    return i + 1;
  }

  #key(start: number, end: number): string {
    const text = this.#frame.text({ start, end });
    return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
  }

  #endOf(start: number): number {
    return this.#ends.get(start) ?? skipLongValue(this.#frame.bytes, start);
  }

  #copy(start: number, end: number): number {
    return this.#stand(this.#frame.bytes.subarray(start, end), end);
  }

  #stand(bytes: Uint8Array, end: number): number {
    if (this.#out.length + bytes.length > this.#most) throw new TooLong();
    this.#out.append(bytes);
    return end;
  }
}

/**
 * Returns a text for which message schemas reach the same verdict, with the same fault locations, as for a value of
 * the message. It omits the members that schemas do not examine, and has short values instead of those of which only
 * the type counts. If items of an array then become the same, the first one represents all: {@link originalIssues} returns
 * the positions of the others. Base64 is checked in the original value. Time is linear in the length of the value,
 * and each step reads some tens of kilobytes of it, or one long value.
 * @param frame one that is JSON
 * @param key of the schema, as {@link compiledMessage} takes it
 * @param most the most bytes that the text may have
 * @returns undefined if it would be longer
 */
export function* reduceValue(
  frame: Frame,
  table: MessageTable,
  { start }: Pick<JsonRange, "start">,
  key: string,
  most: number,
): Generator<void, ReducedValue | undefined, void> {
  const reduction = new Reduction(frame, table, most, start);
  try {
    const written = reduction.value(start, rootSchemas(table, key));
    if (typeof written !== "number") yield* written;
  } catch (thrown) {
    if (thrown instanceof TooLong) return undefined;
    throw thrown;
  }
  // Checks the limit once more, because brackets and commas were written without checking it.
  const { result } = reduction;
  return result.bytes.length > most ? undefined : result;
}

const INDEX = /^\/(\d+)/;

/**
 * Maps issues of a reduced text back to their positions in the value, once for each item that they apply to, in the
 * order of the items.
 * @param most how many are returned; `more` counts the rest
 */
export function originalIssues(
  issues: readonly Issue[],
  { lists }: ReducedValue,
  most: number,
): { readonly issues: readonly Issue[]; readonly more: number } {
  let found = issues;
  let more = 0;
  for (const { path, groups } of lists) {
    const placed: { issue: Issue; index: number }[] = [];
    const others: Issue[] = [];
    for (const issue of found) {
      const rest = issue.path.startsWith(path) ? issue.path.slice(path.length) : "";
      const written = INDEX.exec(rest)?.[1];
      const group = written === undefined ? undefined : groups[Number(written)];
      if (written === undefined || group === undefined) {
        others.push(issue);
        continue;
      }
      const room = Math.max(0, most - placed.length);
      more += Math.max(0, group.length - room);
      for (const index of group.slice(0, room)) {
        placed.push({ issue: moved(issue, path, written, index), index });
      }
    }
    placed.sort((a, b) => a.index - b.index);
    found = [...others, ...placed.map(({ issue }) => issue)];
  }
  return { issues: found, more };
}

function moved(issue: Issue, list: string, written: string, index: number): Issue {
  const { instancePath } = issue;
  const at = `${list}/${index}`;
  const place = (pointer: string): string => at + pointer.slice(list.length + 1 + written.length);
  const own = { ...issue, path: place(issue.path) };
  return derivedIssue(
    instancePath === undefined ? own : { ...own, instancePath: place(instancePath) },
    issue,
  );
}
