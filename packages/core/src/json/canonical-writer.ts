import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DOT,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PLUS,
  QUOTE,
  ZERO,
} from "./bytes.ts";
import { escapedUnit, escapeLength } from "./key-order.ts";
import { type MemberOrder, memberOrderSteps } from "./member-order.ts";
import { isLossyNumber, normaliseNumber } from "./number.ts";
import { StepCounter } from "./step-work.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

/** Size of the pieces in which a text is written. */
const CHUNK_BYTES = 65_536;
const SMALLEST_CHUNK = 64;
/** A double holds every decimal of up to this many digits. */
const PLAIN_DIGITS = 15;
/** Longer numbers are read from their bytes in steps, so that none takes long at once. */
const LONG_NUMBER = 400;
/** No double needs more digits (ECMA-262, Number::toString). */
const DOUBLE_DIGITS = 17;
/** An exponent of more digits is beyond 2^53. */
const EXPONENT_DIGITS = 17;
/** How many bytes of a string to write at once. */
const MOST_STRING = 1_024;
/** How many bytes more, because the last of them may begin the two escapes of a surrogate pair. */
const PAIR_BYTES = 12;
const LETTER_E = 0x65;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
/** Returns whether a byte is a letter of `false`, `null` or `true`. */
const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;
/** Returns whether a byte is part of a number: a digit, a sign, the decimal point or the letter of an exponent. */
const isOfNumber = (byte: number): boolean =>
  (byte >= ZERO && byte <= 0x39) ||
  byte === DOT ||
  byte === MINUS ||
  byte === PLUS ||
  (byte | 0x20) === LETTER_E;

/** Takes the next bytes of a text. They are overwritten afterward. */
export type ByteSink = (bytes: Uint8Array) => void;

export interface CanonicalOptions {
  /** Indentation for each level, if the text is to span several lines. Default: one line without white space. */
  readonly indent?: string;
  /** How many bytes one step reads. The result does not depend on it. */
  readonly stepBytes?: number | undefined;
  /** How numbers are written: in canonical form (default), or as they are spelled. */
  readonly numbers?: "canonical" | "verbatim";
}

/** A container that is being written. */
interface Open {
  readonly isObject: boolean;
  /**
   * The range of the members that are still to be written, in the list of ordered members. Used if the text does not
   * have them in canonical order.
   */
  next: number;
  readonly to: number;
  /** Where the container closes, once that is known. */
  close: number;
}

const IN_ORDER = -1;

/** Writes one text. */
class Writer {
  readonly #bytes: Uint8Array;
  readonly #order: MemberOrder;
  readonly #sink: ByteSink;
  readonly #work: StepCounter;
  readonly #indent: Uint8Array;
  readonly #isVerbatim: boolean;
  readonly #chunk: Uint8Array;
  #size = 0;
  #isInString = false;
  readonly #open: Open[] = [];
  /** Index in the list of ordered members where those of the next object begin. */
  #place = 0;

  constructor(
    bytes: Uint8Array,
    order: MemberOrder,
    sink: ByteSink,
    work: StepCounter,
    { indent = "", numbers }: CanonicalOptions,
  ) {
    this.#bytes = bytes;
    this.#order = order;
    this.#sink = sink;
    this.#work = work;
    this.#indent = encodeUtf8(indent);
    this.#isVerbatim = numbers === "verbatim";
    // Most texts are small, and a large chunk takes longer to make than they take to write.
    this.#chunk = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(bytes.length, SMALLEST_CHUNK)));
  }

