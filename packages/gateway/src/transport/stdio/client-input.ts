import { once } from "node:events";
import type { Readable } from "node:stream";
import { type Line, LineSplitter } from "./lines.ts";

/** After how long a paused client is read anyway, in milliseconds; the delay doubles each time. */
const LOOK_MS = 1_000;
const LAST_LOOK_MS = 30_000;
/** How many bytes of a paused client to read at most: much more than a pipe holds after the client has left. */
const LOOK_BYTES: number = 4 * 1024 * 1024;

export interface ClientInputEvents {
  readonly line: (line: Line) => void;
  /** Called when the client has closed its side, or can no longer be read. May be called more than once. */
  readonly left: () => void;
}

/**
 * The client's side of a conversation over a stream, line by line. A disconnect is only noticed by reading to the
 * end, so a paused client is still read a little from time to time.
 */
export class ClientInput {
  readonly #input: Readable;
  readonly #splitter: LineSplitter;
  readonly #events: ClientInputEvents;
  #ended = false;
  #held = false;
  #looked = 0;
  #look: NodeJS.Timeout | undefined;

  /** @param maxBytes longest line to pass on as a whole */
  constructor(input: Readable, maxBytes: number, events: ClientInputEvents) {
    this.#input = input;
    this.#splitter = new LineSplitter(maxBytes, { outlined: true });
    this.#events = events;
    input.on("data", (chunk: Buffer) => this.#take(chunk));
    input.once("end", () => this.#end());
    input.once("error", events.left);
    input.once("close", events.left);
  }

  /** Whether the client has closed its side, which ends the conversation in MCP over stdio. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves when the client sends something, or after a time in milliseconds. */
  async something(within: number): Promise<void> {
    await once(this.#input, "data", { signal: AbortSignal.timeout(within) }).catch(() => {});
  }

  /** Pauses the client until {@link resume}: its writes fill its pipe, and it must wait. */
  pause(): void {
    this.#input.pause();
    if (this.#held || this.#ended) return;
    this.#held = true;
    this.#looked = 0;
    this.#lookIn(LOOK_MS);
  }

  resume(): void {
    this.#held = false;
    clearTimeout(this.#look);
    this.#input.resume();
  }

  /** Stops reading. */
  stop(): void {
    clearTimeout(this.#look);
    this.#input.pause();
  }

  #take(chunk: Buffer): void {
    if (this.#held) {
      this.#looked += chunk.length;
      this.#input.pause();
    }
    for (const line of this.#splitter.push(chunk)) this.#events.line(line);
  }

  #lookIn(milliseconds: number): void {
    this.#look = setTimeout(() => {
      if (this.#looked > LOOK_BYTES) return;
      this.#input.resume();
      this.#lookIn(Math.min(2 * milliseconds, LAST_LOOK_MS));
    }, milliseconds).unref();
  }

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#look);
    const rest = this.#splitter.flush();
    if (rest) this.#events.line(rest);
    this.#events.left();
  }
}
