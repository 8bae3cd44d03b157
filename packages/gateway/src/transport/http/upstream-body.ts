import { Readable } from "node:stream";
import { BytePieces, concatBytes } from "@touchstone/util";
import type { Dispatcher } from "undici";
import { BodyTooLargeError, readBody } from "./body.ts";

/** How many bytes of a body may arrive before its reader takes them; then its connection is paused. */
const HIGH_WATER = 65_536;

/** The body of an upstream's response. It is read once: as a whole, piece by piece, or as a stream. */
export interface UpstreamBody {
  /**
   * Reads the body to the end.
   * @throws BodyTooLargeError as soon as it is larger than `limit` bytes; call {@link discard} then
   */
  whole(limit: number): Promise<Uint8Array>;
  /**
   * Returns its bytes if all of them have arrived, uncompressed, and there are at most `limit` of them; else
   * undefined. Does not count as reading.
   */
  peek(limit: number): Promise<Uint8Array | undefined>;
  /** A reader that stops before the end discards the rest. */
  pieces(): AsyncIterable<Uint8Array>;
  stream(): Readable;
  /** Drops the unread part, and its connection. */
  discard(): void;
}

interface Waiting {
  readonly limit: number;
  readonly resolve: (body: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

type Controller = Pick<Dispatcher.DispatchController, "abort" | "pause" | "resume">;

/**
 * A body as undici delivers it. Most have arrived before they are read and need no stream, which would cost several
 * times as much as the bytes.
 */
export class IncomingBody implements UpstreamBody {
  readonly #controller: Controller;
  readonly #pieces: BytePieces = new BytePieces();
  #ended = false;
  #error: Error | undefined;
  #waiting: Waiting | undefined;
  /** The reader that is waiting for the next piece. */
  #next: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  #stream: Readable | undefined;

  /** @param controller of its connection */
  constructor(controller: Controller) {
    this.#controller = controller;
  }

  /** Takes an arrived piece. */
  take(chunk: Uint8Array): void {
    if (this.#stream !== undefined) {
      if (!this.#stream.push(chunk)) this.#controller.pause();
      return;
    }
    this.#pieces.push(chunk);
    this.#next?.resolve();
    if (this.#pieces.size <= (this.#waiting?.limit ?? HIGH_WATER)) return;
    this.#controller.pause();
    if (this.#waiting !== undefined) this.#waiting.reject(this.#tooLarge(this.#waiting.limit));
  }

  end(): void {
    this.#ended = true;
    this.#stream?.push(null);
    this.#next?.resolve();
    this.#waiting?.resolve(this.#pieces.take());
  }

  fail(error: Error): void {
    this.#error = error;
    this.#next?.reject(error);
    this.#waiting?.reject(error);
    // Runs after the reader of the last piece.
    if (this.#stream !== undefined) queueMicrotask(() => this.#stream?.destroy(error));
  }

  async whole(limit: number): Promise<Uint8Array> {
    if (this.#pieces.size > limit) throw this.#tooLarge(limit);
    if (this.#error !== undefined) throw this.#error;
    if (this.#ended) return this.#pieces.take();
    return new Promise((resolve, reject) => {
      this.#waiting = { limit, resolve, reject };
      this.#controller.resume();
    });
  }

  async peek(limit: number): Promise<Uint8Array | undefined> {
    while (!this.#ended && this.#pieces.size <= limit) await this.#more();
    return this.#pieces.size > limit ? undefined : concatBytes(this.#pieces.parts);
  }

  pieces(): AsyncIterable<Uint8Array> {
    const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      if (this.#pieces.size === 0 && !this.#ended) await this.#more();
      const value = this.#pieces.shift();
      return value === undefined ? { done: true, value } : { done: false, value };
    };
    const leave = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      this.discard();
      return { done: true, value: undefined };
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
  }

  #tooLarge(limit: number): BodyTooLargeError {
    return new BodyTooLargeError(limit, this.#pieces.size, this.#pieces.parts);
  }

  #more(): Promise<void> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      this.#next = { resolve, reject };
      this.#controller.resume();
    });
  }

  stream(): Readable {
    const stream = new Readable({
      read: () => this.#controller.resume(),
      destroy: (error, done) => {
        this.discard();
        done(error);
      },
    });
    // A body that is cut off emits an error, which may have no listener anymore.
    stream.on("error", () => {});
    this.#stream = stream;
    stream.push(this.#pieces.take());
    if (this.#ended) stream.push(null);
    if (this.#error !== undefined) stream.destroy(this.#error);
    return stream;
  }

  discard(): void {
    if (this.#ended || this.#error !== undefined) return;
    this.#controller.abort(new Error("the response was not read to its end"));
  }
}

/** A body from a stream. */
export class StreamBody implements UpstreamBody {
  readonly #stream: Readable;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  whole(limit: number): Promise<Uint8Array> {
    return readBody(this.#stream, limit);
  }

  peek(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  pieces(): AsyncIterable<Uint8Array> {
    return this.#stream;
  }

  stream(): Readable {
    return this.#stream;
  }

  discard(): void {
    this.#stream.on("error", () => {}).destroy();
  }
}
