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

  get open(): boolean {
    return this.#stream?.open === true;
  }

  /** Takes the place of the stream before. */
  async begin(stream: EventStream): Promise<void> {
    this.#stream?.leave();
    this.#stream = stream;
    for (const message of this.#backlog.splice(0)) await stream.send(message);
  }

  /** Sends a message, or keeps it for later. Gives the oldest one, where too many are kept. */
  async send(message: Uint8Array): Promise<Uint8Array | undefined> {
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
}
