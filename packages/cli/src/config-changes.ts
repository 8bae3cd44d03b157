import { watchConfig } from "@touchstone/gateway/config";

/**
 * Changes of configuration files, from before they are read: what is written while the gateway starts is
 * taken as soon as it can be.
 */
export class ConfigChanges {
  #missed = false;
  #take: () => void = () => {
    this.#missed = true;
  };
  readonly #watching: ReturnType<typeof watchConfig>;

  /** @param failed told where changes cannot be noticed */
  constructor(files: readonly string[], failed: (reason: string) => void) {
    this.#watching = watchConfig(files, () => this.#take(), failed);
  }

  /** Begins to take changes, with those that came before. */
  takeBy(take: () => void): void {
    this.#take = take;
    if (this.#missed) take();
  }

  close(): void {
    this.#watching.close();
  }
}
