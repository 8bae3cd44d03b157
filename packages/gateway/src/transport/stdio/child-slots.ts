/** The child processes of a whole gateway, of which there may be so many at a time. */
export class ChildSlots {
  /** May be changed at any time; processes that run already stay. */
  limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Why there is no room for another process; undefined where there is. */
  get full(): string | undefined {
    if (this.#taken < this.limit) return undefined;
    return `the limit of ${this.limit} child processes is reached (limits.children); try again when a session has ended`;
  }

  /** Takes a place until the given end. */
  take(ended: Promise<unknown>): void {
    this.#taken += 1;
    const free = (): void => {
      this.#taken -= 1;
    };
    ended.then(free, free);
  }
}
