import { once } from "node:events";
import type { Readable } from "node:stream";
import { type Line, LineSplitter } from "./lines.ts";

export interface ClientInputEvents {
  readonly line: (line: Line) => void;
  /** The client has closed its side, or can no longer be read. It may be told more than once. */
  readonly left: () => void;
}

/** The client's side of a conversation over a stream, line by line. */
export class ClientInput {
  readonly #input: Readable;
  readonly #splitter: LineSplitter;
  readonly #events: ClientInputEvents;
  #ended = false;

  /** @param maxBytes longest line that is given whole */
  constructor(input: Readable, maxBytes: number, events: ClientInputEvents) {
    this.#input = input;
    this.#splitter = new LineSplitter(maxBytes);
    this.#events = events;
    input.on("data", (chunk: Buffer) => this.#take(chunk));
    input.once("end", () => this.#end());
    input.once("error", events.left);
    input.once("close", events.left);
  }

  /** Whether the client has closed its side, and so ended the conversation as MCP has it over stdio. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves when the client sends something, or after a time in milliseconds. */
  async something(within: number): Promise<void> {
    await once(this.#input, "data", { signal: AbortSignal.timeout(within) }).catch(() => {});
  }

  /** Holds the client back until {@link resume}: what it writes fills its pipe, and it has to wait. */
  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  /** Reads no more. */
  stop(): void {
    this.#input.pause();
  }

  #take(chunk: Buffer): void {
    for (const line of this.#splitter.push(chunk)) this.#events.line(line);
  }

  #end(): void {
    this.#ended = true;
    const rest = this.#splitter.flush();
    if (rest) this.#events.line(rest);
    this.#events.left();
  }
}
