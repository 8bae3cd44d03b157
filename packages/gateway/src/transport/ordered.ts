/** What {@link OrderedRelease.add} gives where nobody has to wait. */
const RELEASED: Promise<void> = Promise.resolve();

/** A result that has not been released yet, or the wait for one. */
interface Slot<T> {
  /** What is released, once it is there; or the error that came in its place. */
  outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  readonly released: () => void;
  readonly failed: (error: unknown) => void;
  next: Slot<T> | undefined;
}

/**
 * Runs tasks at once and releases their results in the order in which they were added, so that a
 * message that waits for its record to be durable is not overtaken by the one behind it. What is
 * ready and has nobody before it is released in the same turn.
 */
export class OrderedRelease<T> {
  readonly #release: (value: T) => Promise<void> | undefined | void;
  #head: Slot<T> | undefined;
  #last: Slot<T> | undefined;
  #tail: Promise<void> = Promise.resolve();
  #releasing = false;
  #length = 0;

  /** @param release is called with each result in turn, the next one after it has resolved. */
  constructor(release: (value: T) => Promise<void> | undefined | void) {
    this.#release = release;
  }

  /** How many results have not been released yet. */
  get length(): number {
    return this.#length;
  }

  /** Adds a result, or the promise of one. Resolves once it has been released. */
  add(value: T | Promise<T>): Promise<void> {
    const waits = value instanceof Promise || this.#releasing || this.#head !== undefined;
    return waits ? this.#queue(value) : this.#pass(value);
  }

  /** Releases what is ready and has nobody before it: most values take no place in the queue. */
  #pass(value: T): Promise<void> {
    this.#length += 1;
    this.#releasing = true;
    let released: Promise<void> | undefined | void;
    try {
      released = this.#release(value);
    } catch (error) {
      this.#passed();
      return Promise.reject(error);
    }
    if (released === undefined) {
      this.#passed();
      return RELEASED;
    }
    return this.#await(value, released);
  }

  #passed(): void {
    this.#releasing = false;
    this.#length -= 1;
    this.#releaseReady();
  }

  /** Puts a value in front of the queue whose release has begun and takes a while. */
  #await(value: T, wait: Promise<void>): Promise<void> {
    const done = new Promise<void>((released, failed) => {
      const slot: Slot<T> = { outcome: { value }, released, failed, next: this.#head };
      this.#head = slot;
      this.#last ??= slot;
      wait.then(
        () => this.#goOn(slot, released),
        (error: unknown) => this.#goOn(slot, () => failed(error)),
      );
    });
    // What was added while the release began stands behind it, and is waited for already.
    if (this.#head === this.#last) this.#tail = done;
    return done;
  }

  #queue(value: T | Promise<T>): Promise<void> {
    const done = new Promise<void>((released, failed) => {
      const slot: Slot<T> = { outcome: undefined, released, failed, next: undefined };
      if (this.#last === undefined) this.#head = slot;
      else this.#last.next = slot;
      this.#last = slot;
      this.#length += 1;
      if (value instanceof Promise) {
        value.then(
          (ready) => this.#settle(slot, { value: ready }),
          (error: unknown) => this.#settle(slot, { error }),
        );
      } else this.#settle(slot, { value });
    });
    this.#tail = done;
    return done;
  }

  /** Resolves when everything that was added so far has been released. */
  async settled(): Promise<void> {
    await this.#tail.catch(() => {});
  }

  #settle(slot: Slot<T>, outcome: Slot<T>["outcome"]): void {
    slot.outcome = outcome;
    this.#releaseReady();
  }

  #releaseReady(): void {
    while (!this.#releasing && this.#head?.outcome !== undefined) this.#releaseHead(this.#head);
  }

  #releaseHead(slot: Slot<T>): void {
    const { outcome } = slot;
    if (outcome === undefined || "error" in outcome) {
      this.#end(slot, () => slot.failed(outcome?.error));
      return;
    }
    this.#releasing = true;
    try {
      const released = this.#release(outcome.value);
      if (released === undefined) this.#end(slot, slot.released);
      else {
        released.then(
          () => this.#goOn(slot, slot.released),
          (error: unknown) => this.#goOn(slot, () => slot.failed(error)),
        );
      }
    } catch (error) {
      this.#end(slot, () => slot.failed(error));
    }
  }

  #goOn(slot: Slot<T>, tell: () => void): void {
    this.#end(slot, tell);
    this.#releaseReady();
  }

  #end(slot: Slot<T>, tell: () => void): void {
    this.#releasing = false;
    this.#head = slot.next;
    if (this.#head === undefined) this.#last = undefined;
    slot.next = undefined;
    slot.outcome = undefined;
    this.#length -= 1;
    tell();
  }
}
