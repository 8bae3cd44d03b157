import type { OutgoingHttpHeaders } from "node:http";
import type { Frame } from "@touchstone/protocol/advanced";
import type { BridgedClient, Crossing } from "../../../eras/bridge/bridged-client.ts";
import type { HttpResponse } from "../../../transport/http/http-message.ts";
import type { Reply } from "../../../transport/http/reply.ts";
import { InnerResponse, type PlainResponse } from "./inner-response.ts";

export interface BridgedRequestParts {
  readonly client: BridgedClient;
  /** The client's POST, and the response to it. */
  readonly response: HttpResponse;
  readonly reply: Reply;
  /** The largest body or event of the server. */
  readonly maxBytes: number;
  /** Sends a message that the bridge has written to the endpoint inside. */
  readonly post: (bytes: Uint8Array, to: HttpResponse) => Promise<void>;
  /** Takes a response without a JSON-RPC response in it. */
  readonly plain: (plain: PlainResponse) => void;
}

/** One request of a client, from its POST to its response, with all rounds in which the server asks for input. */
export class BridgedRequest {
  /** Resolves when the client has its response, or gets none. Rejects if a message could not be sent. */
  readonly over: Promise<void>;
  readonly #parts: BridgedRequestParts;
  #inner: InnerResponse | undefined;
  #last: Promise<void> = Promise.resolve();
  /** How many messages the server has not responded to yet. */
  #sent = 0;
  /** Whether the client is to respond to requests for input. */
  #isWaiting = false;
  #resolve: () => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(parts: BridgedRequestParts) {
    this.#parts = parts;
    this.over = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    parts.response.once("close", () => this.#leave());
  }

  /** Sends the request, or sends it again. */
  send(bytes: Uint8Array): void {
    this.#isWaiting = false;
    this.#sent += 1;
    this.#round(bytes).then(() => {
      this.#sent -= 1;
      this.#endIfOver();
    }, this.#reject);
  }

  /** Continues with what came of another message of the client. */
  async take({ notices = [], back, onward }: Crossing): Promise<void> {
    const { reply } = this.#parts;
    for (const notice of notices) await reply.message(notice);
    if (onward !== undefined) this.send(onward);
    if (back === undefined) return;
    await reply.answer(back);
    this.#isWaiting = false;
    this.#endIfOver();
  }

  /** Ends the request without a response. */
  cancel(): void {
    this.#parts.reply.withdraw(1);
    this.#leave();
  }

  async #round(bytes: Uint8Array): Promise<void> {
    const { maxBytes, plain, post, reply } = this.#parts;
    const inner = new InnerResponse(
      {
        message: (frame) => this.#show(frame, (message) => reply.message(message)),
        answer: (frame, status, headers) => this.#answer(frame, status, headers),
        none: plain,
      },
      maxBytes,
    );
    this.#inner = inner;
    const ended = new Promise<void>((resolve) => {
      inner.once("finish", resolve).once("close", resolve);
    });
    await post(bytes, inner);
    await ended;
    await this.#last;
  }

  #answer(frame: Frame, status: number, headers: OutgoingHttpHeaders): void {
    const { reply } = this.#parts;
    for (const name of ["www-authenticate", "retry-after"]) {
      const value = headers[name];
      if (typeof value === "string") reply.header(name, value);
    }
    this.#show(frame, (message) => reply.answer(message, { status: statusFor(status) }));
  }

  #show(frame: Frame, write: (bytes: Uint8Array) => Promise<void>): void {
    const { client, reply } = this.#parts;
    const shown = async (): Promise<void> => {
      const { messages, again, isOpen = false } = await client.shown(frame.bytes);
      if (isOpen) this.#isWaiting = true;
      for (const message of messages) await (isOpen ? reply.message(message) : write(message));
      if (again !== undefined) this.send(again);
    };
    this.#last = this.#last.then(shown).catch(() => {});
  }

  #leave(): void {
    this.#isWaiting = false;
    this.#inner?.destroy();
    this.#endIfOver();
  }

  #endIfOver(): void {
    if (this.#sent === 0 && !this.#isWaiting) this.#resolve();
  }
}

/**
 * Returns the status of a JSON-RPC response for the client. In its revision an error has 200: 404 would mean that its
 * session has ended.
 */
function statusFor(status: number): number {
  return status === 400 || status === 404 ? 200 : status;
}
