import { BoundedMap } from "./bounded-map.ts";

/** How long one turn of the event loop works on messages, in milliseconds; the rest waits for the next turn. */
const SLICE_MS = 10;
/** A sender that has used this much time, in milliseconds, waits until all others have had their turn. */
const BOUND_MS = 250;
/** How much of that is forgiven in each second, in milliseconds. */
const FORGIVEN_MS = 250;
/** How many keys to count time for. A dropped one starts again at zero. */
const MAX_KEYS = 10_000;

/** A sender, as the keys under which its time is counted: the one that is hardest to change first. */
export type Sender = readonly string[];

interface Work {
  readonly run: () => void;
  readonly sender: Sender;
}

/** A sender whose time is not counted. */
const NOBODY: Sender = [];

/** The end of a step: the next one may run in another turn, and after a promise if there is one. */
// biome-ignore lint/suspicious/noConfusingVoidType: most steps yield nothing
export type SlicePause = void | Promise<unknown>;

/** The recent time of each sender, under each of its keys. */
class UsedTime {
  readonly #used: BoundedMap<string, { readonly ms: number; readonly at: number }> = new BoundedMap(
    MAX_KEYS,
  );

  /**
   * Returns a sender's place in the order of turns: 0 if it used little time, and higher for a later turn. Each of its
   * keys counts more than the ones before it.
   */
  rank(sender: Sender, now: number): number {
    let rank = 0;
    for (const [i, key] of sender.entries()) {
      if (this.#left(key, now) >= BOUND_MS) rank += 2 ** i;
    }
    return rank;
  }

  add(sender: Sender, ms: number, now: number): void {
    for (const key of sender) this.#used.set(key, { ms: this.#left(key, now) + ms, at: now });
  }

  /** The used time that is not forgiven yet, in milliseconds. */
  #left(key: string, now: number): number {
    const used = this.#used.get(key);
    if (used === undefined) return 0;
    return Math.max(0, used.ms - ((now - used.at) * FORGIVEN_MS) / 1_000);
  }
}

/**
 * The time that all conversations together may spend on messages in one turn of the event loop, so that other sockets
 * are served in between. Waiting work continues in order, a piece in each turn. A sender that uses more than a
 * quarter of each second, over all of its conversations, waits until no other sender does; nothing is lost or
 * refused.
 */
export class TimeSlice {
  readonly #now: () => number;
  readonly #nextTurn: (run: () => void) => void;
  readonly #waiting: Work[] = [];
  readonly #used = new UsedTime();
  /** When this turn's first piece of work began. */
  #began: number | undefined;
  /** The sender whose work runs, and since when. */
  #sender: Sender = NOBODY;
  #since = 0;

  /**
   * @param now a monotonic clock, in milliseconds
   * @param nextTurn runs a function after the event loop has served its sockets
   */
  constructor(
    now: () => number = () => performance.now(),
    nextTurn: (run: () => void) => void = setImmediate,
  ) {
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /**
   * Resolves when it is a sender's turn; default: a sender whose time is not counted. Returns undefined if it is the
   * sender's turn already: this turn of the event loop has time left, and no sender that used less time waits. From
   * then on, time counts as this sender's until another sender's turn or the end of this turn.
   */
  turnOf(sender: Sender = NOBODY): Promise<void> | undefined {
    return this.isTurnOf(sender) ? undefined : this.#free(sender);
  }

  /** Whether this turn of the event loop has time left. */
  get hasTime(): boolean {
    return !this.#isOver;
  }

  /** Returns whether it is a sender's turn now. If so, its time counts from here on, as for {@link turnOf}. */
  isTurnOf(sender: Sender): boolean {
    if (this.#isOver || this.#mustWait(sender)) return false;
    this.#bill(sender);
    return true;
  }

  /**
   * Runs the steps of some work: in this turn while its time lasts, the rest in later turns. If a step yields a
   * promise, the rest waits for that. Resolves to the work's result; rejects with the error of a step.
   */
  async take<T>(steps: Iterator<SlicePause, T>, sender: Sender = NOBODY): Promise<T> {
    for (;;) {
      const taken = this.#takeSome(steps);
      if (taken.done === true) return taken.value;
      await taken.value;
      await this.#free(sender);
    }
  }

  /** Runs one step in any case. */
  #takeSome<T>(steps: Iterator<SlicePause, T>): IteratorResult<SlicePause, T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true || step.value !== undefined || this.#isOver) return step;
    }
  }

