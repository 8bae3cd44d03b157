import { decodeString, hasEscape } from "./string.ts";
import { encodeUtf8 } from "./text.ts";

/** Up to this many members an object's keys are compared one by one; beyond, by a map. */
const FEW = 16;
const INITIAL = 256;

/** FNV-1a over the bytes. Only a filter: keys of equal hash are compared in full. */
function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < end; i++) value = Math.imul(value ^ (bytes[i] as number), 0x01000193);
  return value | 0;
}

function hashKey(bytes: Uint8Array, start: number, end: number): number {
  if (!hasEscape(bytes, start, end)) return hashBytes(bytes, start, end);
  // A key hashes as its unescaped form does, so that two spellings of one key meet.
  const name = encodeUtf8(decodeString(bytes, start, end));
  return hashBytes(name, 0, name.length);
}

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
  private hashes = new Int32Array(INITIAL);
  private starts = new Int32Array(INITIAL);
  private ends = new Int32Array(INITIAL);
  /** Where the member after each one begins. */
  private nexts = new Int32Array(INITIAL);

  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
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
    if (object.current >= 0) this.nexts[object.current] = start;
    const hash = object.names === undefined ? hashKey(this.bytes, start, end) : 0;
    const name = object.names === undefined ? "" : decodeString(this.bytes, start, end);
    const earlier =
      object.names === undefined
        ? this.findAmongFew(object.base, hash, start, end)
        : (object.names.get(name) ?? -1);
    const at = earlier >= 0 ? earlier : this.append();
    const shadowed =
      earlier >= 0
        ? { start: this.ends[earlier] as number, end: this.nexts[earlier] as number }
        : undefined;
    this.hashes[at] = hash;
    this.starts[at] = start;
    this.ends[at] = end;
    object.current = at;
    if (object.names !== undefined) object.names.set(name, at);
    else if (this.top - object.base > FEW) object.names = this.nameAll(object.base);
    return shadowed;
  }

  private findAmongFew(base: number, hash: number, start: number, end: number): number {
    let name: string | undefined;
    for (let i = base; i < this.top; i++) {
      if (this.hashes[i] !== hash) continue;
      name ??= decodeString(this.bytes, start, end);
      if (this.nameAt(i) === name) return i;
    }
    return -1;
  }

  private nameAt(index: number): string {
    return decodeString(this.bytes, this.starts[index] as number, this.ends[index] as number);
  }

  private nameAll(base: number): Map<string, number> {
    const names = new Map<string, number>();
    for (let i = base; i < this.top; i++) names.set(this.nameAt(i), i);
    return names;
  }

  private append(): number {
    if (this.top === this.hashes.length) {
      this.hashes = doubled(this.hashes);
      this.starts = doubled(this.starts);
      this.ends = doubled(this.ends);
      this.nexts = doubled(this.nexts);
    }
    return this.top++;
  }
}

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}
