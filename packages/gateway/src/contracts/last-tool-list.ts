/** Bytes of a list that are kept. */
const MAX_BYTES = 4_194_304;

/** A list of tools as its server sent it. */
export interface SentToolList {
  /** The text of the array of each page. */
  readonly pages: readonly Uint8Array[];
  /** Whether pages were too long to be kept. */
  readonly isCut: boolean;
  readonly at: Date;
}

/** Keeps the text of the list that a server sent last, for people to view. */
export class LastToolList {
  readonly #now: () => Date;
  /** The list that the pages belong to: lists of several conversations may arrive at the same time. */
  #reader: object | undefined;
  #list: SentToolList | undefined;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  get list(): SentToolList | undefined {
    return this.#list;
  }

  /** Takes a page that arrived. A first page begins another list. */
  take(reader: object, page: Uint8Array, isFirst: boolean): void {
    if (!isFirst && reader !== this.#reader) return;
    const { pages = [], isCut = false } = isFirst ? {} : (this.#list ?? {});
    const size = pages.reduce((sum, { length }) => sum + length, page.length);
    const fits = size <= MAX_BYTES && !isCut;
    this.#reader = reader;
    this.#list = {
      // Copies the bytes, because they may be a small part of a large message.
      pages: fits ? [...pages, new Uint8Array(page)] : pages,
      isCut: !fits,
      at: this.#now(),
    };
  }
}