  /** Returns whether this turn's time is over. The first call in a turn starts its time. */
  get #isOver(): boolean {
    if (this.#began !== undefined) return this.#now() - this.#began >= SLICE_MS;
    this.#start();
    return false;
  }

  #free(sender: Sender): Promise<void> {
    return new Promise((run) => {
      this.#waiting.push({ run, sender });
      if (this.#began === undefined) this.#start();
    });
  }

  #mustWait(sender: Sender): boolean {
    return this.#waiting.length > 0 && this.#used.rank(sender, this.#now()) > 0;
  }

  /** Counts the time so far for the sender that used it, and the time from now on for this sender. */
  #bill(sender: Sender): void {
    // The sender has not changed, so its time goes on.
    if (sender === this.#sender || (sender.length === 0 && this.#sender.length === 0)) return;
    const now = this.#now();
    this.#used.add(this.#sender, now - this.#since, now);
    this.#sender = sender;
    this.#since = now;
  }

  #start(): void {
    this.#began = this.#now();
    this.#nextTurn(() => this.#end());
  }

  #end(): void {
    this.#bill(NOBODY);
    this.#began = undefined;
    const work = this.#takeNext();
    if (work === undefined) return;
    this.#start();
    this.#bill(work.sender);
    work.run();
  }

  /** Removes and returns the first waiting work of the senders that used least. */
  #takeNext(): Work | undefined {
    const now = this.#now();
    let next = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#waiting.length && least > 0; i += 1) {
      const rank = this.#used.rank((this.#waiting[i] as Work).sender, now);
      if (rank >= least) continue;
      next = i;
      least = rank;
    }
    return this.#waiting.splice(next, 1)[0];
  }
}

/** The slice of this thread, which has one event loop. */
export const threadSlice: TimeSlice = new TimeSlice();

/**
 * Takes the messages of one sender in order: while the time slice lasts, else in later turns. A message never
 * overtakes an earlier one.
 */
export class OrderedWork {
  readonly #slice: TimeSlice;
  readonly #sender: Sender;
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;
  /** How many messages wait or are being taken. */
  #busy = 0;

  /** @param sender whose time the messages use */
  constructor(slice: TimeSlice, sender: Sender = NOBODY) {
    this.#slice = slice;
    this.#sender = sender;
  }

  /** Runs steps in the sender's time: {@link TimeSlice.take}. */
  steps<T>(steps: Iterator<SlicePause, T>): Promise<T> {
    return this.#slice.take(steps, this.#sender);
  }

  /** How many messages wait. */
  get length(): number {
    return this.#length;
  }

  /** Returns whether a message may be taken at once: all earlier ones are taken, and it is the sender's turn. */
  get isFree(): boolean {
    return this.#busy === 0 && this.#slice.isTurnOf(this.#sender);
  }

  /**
   * Takes a message after all earlier ones are taken, which is when their `take` has resolved; rejects if its own
   * does.
   */
  run<T>(take: () => Promise<T>): Promise<T> {
    this.#length += 1;
    this.#busy += 1;
    const taken = this.#after(this.#last, take);
    this.#last = taken.catch(() => {});
    return taken;
  }

  async #after<T>(before: Promise<unknown>, take: () => Promise<T>): Promise<T> {
    try {
      await before;
      const turn = this.#slice.turnOf(this.#sender);
      if (turn !== undefined) await turn;
      this.#length -= 1;
      return await take();
    } finally {
      this.#busy -= 1;
    }
  }
}
