/** Holds back whoever waits at it while it is closed. */
export class Gate {
  #opened: Promise<void> | undefined;
  #open: () => void = () => {};

  /** Whether waiting would take any time. */
  get closed(): boolean {
    return this.#opened !== undefined;
  }

  close(): void {
    this.#opened ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
    this.#opened = undefined;
  }

  /** Resolves when the gate is open; at once where it is. */
  async passed(): Promise<void> {
    while (this.#opened !== undefined) await this.#opened;
  }
}
