/** Work on one thing in the order in which it came, and on different things at the same time. */
export class Turns {
  readonly #last: Map<string, Promise<unknown>> = new Map();

  /** @param work begins when what came before for this key has ended, be it with an error */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const done = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, done);
    const leave = (): void => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(leave, leave);
    return done;
  }
}