  *steps(): Generator<void, void, void> {
    const bytes = this.#bytes;
    for (let at = 0; at < bytes.length; ) {
      const from = at;
      const byte = bytes[at] as number;
      if (this.#isInString) at = this.#string(at);
      else if (byte <= SPACE) at += 1;
      else if (byte === QUOTE) {
        this.#put(QUOTE);
        this.#isInString = true;
        at += 1;
      } else if (byte === COMMA) at = this.#comma(at);
      else if (byte === COLON) {
        this.#put(COLON);
        if (this.#indent.length > 0) this.#put(SPACE);
        at += 1;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) at = yield* this.#opened(at);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) at = this.#closed(at);
      else if (isLetter(byte)) at = this.#literal(at);
      else if (this.#isVerbatim) at = yield* this.#spelledNumber(at);
      else at = this.#shortNumber(at) ?? (yield* this.#longNumber(at));
      const looked = at - from;
      // Only short moves forward count as read bytes: the next member may be anywhere in the text.
      if (this.#work.ends(looked > 0 && looked < MOST_STRING + PAIR_BYTES ? looked : 1)) yield;
    }
    this.#flush();
  }

  #put(byte: number): void {
    if (this.#size === this.#chunk.length) this.#flush();
    this.#chunk[this.#size] = byte;
    this.#size += 1;
  }

  #flush(): void {
    this.#sink(this.#chunk.subarray(0, this.#size));
    this.#size = 0;
  }

  /** Writes a text of ASCII. */
  #putAscii(text: string): void {
    for (let i = 0; i < text.length; i += 1) this.#put(text.charCodeAt(i));
  }

  *#copy(start: number, end: number): Generator<void, void, void> {
    for (let at = start; at < end; at += 1) {
      this.#put(this.#bytes[at] as number);
      if (this.#work.ends(1)) yield;
    }
  }

  #line(depth: number): void {
    if (this.#indent.length === 0) return;
    this.#put(LINE_FEED);
    for (let i = 0; i < depth; i += 1) for (const byte of this.#indent) this.#put(byte);
  }

  *#opened(at: number): Generator<void, number, void> {
    const bytes = this.#bytes;
    const isObject = bytes[at] === OPEN_OBJECT;
    this.#put(bytes[at] as number);
    let next = at + 1;
    while ((bytes[next] as number) <= SPACE) {
      next += 1;
      if (this.#work.ends(1)) yield;
    }
    if (bytes[next] === CLOSE_OBJECT || bytes[next] === CLOSE_ARRAY) {
      this.#put(bytes[next] as number);
      return next + 1;
    }
    const members = isObject ? this.#order.membersAt(this.#place, at) : undefined;
    const { from, to } = members ?? { from: IN_ORDER, to: IN_ORDER };
    this.#open.push({ isObject, next: from, to, close: 0 });
    this.#line(this.#open.length);
    return members === undefined ? next : this.#member(this.#open.at(-1) as Open);
  }

  /** Moves on to the next member of an object that is not in order. */
  #member(open: Open): number {
    const at = this.#order.keys.at(open.next);
    open.next += 1;
    this.#place = this.#order.placeFrom(at);
    return at;
  }

  #comma(at: number): number {
    const open = this.#open.at(-1) as Open;
    if (open.next !== IN_ORDER && open.next === open.to) return this.#end(open);
    this.#put(COMMA);
    this.#line(this.#open.length);
    return open.next === IN_ORDER ? at + 1 : this.#member(open);
  }

  #closed(at: number): number {
    const open = this.#open.at(-1) as Open;
    open.close = at;
    if (open.next === IN_ORDER || open.next === open.to) return this.#end(open);
    this.#put(COMMA);
    this.#line(this.#open.length);
    return this.#member(open);
  }

