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

  /**
   * Takes steps of some work: in this turn as long as its time lasts, and the others in later turns.
   * @returns the work's result, at once if it is done in this turn; rejects with what a step throws
   */
  take<T>(steps: Iterator<unknown, T>): T | Promise<T> {
    const taken = this.#takeSome(steps);
    return taken.done === true ? taken.value : this.#takeRest(steps);
  }

  /** Hands on what {@link take} returns, in the same turn if it is there at once. */
  takeThen<T, R>(steps: Iterator<unknown, T>, next: (taken: T) => R | Promise<R>): R | Promise<R> {
    const taken = this.take(steps);
    return taken instanceof Promise ? taken.then(next) : next(taken);
  }

  async #takeRest<T>(steps: Iterator<unknown, T>): Promise<T> {
    for (;;) {
      await new Promise<void>((resolve) => this.later(resolve));
      const taken = this.#takeSome(steps);
      if (taken.done === true) return taken.value;
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
 * Takes the messages of one sender in the order in which they came: at once as long as the time slice lasts,
 * else in later turns. A message that came later never overtakes one that waits.
 */
export class InOrder {
  readonly slice: TimeSlice;
  readonly #waiting: (() => Promise<unknown> | undefined)[] = [];
  #busy = false;
  #scheduled = false;

  constructor(slice: TimeSlice) {
    this.slice = slice;
  }

  /** How many messages wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Whether what comes now has to wait. */
  get isBehind(): boolean {
    return this.#busy || this.#waiting.length > 0 || this.slice.over;
  }

  /**
   * Takes a message: in this turn if none waits, so that the caller knows at once what became of it. The next one waits
   * until `take` has resolved.
   */
  run<T>(take: () => T | Promise<T>): T | Promise<T> {
    if (!this.isBehind) {
      const taken = take();
      if (taken instanceof Promise) this.#occupy(taken);
      return taken;
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          const taken = take();
          resolve(taken);
          return taken instanceof Promise ? taken : undefined;
        } catch (error) {
          reject(error);
          return undefined;
        }
      });
      this.#schedule();
    });
  }

  #occupy(taken: Promise<unknown>): void {
    this.#busy = true;
    const goOn = (): void => {
      this.#busy = false;
      this.#schedule();
    };
    taken.then(goOn, goOn);
  }

  #schedule(): void {
    if (this.#busy || this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    this.slice.later(() => {
      this.#scheduled = false;
      do {
        const taken = this.#waiting.shift()?.();
        if (taken !== undefined) this.#occupy(taken);
      } while (!this.#busy && this.#waiting.length > 0 && !this.slice.over);
      this.#schedule();
    });
  }
}
