import { BACKSLASH } from "./bytes.ts";
import { decodeString } from "./string.ts";
import { encodeUtf8 } from "./text.ts";

/** Up to this many members an object's keys are compared one by one; beyond, by a map. */
const FEW = 16;
const INITIAL = 256;
/** Storage for more members than this is given back. */
const KEPT = 16_384;

/** FNV-1a over the bytes. Only a filter: keys of equal hash are compared in full. */
function hashKey(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === BACKSLASH) {
      // A key hashes as its unescaped form does, so that two spellings of one key meet.
      const name = encodeUtf8(decodeString(bytes, start, end));
      return hashPlain(name);
    }
    value = Math.imul(value ^ byte, 0x01000193);
  }
  return value | 0;
}

/** {@link hashKey} of a name in which a backslash is one, not the beginning of an escape. */
function hashPlain(name: Uint8Array): number {
  let value = 0x811c9dc5;
  for (const byte of name) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}

/** The members of the open objects, one in each row of the columns. */
class Columns {
  hashes: Int32Array<ArrayBuffer> = new Int32Array(INITIAL);
  starts: Int32Array<ArrayBuffer> = new Int32Array(INITIAL);
  ends: Int32Array<ArrayBuffer> = new Int32Array(INITIAL);
  /** Where the member after each one begins. */
  nexts: Int32Array<ArrayBuffer> = new Int32Array(INITIAL);

  grow(): void {
    this.hashes = doubled(this.hashes);
    this.starts = doubled(this.starts);
    this.ends = doubled(this.ends);
    this.nexts = doubled(this.nexts);
  }
}

// A scan is synchronous, so that one set of columns serves them all. A large one is not kept.
let kept = new Columns();

interface OpenObject {
  /** Where the object's members begin in the tracker's columns. */
  readonly base: number;
  /** The member that is being read, or -1 before the first. */
  current: number;
  /** Name to column index, once there are more than a few members. */
  names?: Map<string, number>;
}

/** The earlier of two members of one name: bytes `[start, end)` hold its value and nothing else's. */
export interface ShadowedMember {
  readonly start: number;
  readonly end: number;
}

/** Finds keys that stand twice in one object, at every level, in time linear in the text. */
export class KeyTracker {
  private readonly open: OpenObject[] = [];
  private top = 0;
  private readonly columns: Columns;
  private readonly bytes: Uint8Array;

  /** There may be one tracker at a time: all use the same storage. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    if (kept.hashes.length > KEPT) kept = new Columns();
    this.columns = kept;
  }

  enter(): void {
    this.open.push({ base: this.top, current: -1 });
  }

  leave(): void {
    const object = this.open.pop();
    if (object !== undefined) this.top = object.base;
  }

  /**
   * Takes the next key of the innermost open object, by the range between its quotes.
   * @returns the earlier member of the same name, or undefined where this is the first.
   */
  key(start: number, end: number): ShadowedMember | undefined {
    const object = this.open[this.open.length - 1];
    if (object === undefined) return undefined;
    const { columns } = this;
    if (object.current >= 0) columns.nexts[object.current] = start;
    const hash = object.names === undefined ? hashKey(this.bytes, start, end) : 0;
    const name = object.names === undefined ? "" : decodeString(this.bytes, start, end);
    const earlier =
      object.names === undefined
        ? this.findAmongFew(object.base, hash, start, end)
        : (object.names.get(name) ?? -1);
    const at = earlier >= 0 ? earlier : this.append();
    const shadowed =
      earlier >= 0
        ? { start: columns.ends[earlier] as number, end: columns.nexts[earlier] as number }
        : undefined;
    columns.hashes[at] = hash;
    columns.starts[at] = start;
    columns.ends[at] = end;
    object.current = at;
    if (object.names !== undefined) object.names.set(name, at);
    else if (this.top - object.base > FEW) object.names = this.nameAll(object.base);
    return shadowed;
  }

  private findAmongFew(base: number, hash: number, start: number, end: number): number {
    const { columns } = this;
    let name: string | undefined;
    for (let i = base; i < this.top; i++) {
      if (columns.hashes[i] !== hash) continue;
      name ??= decodeString(this.bytes, start, end);
      if (this.nameAt(i) === name) return i;
    }
    return -1;
  }

  private nameAt(index: number): string {
    const { starts, ends } = this.columns;
    return decodeString(this.bytes, starts[index] as number, ends[index] as number);
  }

  private nameAll(base: number): Map<string, number> {
    const names = new Map<string, number>();
    for (let i = base; i < this.top; i++) names.set(this.nameAt(i), i);
    return names;
  }

  private append(): number {
    if (this.top === this.columns.hashes.length) this.columns.grow();
    return this.top++;
  }
}

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}
