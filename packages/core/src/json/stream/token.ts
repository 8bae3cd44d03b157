import { QUOTE } from "../bytes.ts";
import type { ScanError } from "../range.ts";
import { stringError } from "../string.ts";
import { expectedError } from "../syntax.ts";
import { HeldBytes } from "./held.ts";
import { AT, ENDED, isWholeNumber, FAULTY as NO_DIGIT, nextInNumber } from "./number.ts";
import { CUT, FAULTY, StringReader } from "./string.ts";

export type TokenKind = "string" | "number" | "literal";

/** The literals by their first bytes. */
const LITERALS: ReadonlyMap<number, string> = new Map([
  [0x74, "true"],
  [0x66, "false"],
  [0x6e, "null"],
]);

/** What begins with this byte; undefined where none of them does. */
export function tokenKindOf(byte: number): TokenKind | undefined {
  if (byte === QUOTE) return "string";
  if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return "number";
  return LITERALS.has(byte) ? "literal" : undefined;
}

/** Bytes `[start, end)` of an array, which are good until the next token. */
export interface TokenBytes {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Reads one string, number or literal that comes in chunks. */
export class TokenReader {
  kind: TokenKind = "literal";
  /** The offset of its first byte in the text. */
  start = 0;
  /** Why the token is none, where {@link read} gave FAULTY. */
  error: ScanError | undefined;
  private firstByte = 0;
  private keeps = false;
  private readonly held = new HeldBytes();
  private readonly strings = new StringReader();
  private numberAt: number = AT.start;
  private word = "";
  private wordAt = 0;

  /**
   * A token begins.
   * @param keeps whether its text will be asked for
   */
  begin(kind: TokenKind, firstByte: number, start: number, keeps: boolean): void {
    this.kind = kind;
    this.start = start;
    this.firstByte = firstByte;
    this.keeps = keeps;
    this.held.clear();
    this.strings.reset();
    this.numberAt = AT.start;
    this.word = LITERALS.get(firstByte) ?? "";
    this.wordAt = 0;
  }

  /**
   * Goes on from `from` on, first from behind the quote of a string, or from the first byte of what
   * is no string.
   * @param base the offset of the chunk's first byte in the text
   * @returns the offset in the chunk behind the token, or CUT, or FAULTY
   */
  read(chunk: Uint8Array, from: number, base: number): number {
    const after =
      this.kind === "string"
        ? this.readString(chunk, from, base)
        : this.kind === "number"
          ? this.readNumber(chunk, from, base)
          : this.readLiteral(chunk, from);
    if (after === CUT && this.keeps) this.held.append(chunk, from, chunk.length);
    return after;
  }

  /** All of the token's bytes, of which the last ones are `[from, end)` of the chunk. */
  bytes(chunk: Uint8Array, from: number, end: number): TokenBytes {
    const { held } = this;
    if (held.length === 0) return { bytes: chunk, start: from, end };
    held.append(chunk, from, end);
    return { bytes: held.bytes(), start: 0, end: held.length };
  }

  /** Why the token may not end with a text of `size` bytes; undefined for a whole number. */
  cutError(size: number): ScanError | undefined {
    if (this.kind === "literal") return this.literalError();
    if (this.kind === "number") {
      return isWholeNumber(this.numberAt) ? undefined : expectedError(undefined, size, "a digit");
    }
    const { cutUnit } = this.strings;
    return stringError(cutUnit?.byte, cutUnit?.offset ?? size);
  }

  private literalError(): ScanError {
    return expectedError(this.firstByte, this.start, "a value");
  }

  private readString(chunk: Uint8Array, from: number, base: number): number {
    const after = this.strings.read(chunk, from, base);
    const { fault } = this.strings;
    if (after === FAULTY) this.error = stringError(fault.byte, fault.offset);
    return after;
  }

  private readNumber(chunk: Uint8Array, from: number, base: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      const next = nextInNumber(this.numberAt, byte);
      if (next === ENDED) return i;
      if (next === NO_DIGIT) {
        this.error = expectedError(byte, base + i, "a digit");
        return FAULTY;
      }
      this.numberAt = next;
    }
    return CUT;
  }

  private readLiteral(chunk: Uint8Array, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      if (chunk[i] !== this.word.charCodeAt(this.wordAt)) {
        this.error = this.literalError();
        return FAULTY;
      }
      this.wordAt++;
      if (this.wordAt === this.word.length) return i + 1;
    }
    return CUT;
  }
}
