import type { OpenPost } from "./open-post.ts";

/** The POSTs of a link that are under way. */
export class OpenPosts {
  readonly #posts: Set<OpenPost> = new Set();
  #onEnd: () => void = () => {};

  add(post: OpenPost): void {
    this.#posts.add(post);
  }

  end(post: OpenPost): void {
    this.#posts.delete(post);
    this.#onEnd();
  }

  /** Aborts the POST of one request, without an answer to it. */
  cancel(idKey: string): void {
    for (const post of this.#posts) if (post.answer(idKey)) post.abort.abort();
  }

  abortAll(): void {
    for (const { abort } of this.#posts) abort.abort();
  }

  /** Resolves when the answers have come that were still awaited, or when the signal is aborted. */
  async idle(signal: AbortSignal): Promise<void> {
    // A subscription has no end of its own, nor has a stream that a server leaves open.
    const busy = [...this.#posts].filter(
      ({ isAwaited, method }) => isAwaited && method !== "subscriptions/listen",
    );
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (signal.aborted || busy.every((post) => !this.#posts.has(post))) resolve();
      };
      this.#onEnd = look;
      signal.addEventListener("abort", look, { once: true });
      look();
    });
  }
}
