import type { EventStream } from "./reply.ts";

/** Messages of the server's own that are kept until the client opens a stream for them. */
const MAX_BACKLOG = 100;

/**
 * The stream of a session for what its server says by itself (MCP 2025-11-25, Transports, Listening
 * for Messages from the Server): the newest one that the client opened, and what waits for it.
 */
export class OwnStream {
  readonly #backlog: Uint8Array[] = [];
  #stream: EventStream | undefined;
  /** Resolves when what was kept for the stream has been sent on it. */
  #caughtUp: Promise<void> = Promise.resolve();

  get open(): boolean {
    return this.#stream?.open === true;
  }

  /** Takes the place of the stream before. Resolves when what was kept for it has been sent. */
  async begin(stream: EventStream): Promise<void> {
    this.#stream?.leave();
    this.#stream = stream;
    this.#caughtUp = this.#catchUp(stream);
    await this.#caughtUp;
  }

  /** Sends a message, or keeps it for later. Gives the oldest one, where too many are kept. */
  async send(message: Uint8Array): Promise<Uint8Array | undefined> {
    await this.#behindBacklog();
    if (this.#stream?.open) {
      await this.#stream.send(message);
      return undefined;
    }
    this.#backlog.push(message);
    return this.#backlog.length > MAX_BACKLOG ? this.#backlog.shift() : undefined;
  }

  end(): void {
    this.#stream?.end();
  }

  /** What does not get to the client on this stream stays for the next one. */
  async #catchUp(stream: EventStream): Promise<void> {
    while (this.#stream === stream && stream.open) {
      const message = this.#backlog.shift();
      if (message === undefined) return;
      await stream.send(message);
    }
  }

  /** Another stream may have been begun meanwhile, which goes on with what was kept. */
  async #behindBacklog(): Promise<void> {
    let caughtUp: Promise<void>;
    do {
      caughtUp = this.#caughtUp;
      await caughtUp;
    } while (caughtUp !== this.#caughtUp);
  }
}
