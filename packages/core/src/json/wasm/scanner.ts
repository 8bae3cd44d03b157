import { LocatedMembers } from "../located.ts";
import { isLossyToken } from "../number.ts";
import type { ExpectedValue, JsonRange, MemberPlan } from "../range.ts";
import type { ScannerExports } from "./exports.ts";
import { MemoryRegion, type PlacedPlan, PlanStore } from "./plan.ts";

/** Places the images of schemas in the scanner's memory. */
class ImageStore {
  private readonly exports: ScannerExports;
  private readonly region: MemoryRegion;
  private placed = new WeakMap<Uint8Array, number>();

  constructor(exports: ScannerExports) {
    this.exports = exports;
    this.region = new MemoryRegion(exports.IMAGES.value, exports.IMAGES_END.value, () => {
      // All images were released from the memory. Each is placed again on its next use.
      this.placed = new WeakMap();
    });
  }

  /** Returns the address of an image, which is placed on its first use; undefined if it is too large. */
  get(image: Uint8Array): number | undefined {
    return this.placed.get(image) ?? this.place(image);
  }

  private place(image: Uint8Array): number | undefined {
    const at = this.region.take(image.length);
    if (at === undefined) return undefined;
    new Uint8Array(this.exports.memory.buffer, at, image.length).set(image);
    this.placed.set(image, at);
    return at;
  }
}

const PAGE = 65_536;
/** Zeros after the text, where every reader stops. */
const PADDING = 64;

/** How much of a text `walk` sees at once: whole blocks of 64 bytes. */
export const WINDOW_BYTES = 65_536;

const KEYS = 1;
const NUMBERS = 2;
/** The result of `check` for a text without faults. */
const GOOD = 1;
/** The result if the scanner can say neither yes nor no. */
const UNKNOWN = 2;

/** The result of a check. */
export interface ScanSummary {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly keys: number;
  /** The planned members; undefined if none were requested or only JavaScript can find them. */
  readonly members: ReadonlyMap<string, JsonRange> | undefined;
  /** The end of the expected value if it satisfies its schema; else 0, and nothing is known. */
  readonly acceptedEnd: number;
}

/** A text with too many keys: the offset of the key's quote, and whether one object has too many. */
export interface TooManyKeys {
  readonly over: "object" | "text";
  readonly offset: number;
}

/** The maximum number of keys in a text. */
export interface KeyLimits {
  readonly object: number | undefined;
  readonly text: number | undefined;
}

/** No limit, for the scanner. */
const UNLIMITED = 0xffff_ffff;

function keyLimit(limit: number | undefined): number {
  return limit !== undefined && limit < UNLIMITED ? Math.max(Math.floor(limit), 0) : UNLIMITED;
}

/** The result of locating. */
export interface LocateResult {
  readonly members: ReadonlyMap<string, JsonRange>;
  readonly root: JsonRange;
  readonly depth: number;
}

/** Members that were passed: how many, the depth of the deepest value, and the offset of the next key's quote. */
export interface PassedMembers {
  readonly members: number;
  readonly depth: number;
  readonly next: number;
}

/** An instance of the scanner: its memory and its functions. */
export class WasmScanner {
  readonly exports: ScannerExports;
  private readonly plans: PlanStore;
  private readonly images: ImageStore;
  private readonly textAt: number;
  private readonly maxLevels: number;
  /** Indexes into `words`. */
  private readonly resultAt: number;
  private readonly foundAt: number;
  private view: Uint8Array;
  private words: Int32Array;
  /** The text of the current check. */
  private current: Uint8Array | undefined;

  constructor(instantiate: (imports: Record<string, Record<string, unknown>>) => ScannerExports) {
    const isLossy = (start: number, end: number): boolean =>
      this.current !== undefined && isLossyToken(this.current, start, end);
    this.exports = instantiate({ number: { isLossy } });
    const { memory, TEXT, RESULT, FOUND, MAX_LEVELS } = this.exports;
    this.plans = new PlanStore(this.exports);
    this.images = new ImageStore(this.exports);
    this.textAt = TEXT.value;
    this.maxLevels = MAX_LEVELS.value;
    this.resultAt = RESULT.value / 4;
    this.foundAt = FOUND.value / 4;
    this.view = new Uint8Array(memory.buffer, this.textAt);
    this.words = new Int32Array(memory.buffer, 0, this.textAt / 4);
  }

  /** The number of text bytes that fit in the memory. */
  get room(): number {
    return this.view.length - PADDING;
  }

  /** Copies a text to where the functions read it. @throws RangeError if there is not enough memory */
  place(bytes: Uint8Array): void {
    const missing = bytes.length - this.room;
    if (missing > 0) {
      this.exports.memory.grow(Math.ceil(missing / PAGE));
      const { buffer } = this.exports.memory;
      this.view = new Uint8Array(buffer, this.textAt);
      this.words = new Int32Array(buffer, 0, this.textAt / 4);
    }
    this.view.set(bytes);
    this.exports.pad(bytes.length);
  }

