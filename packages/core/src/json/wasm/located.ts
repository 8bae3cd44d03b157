import type { JsonRange } from "../range.ts";

/** Words of one entry: the number of the member's pointer, where it starts, where it ends. */
const ENTRY = 3;

/**
 * Ranges of located members, by pointer, in the order in which they ended. They are few, and most are
 * never asked for, so that looking through them is quicker than making a map.
 */
export class LocatedMembers implements ReadonlyMap<string, JsonRange> {
  readonly size: number;
  private readonly pointers: readonly string[];
  private readonly words: readonly number[];

  /**
   * @param pointers by number
   * @param entries three words for each member
   */
  constructor(pointers: readonly string[], entries: readonly number[]) {
    this.pointers = pointers;
    this.words = entries;
    this.size = entries.length / ENTRY;
  }

  get(pointer: string): JsonRange | undefined {
    const { pointers, words } = this;
    for (let i = 0; i < words.length; i += ENTRY) {
      if (pointers[words[i] as number] === pointer) {
        return { start: words[i + 1] as number, end: words[i + 2] as number };
      }
    }
    return undefined;
  }

  has(pointer: string): boolean {
    return this.get(pointer) !== undefined;
  }

  *entries(): MapIterator<[string, JsonRange]> {
    const { pointers, words } = this;
    for (let i = 0; i < words.length; i += ENTRY) {
      const range = { start: words[i + 1] as number, end: words[i + 2] as number };
      yield [pointers[words[i] as number] as string, range];
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
