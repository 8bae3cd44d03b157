import { MAX_UTF8, writeText } from "./write-text.ts";

const FIRST_SIZE = 64 * 1024;
const MAX_VARINT = 5;
const TWO_32 = 0x1_0000_0000;
const NANOSECONDS = 1e9;

/** Wire types (Protocol Buffers, Encoding). */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

/**
 * Writes protobuf messages one behind the other. A message inside another is begun and ended; its
 * length is put in front of it then, in as few bytes as it takes.
 */
export class ProtobufWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  /** What was written, in memory of its own; the writer begins anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return taken;
  }

  /** @returns what {@link end} has to be told */
  begin(field: number): number {
    this.#tag(field, LENGTH);
    this.#room(1);
    this.#at += 1;
    return this.#at;
  }

  end(start: number): void {
    let length = this.#at - start;
    let more = 0;
    for (let rest = length >>> 7; rest > 0; rest >>>= 7) more += 1;
    if (more > 0) {
      this.#room(more);
      this.#bytes.copyWithin(start + more, start, this.#at);
      this.#at += more;
    }
    let at = start - 1;
    for (; length > 0x7f; length >>>= 7) {
      this.#bytes[at] = (length & 0x7f) | 0x80;
      at += 1;
    }
    this.#bytes[at] = length;
  }

  /** @param value not negative, below 2^32 */
  varint(field: number, value: number): void {
    this.#tag(field, VARINT);
    this.#varint(value);
  }

  /** An `int64` of any sign. */
  int64(field: number, value: number): void {
    this.#tag(field, VARINT);
    this.#room(2 * MAX_VARINT);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) {
      this.#bytes[this.#at] = Number(rest & 0x7fn) | 0x80;
      this.#at += 1;
    }
    this.#bytes[this.#at] = Number(rest);
    this.#at += 1;
  }

  double(field: number, value: number): void {
    this.#tag(field, FIXED64);
    this.#room(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, FIXED32);
    this.#room(4);
    this.#fixed32(value);
  }

  /** Nanoseconds since the Unix epoch, as a `fixed64`, of milliseconds with a fraction. */
  unixNano(field: number, milliseconds: number): void {
    this.#tag(field, FIXED64);
    this.#room(8);
    const seconds = Math.floor(milliseconds / 1000);
    const nanoseconds = Math.floor((milliseconds - seconds * 1000) * 1e6);
    // Their number is beyond what a double holds exactly: halves of the seconds are.
    const lower = (seconds & 0xffff) * NANOSECONDS + nanoseconds;
    const upper = Math.floor(seconds / 0x10000) * NANOSECONDS;
    const low = (lower % TWO_32) + (upper % 0x10000) * 0x10000;
    const high = Math.floor(lower / TWO_32) + Math.floor(upper / 0x10000);
    this.#fixed32(low % TWO_32);
    this.#fixed32(high + Math.floor(low / TWO_32));
  }

  string(field: number, text: string): void {
    const start = this.begin(field);
    this.#room(text.length * MAX_UTF8);
    this.#at += writeText(this.#bytes, text, start);
    this.end(start);
  }

  /** Bytes as hexadecimal digits. */
  hex(field: number, digits: string): void {
    const start = this.begin(field);
    this.#room(digits.length >> 1);
    this.#at += this.#bytes.write(digits, start, "hex");
    this.end(start);
  }

  /** Bytes of other memory, up to 127. */
  bytes(field: number, from: Uint8Array, start: number, end: number): void {
    this.#tag(field, LENGTH);
    this.#room(1 + end - start);
    this.#bytes[this.#at] = end - start;
    this.#at += 1;
    for (let i = start; i < end; i += 1) {
      this.#bytes[this.#at] = from[i] ?? 0;
      this.#at += 1;
    }
  }

  /** Fields that were written before, tags and all. */
  fields(written: ProtobufWriter | Uint8Array): void {
    const { length } = written;
    this.#room(length);
    if (written instanceof ProtobufWriter) written.#bytes.copy(this.#bytes, this.#at, 0, length);
    else this.#bytes.set(written, this.#at);
    this.#at += length;
  }

  /** Begins anew. */
  clear(): void {
    this.#at = 0;
  }

  #fixed32(value: number): void {
    this.#bytes[this.#at] = value;
    this.#bytes[this.#at + 1] = value >>> 8;
    this.#bytes[this.#at + 2] = value >>> 16;
    this.#bytes[this.#at + 3] = value >>> 24;
    this.#at += 4;
  }

  #tag(field: number, type: number): void {
    this.#varint((field << 3) | type);
  }

  #varint(value: number): void {
    this.#room(MAX_VARINT);
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      this.#bytes[this.#at] = (rest & 0x7f) | 0x80;
      this.#at += 1;
    }
    this.#bytes[this.#at] = rest;
    this.#at += 1;
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.#bytes.length + bytes);
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}
