import type { Frame } from "@touchstone/protocol/advanced";
import { RequestsById } from "@touchstone/util";

/** The POSTs of a link whose responses are not complete. */
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

  /** Resolves when all pending responses have arrived, or the signal is aborted. */
  async idle(signal: AbortSignal): Promise<void> {
    // Subscriptions have no end, and neither do streams that a server leaves open.
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

/** An open POST, and its pending requests. */
export class OpenPost {
  readonly abort: AbortController = new AbortController();
  readonly method: string | undefined;
  /** The ids as the client wrote them. A batch may contain an id twice: each request then has a separate response. */
  readonly #open: RequestsById<string> = new RequestsById();
  #heard = false;
  readonly #through: (() => void) | undefined;

  /**
   * @param requests those of the POST
   * @param through called whenever the server has sent something about the POST and no request is pending
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

  /** Ends one request with this id. Returns false if none is pending. */
  answer(idKey: string): boolean {
    return this.#open.take(idKey) !== undefined;
  }

  /** Whether the server has not sent everything yet; only the status may be missing. */
  get isAwaited(): boolean {
    return this.size > 0 || !this.#heard;
  }

  /** Notes that the server has sent something about the POST. */
  heard(): void {
    this.#heard = true;
    if (this.size === 0) this.#through?.();
  }

  /** None waits anymore. */
  clear(): void {
    this.#open.clear();
  }
}
