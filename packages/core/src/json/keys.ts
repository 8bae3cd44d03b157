import { BACKSLASH } from "./bytes.ts";
import { characterAt, decodeString, sameStrings, unescapedBytes } from "./string.ts";
import { encodeUtf8 } from "./text.ts";

/** Up to this number of members, an object's keys are compared one by one; beyond it, with a hash table. */
const FEW = 16;
const INITIAL = 256;
/** Storage for more members than this is released. */
const KEPT = 16_384;
/** Maximum number of slots probed beyond the first in one text, plus one for each of its bytes. */
const MAX_PROBES = 0x80000;
const FIRST_SLOTS = 64;

/** FNV-1a over the bytes. Only a filter: keys with equal hashes are compared in full. */
export function hashKey(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === BACKSLASH) {
      // A key is hashed in its unescaped form, so that two spellings of one key have the same hash.
      return hashPlain(
        unescapedBytes(bytes, start, end) ?? encodeUtf8(decodeString(bytes, start, end)),
      );
    }
    value = Math.imul(value ^ byte, 0x01000193);
  }
  return value | 0;
}

/** {@link hashKey} for a decoded name, in which a backslash does not start an escape. */
function hashPlain(name: Uint8Array): number {
  let value = 0x811c9dc5;
  for (const byte of name) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}

/** Keys with more bytes are hashed in steps. */
export const LONG_KEY_BYTES = 16_384;

/** The hash of a long key, in parts. */
class LongHash {
  value = 0x811c9dc5;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Adds the characters of a key that begin in `[start, end)` to the hash. Returns the offset after them. */
  take(start: number, end: number): number {
    const { bytes } = this;
    let { value } = this;
    let i = start;
    while (i < end) {
      const byte = bytes[i] as number;
      if (byte === BACKSLASH) {
        const character = characterAt(bytes, i);
        const code = character >>> 4;
        i += character & 0xf;
        if (code < 0x80) value = Math.imul(value ^ code, 0x01000193);
        else for (const part of utf8Of(code)) value = Math.imul(value ^ part, 0x01000193);
      } else {
        value = Math.imul(value ^ byte, 0x01000193);
        i++;
      }
    }
    this.value = value;
    return i;
  }
}

/** Returns a character beyond ASCII in UTF-8; a lone surrogate becomes U+FFFD. */
function utf8Of(code: number): readonly number[] {
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 0x3f)];
  if (code > 0xffff) {
    return [
      0xf0 | (code >> 18),
      0x80 | ((code >> 12) & 0x3f),
      0x80 | ((code >> 6) & 0x3f),
      0x80 | (code & 0x3f),
    ];
  }
  const unit = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
  return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
}

/** Runs {@link hashKey} in steps of about this many bytes. */
export function* hashKeySteps(
  bytes: Uint8Array,
  start: number,
  end: number,
  step: number,
): Generator<void, number, void> {
  const hash = new LongHash(bytes);
  for (let at = start; at < end; ) {
    at = hash.take(at, Math.min(at + step, end));
    if (at < end) yield;
  }
  return hash.value | 0;
}

/** Spreads a hash over a table's slots, since its lower bits depend little on the first bytes. */
function slotOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

/** The members of the open objects, one per row. */
class Columns {
  hashes: Int32Array<ArrayBuffer> = new Int32Array(INITIAL);
  starts: Int32Array<ArrayBuffer> = new Int32Array(INITIAL);
  ends: Int32Array<ArrayBuffer> = new Int32Array(INITIAL);
  /** For each member, where the next one starts. */
  nexts: Int32Array<ArrayBuffer> = new Int32Array(INITIAL);

  grow(): void {
    this.hashes = doubled(this.hashes);
    this.starts = doubled(this.starts);
    this.ends = doubled(this.ends);
    this.nexts = doubled(this.nexts);
  }
}

// Scans are synchronous, so they can all share one set of columns. A large one is not kept.
let kept = new Columns();

interface OpenObject {
  /** Where the object's members start in the tracker's columns. */
  readonly base: number;
  /** The member being read, or -1 before the first. */
  current: number;
  /** Number of keys so far, including duplicates. */
  taken: number;
  /** Column indexes plus one, by the hash of the name, once there are more than a few members. */
  table?: Int32Array;
  /**
   * Maps names to column indexes. It is used if hashes collide so often that the names must have been chosen on purpose.
   */
  names?: Map<string, number>;
}

