import { joinPointer } from "./pointer.ts";
import type { JsonRange, MemberPlan } from "./range.ts";

/** The number of words that {@link LocatedMembers.words} holds for each member. */
export const WORDS_PER_MEMBER = 3;

/** Returns the same text in the form that the engine uses for names, which compares quickly with a literal. */
function interned(text: string): string {
  return Object.keys({ [text]: 0 })[0] ?? text;
}

function collect(plan: MemberPlan, parent: string, pointers: string[]): void {
  for (const [name, inside] of Object.entries(plan)) {
    const pointer = joinPointer(parent, name);
    pointers.push(interned(pointer));
    if (inside !== true) collect(inside, pointer, pointers);
  }
}

/**
 * Returns the RFC 6901 pointers of a plan's members in plan order, each before the members inside it. The index of a
 * pointer is the number of its member.
 * @throws RangeError if the plan contains itself
 */
export function memberPointers(plan: MemberPlan): readonly string[] {
  const pointers: string[] = [];
  collect(plan, "", pointers);
  return pointers;
}

/**
 * Ranges of located members by pointer, in the order in which they ended. There are few, and most are never
 * requested, so a search is faster than building a map. Access by number is fastest.
 */
export class LocatedMembers implements ReadonlyMap<string, JsonRange> {
  readonly size: number;
  /** Three words for each member: its number (see {@link memberPointers}), its start and its end. */
  readonly words: readonly number[];
  private readonly pointers: readonly string[];
  /** A bit for each located number, selected by its last five bits. */
  private readonly mask: number;

  /**
   * @param pointers pointers by number
   * @param source holds the words of `size` members, starting at `from`; they are copied
   */
  constructor(pointers: readonly string[], source: ArrayLike<number>, from: number, size: number) {
    const words = new Array<number>(size * WORDS_PER_MEMBER);
    let mask = 0;
    for (let i = 0; i < words.length; i += WORDS_PER_MEMBER) {
      const number = source[from + i] as number;
      mask |= 1 << number;
      words[i] = number;
      words[i + 1] = source[from + i + 1] as number;
      words[i + 2] = source[from + i + 2] as number;
    }
    this.pointers = pointers;
    this.words = words;
    this.size = size;
    this.mask = mask;
  }

  /**
   * Creates the same from a map of ranges.
   * @param members members whose pointers are all in `pointers`
   */
  static of(pointers: readonly string[], members: ReadonlyMap<string, JsonRange>): LocatedMembers {
    const words: number[] = [];
    for (const [pointer, { start, end }] of members) {
      words.push(pointers.indexOf(pointer), start, end);
    }
    return new LocatedMembers(pointers, words, 0, members.size);
  }

  /** Returns the index of the first word of the member with this number, or -1 if it was not located. */
  indexOf(number: number): number {
    if (((this.mask >>> number) & 1) === 0) return -1;
    const { words } = this;
    for (let i = 0; i < words.length; i += WORDS_PER_MEMBER) if (words[i] === number) return i;
    return -1;
  }

  /** Returns whether the member with this number was located. */
  includes(number: number): boolean {
    return this.indexOf(number) >= 0;
  }

  /** Returns the range of the member with this number. */
  at(number: number): JsonRange | undefined {
    const i = this.indexOf(number);
    return i < 0 ? undefined : this.range(i);
  }

  private range(index: number): JsonRange {
    const { words } = this;
    return { start: words[index + 1] as number, end: words[index + 2] as number };
  }

  get(pointer: string): JsonRange | undefined {
    const { pointers, words } = this;
    for (let i = 0; i < words.length; i += WORDS_PER_MEMBER) {
      if (pointers[words[i] as number] === pointer) return this.range(i);
    }
    return undefined;
  }

  has(pointer: string): boolean {
    return this.get(pointer) !== undefined;
  }

  *entries(): MapIterator<[string, JsonRange]> {
    const { pointers, words } = this;
    for (let i = 0; i < words.length; i += WORDS_PER_MEMBER) {
      yield [pointers[words[i] as number] as string, this.range(i)];
    }
  }

  *keys(): MapIterator<string> {
    for (const [pointer] of this.entries()) yield pointer;
  }

  *values(): MapIterator<JsonRange> {
    for (const [, range] of this.entries()) yield range;
  }

  forEach(
    run: (range: JsonRange, pointer: string, map: ReadonlyMap<string, JsonRange>) => void,
  ): void {
    for (const [pointer, range] of this.entries()) run(range, pointer, this);
  }

  [Symbol.iterator](): MapIterator<[string, JsonRange]> {
    return this.entries();
  }
}