  #end(open: Open): number {
    this.#open.pop();
    this.#line(this.#open.length);
    this.#put(open.isObject ? CLOSE_OBJECT : CLOSE_ARRAY);
    const at = open.close + 1;
    if (open.next !== IN_ORDER) this.#place = this.#order.placeFrom(at);
    return at;
  }

  #literal(start: number): number {
    let at = start;
    for (; isLetter(this.#bytes[at] as number); at += 1) this.#put(this.#bytes[at] as number);
    return at;
  }

  /** Writes the next part of a string as `JSON.stringify` does: only what must be escaped is. */
  #string(start: number): number {
    const bytes = this.#bytes;
    const most = Math.min(bytes.length, start + MOST_STRING);
    let at = start;
    while (at < most) {
      const byte = bytes[at] as number;
      if (byte === BACKSLASH) {
        at = this.#escape(at);
        continue;
      }
      this.#put(byte);
      at += 1;
      if (byte !== QUOTE) continue;
      this.#isInString = false;
      break;
    }
    return at;
  }

  #escape(at: number): number {
    const bytes = this.#bytes;
    const unit = escapedUnit(bytes, at);
    const end = at + escapeLength(bytes, at);
    if (isPlain(unit)) {
      this.#put(unit);
      return end;
    }
    const low = isHigh(unit) && bytes[end] === BACKSLASH ? escapedUnit(bytes, end) : 0;
    const isPair = isLow(low);
    const character = isPair ? String.fromCharCode(unit, low) : String.fromCharCode(unit);
    for (const byte of encodeUtf8(JSON.stringify(character).slice(1, -1))) this.#put(byte);
    return isPair ? end + escapeLength(bytes, end) : end;
  }

  /** Writes a number as it is spelled. */
  *#spelledNumber(start: number): Generator<void, number, void> {
    let end = start;
    for (; end < this.#bytes.length && isOfNumber(this.#bytes[end] as number); end += 1) {
      this.#put(this.#bytes[end] as number);
      if (this.#work.ends(1)) yield;
    }
    return end;
  }

  /** Writes a number; undefined for one that is too long, or too large to be short. */
  #shortNumber(start: number): number | undefined {
    const bytes = this.#bytes;
    const most = Math.min(bytes.length, start + LONG_NUMBER);
    let end = start;
    let point = 0;
    let isDecimal = true;
    for (; end < most && isOfNumber(bytes[end] as number); end += 1) {
      const byte = bytes[end] as number;
      if (byte === DOT) point = end;
      else if (byte === PLUS || (byte | 0x20) === LETTER_E) isDecimal = false;
    }
    if (end === most && end < bytes.length) return undefined;
    const length = isDecimal && end - start <= PLAIN_DIGITS ? this.#plainEnd(start, point, end) : 0;
    if (length === 0) this.#putAscii(numberText(decodeUtf8(bytes, start, end)));
    else for (let at = start; at < length; at += 1) this.#put(bytes[at] as number);
    return end;
  }

  /**
   * Returns the end of a decimal without an exponent, not counting zeros at the end of its fraction; 0 if its canonical
   * form may differ in another way.
   */
  #plainEnd(start: number, point: number, end: number): number {
    const bytes = this.#bytes;
    const first = bytes[start] === MINUS ? start + 1 : start;
    if (bytes[first] !== ZERO) return point === 0 ? end : this.#withoutZeros(point, end);
    if (point === 0) return first === start ? end : 0;
    // Below 0.000001, JSON has an exponent.
    for (let at = point + 1; at < end && at <= point + 6; at += 1) {
      if (bytes[at] !== ZERO) return this.#withoutZeros(point, end);
    }
    return 0;
  }

  #withoutZeros(point: number, end: number): number {
    let last = end;
    while (this.#bytes[last - 1] === ZERO) last -= 1;
    return last - 1 === point ? point : last;
  }

  /** Writes a number of any length by its digits. */
  *#longNumber(start: number): Generator<void, number, void> {
    const bytes = this.#bytes;
    /** Places of the first and the last digit that is not zero, of the decimal point, and of the exponent. */
    let [first, last, point, exponent] = [-1, -1, -1, -1];
    let end = start;
    for (; end < bytes.length && isOfNumber(bytes[end] as number); end += 1) {
      const byte = bytes[end] as number;
      if (byte === DOT) point = end;
      else if ((byte | 0x20) === LETTER_E) exponent = end;
      else if (exponent < 0 && byte !== ZERO && byte !== MINUS) {
        if (first < 0) first = end;
        last = end;
      }
      if (this.#work.ends(1)) yield;
    }
    if (first < 0) {
      this.#put(ZERO);
      return end;
    }
    const written = exponent < 0 ? 0 : yield* this.#exponent(exponent + 1, end);
    const whole = point < 0 ? (exponent < 0 ? end : exponent) : point;
    const scale = written + whole - 1 - last + Number(last > whole);
    if (!Number.isSafeInteger(scale)) {
      yield* this.#copy(start, end);
      return end;
    }
    const isSplit = first < point && point < last;
    if (last + 1 - first - Number(isSplit) <= DOUBLE_DIGITS) {
      const digits = decodeUtf8(bytes, first, last + 1).replace(".", "");
      const sign = bytes[start] === MINUS ? "-" : "";
      this.#putAscii(numberText(`${sign}${digits}e${scale}`));
      return end;
    }
    if (bytes[start] === MINUS) this.#put(MINUS);
    yield* this.#copy(first, isSplit ? point : last + 1);
    if (isSplit) yield* this.#copy(point + 1, last + 1);
    this.#putAscii(`e${scale}`);
    return end;
  }

  /** Returns the value of an exponent; infinity if it is beyond all that counts. */
  *#exponent(start: number, end: number): Generator<void, number, void> {
    const bytes = this.#bytes;
    const isNegative = bytes[start] === MINUS;
    let at = isOfSign(bytes[start]) ? start + 1 : start;
    while (at < end - 1 && bytes[at] === ZERO) {
      at += 1;
      if (this.#work.ends(1)) yield;
    }
    if (end - at > EXPONENT_DIGITS) return Number.POSITIVE_INFINITY;
    const value = Number(decodeUtf8(bytes, at, end));
    return isNegative ? -value : value;
  }
}

/** Returns whether a byte is ASCII that JSON does not escape. */
const isPlain = (unit: number): boolean =>
  unit >= SPACE && unit < 0x7f && unit !== QUOTE && unit !== BACKSLASH;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const isOfSign = (byte: number | undefined): boolean => byte === MINUS || byte === PLUS;

/** Returns the canonical text of a number: that of its double, or all of its digits if no double holds it. */
function numberText(source: string): string {
  if (!isLossyNumber(source)) return JSON.stringify(Number(source));
  const { negative, digits, exponent } = normaliseNumber(source);
  // Exponents beyond 2^53 are read approximately, so such a number is equal only to a number with the same text.
  return Number.isSafeInteger(exponent) ? `${negative ? "-" : ""}${digits}e${exponent}` : source;
}

/**
 * Writes the canonical form of a JSON text (see `canonicalText`), a piece at a time, in steps of less than a
 * millisecond. Needs memory for one piece, and for the order of members in objects that are not in canonical order.
 * Builds no value.
 * @param bytes a text that `scanJson` accepts
 */
export function* writeCanonicalSteps(
  bytes: Uint8Array,
  sink: ByteSink,
  options: CanonicalOptions = {},
): Generator<void, void, void> {
  const work = new StepCounter(options.stepBytes);
  const order = yield* memberOrderSteps(bytes, work);
  yield* new Writer(bytes, order, sink, work, options).steps();
}
