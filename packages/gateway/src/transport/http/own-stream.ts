import type { EventStream } from "./reply.ts";

/** Messages of the server's own, and their bytes, that are kept until the client opens a stream for them. */
const MAX_BACKLOG = 100;
const MAX_BACKLOG_BYTES: number = 4 * 1024 * 1024;
const NONE: readonly Uint8Array[] = [];

/**
 * The stream of a session for what its server says by itself (MCP 2025-11-25, Transports, Listening
 * for Messages from the Server): the newest one that the client opened, and what waits for it.
 */
export class OwnStream {
  readonly #backlog: Uint8Array[] = [];
  #backlogBytes = 0;
  #stream: EventStream | undefined;
  /** As long as what was kept for the stream is being sent on it, when that is done. */
  #caughtUp: Promise<void> | undefined;

  get open(): boolean {
    return this.#stream?.open === true;
  }

  /** Takes the place of the stream before. Resolves when what was kept for it has been sent. */
  async begin(stream: EventStream): Promise<void> {
    this.#stream?.leave();
    this.#stream = stream;
    const caughtUp = this.#catchUp(stream);
    this.#caughtUp = caughtUp;
    await caughtUp;
    if (this.#caughtUp === caughtUp) this.#caughtUp = undefined;
  }

  /** Sends a message, or keeps it for later. Gives the oldest ones, where too many or too large ones are kept. */
  async send(message: Uint8Array): Promise<readonly Uint8Array[]> {
    // Another stream may be begun meanwhile, which goes on with what was kept.
    while (this.#caughtUp !== undefined) await this.#caughtUp;
    if (this.#stream?.open) {
      await this.#stream.send(message);
      return NONE;
    }
    this.#backlog.push(message);
    this.#backlogBytes += message.length;
    const dropped: Uint8Array[] = [];
    while (this.#backlog.length > MAX_BACKLOG || this.#backlogBytes > MAX_BACKLOG_BYTES) {
      dropped.push(this.#takeOldest() ?? message);
    }
    return dropped;
  }

  end(): void {
    this.#stream?.end();
  }

  /** What does not get to the client on this stream stays for the next one. */
  async #catchUp(stream: EventStream): Promise<void> {
    while (this.#stream === stream && stream.open) {
      const message = this.#takeOldest();
      if (message === undefined) return;
      await stream.send(message);
    }
  }

  #takeOldest(): Uint8Array | undefined {
    const oldest = this.#backlog.shift();
    this.#backlogBytes -= oldest?.length ?? 0;
    return oldest;
  }
}