  /**
   * Checks the grammar and depth of a text and, if requested, that no object has a duplicate key and no number is
   * lossy. Locates the planned members. If both are requested, it also checks the expected value. Afterwards the text
   * is placed.
   * @returns undefined if any of that fails or cannot be determined
   * @throws RangeError if there is not enough memory for the text
   */
  check(
    bytes: Uint8Array,
    maxDepth: number,
    keys: boolean,
    numbers: boolean,
    plan?: MemberPlan,
    expected?: ExpectedValue,
  ): ScanSummary | undefined;
  check(
    bytes: Uint8Array,
    maxDepth: number,
    keys: boolean,
    numbers: boolean,
    plan: MemberPlan | undefined,
    expected: ExpectedValue | undefined,
    limits: KeyLimits | undefined,
  ): ScanSummary | TooManyKeys | undefined;
  check(
    bytes: Uint8Array,
    maxDepth: number,
    keys: boolean,
    numbers: boolean,
    plan?: MemberPlan,
    expected?: ExpectedValue,
    limits?: KeyLimits,
  ): ScanSummary | TooManyKeys | undefined {
    this.place(bytes);
    const placed = plan && this.plans.get(plan);
    // The scanner checks the expected value only together with duplicate keys and numbers.
    const image = expected && keys && numbers ? this.imageAt(expected, bytes.length) : 0;
    this.current = bytes;
    // A negative number would be truncated to 32 bits and could become large.
    const levels = maxDepth < this.maxLevels ? Math.max(Math.floor(maxDepth), 0) : 0x7fff_ffff;
    const wanted = (keys ? KEYS : 0) + (numbers ? NUMBERS : 0);
    const at = image === 0 ? 0 : (expected?.start ?? 0);
    const node = placed?.node ?? 0;
    const [object, text] = [keyLimit(limits?.object), keyLimit(limits?.text)];
    const answer = this.exports.check(bytes.length, levels, wanted, node, image, at, object, text);
    this.current = undefined;
    if (answer === 0) return undefined;
    const { words, resultAt } = this;
    if (answer !== GOOD) {
      return { over: answer === 2 ? "object" : "text", offset: words[resultAt] as number };
    }
    return {
      start: words[resultAt] as number,
      end: words[resultAt + 1] as number,
      depth: words[resultAt + 2] as number,
      keys: words[resultAt + 3] as number,
      members: placed && this.found(placed, words[resultAt + 4] as number),
      acceptedEnd: words[resultAt + 5] as number,
    };
  }

  /**
   * Locates the planned members of the placed text of `size` bytes.
   * @returns undefined if the text is faulty, an object with planned members has a duplicate key or a key with an
   *   escape, or only JavaScript can follow the plan
   */
  locate(size: number, plan: MemberPlan): LocateResult | undefined {
    const placed = this.plans.get(plan);
    if (placed === undefined || this.exports.locate(size, placed.node) === 0) return undefined;
    const { words, resultAt: at } = this;
    const members = this.found(placed, words[at + 3] as number);
    return (
      members && {
        members,
        root: { start: words[at] as number, end: words[at + 1] as number },
        depth: words[at + 2] as number,
      }
    );
  }

  /**
   * Passes members of an object that are not planned, in the placed text of `size` bytes, from the opening quote of a
   * key on. The text may be cut off.
   * @param most how many members to pass
   * @returns undefined if none was passed, or only JavaScript can follow the plan
   */
  pass(from: number, size: number, plan: MemberPlan, most: number): PassedMembers | undefined {
    const placed = this.plans.get(plan);
    if (placed === undefined) return undefined;
    const next = this.exports.pass(from, size, placed.node, keyLimit(most));
    if (next === from) return undefined;
    const { words, resultAt: at } = this;
    return { next, members: words[at] as number, depth: words[at + 1] as number };
  }

  /**
   * Checks a text by the image of a schema. It must be a JSON text without duplicate keys in an object, and a double
   * must hold every number. Afterwards it is placed.
   * @returns whether it satisfies the schema; undefined if that cannot be determined here
   * @throws RangeError if there is not enough memory for the text
   */
  accept(bytes: Uint8Array, image: Uint8Array): boolean | undefined {
    const at = this.images.get(image);
    if (at === undefined) return undefined;
    this.place(bytes);
    const answer = this.exports.accept(bytes.length, at);
    return answer === UNKNOWN ? undefined : answer === 1;
  }

  /**
   * Continues a string at the offset `from`, without checking what is between its quotes.
   * @returns the offset after its closing quote; if there is none, the complement of the offset at which the string
   *   continues, which is one past the bytes if the last byte begins an escape
   */
  endQuoted(bytes: Uint8Array, from: number): number {
    this.place(bytes);
    return this.exports.endQuoted(from, bytes.length);
  }

  /**
   * Skips base64 from the offset `from` on (RFC 4648, section 4).
   * @returns the offset of the first byte that is not in its alphabet, which does not include padding
   */
  endBase64(bytes: Uint8Array, from: number): number {
    this.place(bytes);
    return this.exports.endBase64(from, bytes.length);
  }

  /** Returns the address of the image that a value should satisfy; 0 if it cannot be checked in the text. */
  private imageAt({ start, image }: ExpectedValue, size: number): number {
    const inside = Number.isInteger(start) && start >= 0 && start < size;
    return inside ? (this.images.get(image) ?? 0) : 0;
  }

  /** Returns the `count` members that were located; undefined if `count` is negative. */
  private found({ pointers }: PlacedPlan, count: number): LocatedMembers | undefined {
    return count < 0 ? undefined : new LocatedMembers(pointers, this.words, this.foundAt, count);
  }
}
