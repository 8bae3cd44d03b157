import type { Frame } from "@touchstone/protocol";
import { ById } from "../../util/by-id.ts";

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

  /** Aborts the POST of one request, without a response to it. */
  cancel(idKey: string): void {
    for (const post of this.#posts) if (post.answer(idKey)) post.abort.abort();
  }

  abortAll(): void {
    for (const { abort } of this.#posts) abort.abort();
  }

  /** Resolves when the responses have come that were still awaited, or when the signal is aborted. */
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

/** A POST that is under way, and the requests in it that have no response yet. */
export class OpenPost {
  readonly abort: AbortController = new AbortController();
  readonly method: string | undefined;
  /** The ids as the client wrote them. It may use one twice in a batch: each has a response of its own. */
  readonly #open: ById<string> = new ById();
  #heard = false;
  readonly #through: (() => void) | undefined;

  /**
   * @param requests those that it holds
   * @param through told each time that the server has said something of it, and none waits any more
   */
  constructor(method: string | undefined, requests: readonly Frame[], through?: () => void) {
    this.method = method;
    this.#through = through;
    for (const { id, idKey: key } of requests) {
      if (id && key) this.#open.add(key, id);
    }
  }

  /** How many requests have no response. */
  get size(): number {
    return this.#open.size;
  }

  /** Their ids, by key. */
  get keys(): readonly string[] {
    return [...this.#open.entries()].map(([key]) => key);
  }

  /** Their ids, as the client wrote them. */
  get ids(): readonly string[] {
    return [...this.#open.values()];
  }

  /** One request with this id waits no more. False if none does. */
  answer(idKey: string): boolean {
    return this.#open.take(idKey) !== undefined;
  }

  /** Whether the server still owes something of it, be it only a word that it has come. */
  get isAwaited(): boolean {
    return this.size > 0 || !this.#heard;
  }

  /** Takes note that the server has said something of it. */
  heard(): void {
    this.#heard = true;
    if (this.size === 0) this.#through?.();
  }

  /** None waits any more. */
  clear(): void {
    this.#open.clear();
  }
}