/** The earlier of two members with the same name: the bytes `[start, end)` contain its value and no other value. */
export interface ShadowedMember {
  readonly start: number;
  readonly end: number;
}

/** Finds duplicate keys within an object, at every level, in time linear in the text. */
export class KeyTracker {
  private readonly open: OpenObject[] = [];
  private top = 0;
  private readonly columns: Columns;
  private readonly bytes: Uint8Array;
  private probesLeft: number;

  /** @param alone whether it has its own storage. All others share one, so only one of them may exist at a time. */
  constructor(bytes: Uint8Array, alone: boolean = false) {
    this.bytes = bytes;
    this.probesLeft = MAX_PROBES + bytes.length;
    if (!alone && kept.hashes.length > KEPT) kept = new Columns();
    this.columns = alone ? new Columns() : kept;
  }

  enter(): void {
    this.open.push({ base: this.top, current: -1, taken: 0 });
  }

  /** Returns the number of keys in the innermost open object so far. */
  get taken(): number {
    return this.open[this.open.length - 1]?.taken ?? 0;
  }

  leave(): void {
    const object = this.open.pop();
    if (object !== undefined) this.top = object.base;
  }

  /**
   * Adds the next key of the innermost open object, given as the range between its quotes.
   * @param known the key's hash, if {@link hashKeySteps} made it
   * @returns the earlier member with the same name, or undefined if this is the first.
   */
  key(start: number, end: number, known?: number): ShadowedMember | undefined {
    const object = this.open[this.open.length - 1];
    if (object === undefined) return undefined;
    const { columns } = this;
    if (object.current >= 0) columns.nexts[object.current] = start;
    object.taken += 1;
    const hash = object.names === undefined ? (known ?? hashKey(this.bytes, start, end)) : 0;
    const name = object.names === undefined ? "" : decodeString(this.bytes, start, end);
    const earlier = this.find(object, hash, name, start, end);
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
    else if (earlier < 0 && this.top - object.base > FEW) this.note(object, at);
    if (object.table !== undefined && this.probesLeft < 0)
      object.names ??= this.nameAll(object.base);
    return shadowed;
  }

  private find(
    { base, table, names }: OpenObject,
    hash: number,
    name: string,
    start: number,
    end: number,
  ): number {
    if (names !== undefined) return names.get(name) ?? -1;
    if (table === undefined) return this.findAmongFew(base, hash, start, end);
    const mask = table.length - 1;
    for (let slot = slotOf(hash) & mask; ; slot = (slot + 1) & mask) {
      const at = (table[slot] as number) - 1;
      if (at < 0) return -1;
      if (this.columns.hashes[at] === hash && this.isSame(at, start, end)) return at;
      this.probesLeft -= 1 + ((end - start) >> 3);
    }
  }

  /** Returns whether the key at `index` has the same name. */
  private isSame(index: number, start: number, end: number): boolean {
    const { starts, ends } = this.columns;
    return sameStrings(this.bytes, starts[index] as number, ends[index] as number, start, end);
  }

  /** Adds an object's newest member to its table, and creates or enlarges the table if necessary. */
  private note(object: OpenObject, at: number): void {
    const { table } = object;
    const count = this.top - object.base;
    if (table === undefined || count * 2 > table.length) {
      const larger = new Int32Array(table === undefined ? FIRST_SLOTS : table.length * 2);
      object.table = larger;
      for (let index = object.base; index < this.top; index++) this.insert(larger, index);
    } else {
      this.insert(table, at);
    }
  }

  private insert(table: Int32Array, index: number): void {
    const mask = table.length - 1;
    let slot = slotOf(this.columns.hashes[index] as number) & mask;
    while (table[slot] !== 0) {
      slot = (slot + 1) & mask;
      this.probesLeft -= 1;
      if (this.probesLeft < 0) return;
    }
    table[slot] = index + 1;
  }

  private findAmongFew(base: number, hash: number, start: number, end: number): number {
    const { hashes } = this.columns;
    for (let i = base; i < this.top; i++) {
      if (hashes[i] === hash && this.isSame(i, start, end)) return i;
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
