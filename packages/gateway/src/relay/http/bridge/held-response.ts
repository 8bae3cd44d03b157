import type { OutgoingHttpHeaders } from "node:http";
import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import { BytePieces } from "@touchstone/util";
import { refusesInitialize } from "../../../eras/bridge/bridged-client.ts";
import { mediaType } from "../../../transport/http/headers.ts";
import type { HttpResponse } from "../../../transport/http/http-message.ts";
import { endsRequest } from "../../../transport/http/messages.ts";
import { SseSplitter } from "../../../transport/http/sse.ts";

/** What the response to `initialize` is; `silent`: none has come in time. */
export type InitializeOutcome = "refused" | "forwarded" | "silent";

/** More is not held: the response to `initialize` is short. */
const MAX_HELD = 1_048_576;

/**
 * The response to `initialize`, held until it is known whether the server has refused it. If it has not, everything
 * goes to the client as it was written; if it has, or if none comes in time, nothing does.
 */
export class HeldResponse implements HttpResponse {
  /** Resolves when the response is known, or over. */
  readonly decided: Promise<InitializeOutcome>;
  readonly #to: HttpResponse;
  readonly #held: (() => void)[] = [];
  readonly #body: BytePieces = new BytePieces();
  #events: SseSplitter | undefined;
  #status = 200;
  #hasHead = false;
  #hasEnd = false;
  #state: "held" | InitializeOutcome = "held";
  #resolve: (decision: InitializeOutcome) => void = () => {};

  constructor(to: HttpResponse) {
    this.#to = to;
    this.decided = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    to.once("close", () => this.#decide("forwarded"));
  }

  get headersSent(): boolean {
    return this.#hasHead || this.#to.headersSent;
  }
  get statusCode(): number {
    return this.#hasHead ? this.#status : this.#to.statusCode;
  }
  get destroyed(): boolean {
    return this.#to.destroyed;
  }
  get closed(): boolean {
    return this.#to.closed;
  }
  get writableEnded(): boolean {
    return this.#hasEnd || this.#to.writableEnded;
  }
  get writableNeedDrain(): boolean {
    return this.#state === "forwarded" && this.#to.writableNeedDrain;
  }
  get socket(): HttpResponse["socket"] {
    return this.#isDropped ? null : this.#to.socket;
  }
  get #isDropped(): boolean {
    return this.#state !== "held" && this.#state !== "forwarded";
  }

  /** Stops waiting for the response: the client gets nothing of it. */
  giveUp(): void {
    this.#decide("silent");
  }

  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    this.#hasHead = true;
    this.#status = status;
    const named = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type");
    const type = named?.[1];
    if (typeof type === "string" && mediaType(type) === "text/event-stream") {
      this.#events = new SseSplitter(MAX_HELD);
    }
    this.#do(() => this.#to.writeHead(status, headers));
    return this;
  }

  flushHeaders(): void {
    this.#do(() => this.#to.flushHeaders());
  }

  getHeader(name: string): number | string | string[] | undefined {
    return this.#to.getHeader(name);
  }

  write(bytes: Uint8Array | string): boolean {
    if (this.#state === "forwarded") return this.#to.write(bytes);
    this.#held.push(() => void this.#to.write(bytes));
    this.#look(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    return true;
  }

  end(bytes?: Uint8Array): this {
    this.#hasEnd = true;
    this.#do(() => void (bytes === undefined ? this.#to.end() : this.#to.end(bytes)));
    if (this.#state !== "held") return this;
    if (bytes !== undefined) this.#look(bytes);
    if (this.#state !== "held") return this;
    // What is not an error of JSON-RPC does not come from a server that only lacks the method.
    const isWhole = this.#events === undefined;
    this.#decide(isWhole ? bodyOutcome(this.#body.take(), this.#status) : "forwarded");
    return this;
  }

  destroy(): this {
    this.#do(() => void this.#to.destroy());
    this.#decide("forwarded");
    return this;
  }

  setTimeout(ms: number): this {
    if (!this.#isDropped) this.#to.setTimeout(ms);
    return this;
  }

  on(event: "close" | "drain" | "finish" | "timeout", listener: () => void): this {
    this.#to.on(event, listener);
    return this;
  }
  once(event: "close" | "finish", listener: () => void): this {
    this.#to.once(event, listener);
    return this;
  }
  off(event: "close" | "drain" | "timeout", listener: () => void): this {
    this.#to.off(event, listener);
    return this;
  }
  prependOnceListener(event: "finish", listener: () => void): this {
    this.#to.prependOnceListener(event, listener);
    return this;
  }

  #do(act: () => void): void {
    if (this.#state === "forwarded") act();
    else if (this.#state === "held") this.#held.push(act);
  }

  /** Looks for the first response in what is written. */
  #look(bytes: Uint8Array): void {
    if (this.#state !== "held") return;
    if (this.#events === undefined) {
      this.#body.push(bytes);
      if (this.#body.size > MAX_HELD) this.#decide("forwarded");
      return;
    }
    try {
      for (const { data } of this.#events.push(bytes)) {
        if (data === undefined || data.length === 0) continue;
        const frame = readFrame(data, { outline: true });
        // A request of the server, say, needs the client to respond first.
        if (!endsRequest(frame) && frame.kind !== "notification") this.#decide("forwarded");
        else if (endsRequest(frame)) this.#decide(outcomeOf(frame));
        if (this.#state !== "held") return;
      }
    } catch {
      this.#decide("forwarded");
    }
  }

  #decide(decision: InitializeOutcome): void {
    if (this.#state !== "held") return;
    this.#state = decision;
    const held = this.#held.splice(0);
    if (decision === "forwarded") for (const act of held) act();
    this.#resolve(decision);
  }
}

/** Statuses that say something else than that there is no such method. */
const ABOUT_ACCESS: ReadonlySet<number> = new Set([401, 403, 407, 413, 415, 429]);

function bodyOutcome(body: Uint8Array, status: number): "refused" | "forwarded" {
  if (ABOUT_ACCESS.has(status) || status >= 500) return "forwarded";
  return outcomeOf(readFrame(body, { outline: true }));
}

function outcomeOf(frame: Frame): "refused" | "forwarded" {
  return refusesInitialize(frame) ? "refused" : "forwarded";
}
