import type { ResumableStream } from "./resumable-stream.ts";

/** The stream of what a server says by itself, up to 2025-11-25: one for each session. */
export class ServerStream {
  readonly #open: (signal: AbortSignal) => ResumableStream;
  readonly #ended: (error: unknown) => void;
  #listening: AbortController | undefined;

  /** @param ended told that the server gives no stream, or no more of it */
  constructor(open: (signal: AbortSignal) => ResumableStream, ended: (error: unknown) => void) {
    this.#open = open;
    this.#ended = ended;
  }

  /** Listens, where nobody does yet. */
  begin(): void {
    if (this.#listening !== undefined) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    this.#open(signal)
      .listen()
      .catch((error: unknown) => {
        if (!signal.aborted) this.#ended(error);
      });
  }

  /** Listens in a new session, and no more in the one before. */
  beginAnew(): void {
    this.end();
    this.#listening = undefined;
    this.begin();
  }

  end(): void {
    this.#listening?.abort();
  }
}
