/** How long one turn of the event loop works on messages, in milliseconds; what is left waits for the next turn. */
const SLICE_MS = 10;

/**
 * The time that all conversations together may check messages in one turn of the event loop, so that other
 * sockets are served in between. Work that has to wait goes on in the order in which it asked, a piece in
 * each turn.
 */
export class TimeSlice {
  readonly #now: () => number;
  readonly #nextTurn: (run: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  /** When this turn's first piece of work began. */
  #began: number | undefined;

  /**
   * @param now milliseconds on a clock that never goes back
   * @param nextTurn runs a function once the event loop has looked after its sockets
   */
  constructor(
    now: () => number = () => performance.now(),
    nextTurn: (run: () => void) => void = setImmediate,
  ) {
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Whether this turn's time is over. The first one who asks in a turn starts its time. */
  get over(): boolean {
    if (this.#began !== undefined) return this.#now() - this.#began >= SLICE_MS;
    this.#start();
    return false;
  }

  /** Runs a piece of work in a later turn, after all work that asked before. */
  later(work: () => void): void {
    this.#waiting.push(work);
    if (this.#began === undefined) this.#start();
  }

  /** Resolves in a later turn, after all work that asked before. */
  free(): Promise<void> {
    return new Promise((resolve) => this.later(resolve));
  }

  /**
   * Takes steps of some work: in this turn as long as its time lasts, and the others in later turns. Resolves to the
   * work's result, and rejects with what a step throws.
   */
  async take<T>(steps: Iterator<unknown, T>): Promise<T> {
    for (;;) {
      const taken = this.#takeSome(steps);
      if (taken.done === true) return taken.value;
      await this.free();
    }
  }

  /** Takes one step in any case. */
  #takeSome<T>(steps: Iterator<unknown, T>): IteratorResult<unknown, T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true || this.over) return step;
    }
  }

  #start(): void {
    this.#began = this.#now();
    this.#nextTurn(() => this.#end());
  }

  #end(): void {
    this.#began = undefined;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#start();
    work();
  }
}

/** The slice of this thread, which has one event loop. */
export const threadSlice: TimeSlice = new TimeSlice();

/**
 * Takes the messages of one sender in the order in which they came: as long as the time slice lasts, else in later
 * turns. A message never overtakes one that came before it.
 */
export class InOrder {
  readonly slice: TimeSlice;
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  constructor(slice: TimeSlice) {
    this.slice = slice;
  }

  /** How many messages wait. */
  get length(): number {
    return this.#length;
  }

  /** Takes a message once all before it are taken, which is when their `take` has resolved, and rejects if its own does. */
  run<T>(take: () => Promise<T>): Promise<T> {
    this.#length += 1;
    const taken = this.#after(this.#last, take);
    this.#last = taken.catch(() => {});
    return taken;
  }

  async #after<T>(before: Promise<unknown>, take: () => Promise<T>): Promise<T> {
    await before;
    if (this.slice.over) await this.slice.free();
    this.#length -= 1;
    return take();
  }
}
