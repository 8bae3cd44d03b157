import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import { decodeUtf8, encodeUtf8 } from "@touchstone/core";
import type { StdioUpstream } from "@touchstone/gateway/config";
import { ChildLink, type LinkEnd } from "@touchstone/gateway/relay";
import { readFrame } from "@touchstone/protocol";
import type { ExactCalls } from "./exact-call.ts";
import { unreadableAnswer } from "./unreadable-answer.ts";

export interface StdioTransportOptions {
  readonly upstream: StdioUpstream;
  /** The whole environment that the server is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes what the server writes to stderr, line by line. */
  readonly stderr: (line: string) => void;
  /** When aborted, the server has only a moment left. */
  readonly stop: AbortSignal;
  /** The calls whose arguments and results pass as they were written. */
  readonly exact: ExactCalls;
}

/** Largest message that is taken, in bytes: as much as a gateway takes. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The MCP SDK's transport to a stdio server over the gateway's own link, which ends what the server has started as
 * well, and has every message at hand as it came.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** By this and {@link pid} the SDK knows that silence, or the end, may be an old server's answer. */
  readonly stderr: null = null;
  /** Resolves with the first message that comes. */
  readonly heard: Promise<void>;
  readonly #options: StdioTransportOptions;
  #link: ChildLink | undefined;
  #hear: () => void = () => {};
  #discoverId: RequestId | undefined;
  #hasInitialized = false;
  #discoveredLate = false;
  #fault: Error | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.heard = new Promise((resolve) => {
      this.#hear = resolve;
    });
  }

  get pid(): number | null {
    return this.#link?.pid ?? null;
  }

  /** Whether the server has said which revisions it has only when it had been sent `initialize` as well. */
  get discoveredLate(): boolean {
    return this.#discoveredLate;
  }

  /** Why the server was ended: an answer of it that is no JSON, for which nobody could wait longer. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** How the server ended; pends while it runs, or was not started. */
  get ended(): Promise<LinkEnd> {
    return this.#link?.ended ?? new Promise(() => {});
  }

  /** @throws Error with the system's code where the command cannot be started */
  async start(): Promise<void> {
    const { upstream, env, stderr, stop } = this.#options;
    const { command, args, cwd } = upstream;
    const link = new ChildLink(
      {
        command,
        args,
        env,
        maxFrameBytes: MAX_BYTES,
        stderr,
        hurry: stop,
        ...(cwd === undefined ? {} : { cwd }),
      },
      {
        frame: (bytes) => this.#take(bytes),
        oversize: ({ size }) =>
          this.onerror?.(new Error(`a message of ${size} bytes is too large`)),
      },
    );
    this.#link = link;
    void link.ended.then(() => this.onclose?.());
    if (link.pid !== undefined) return;
    const { code, reason } = await link.ended;
    throw Object.assign(new Error(reason), { code, path: command });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ("id" in message && "method" in message) {
      if (message.method === "server/discover") this.#discoverId = message.id;
      this.#hasInitialized ||= message.method === "initialize";
    }
    const text = JSON.stringify(message);
    await this.#link?.send(encodeUtf8(this.#options.exact.current?.outgoing(text) ?? text));
  }

  async close(): Promise<void> {
    await this.#link?.close();
  }

  /** What is no message is left out, as all clients do. */
  #take(bytes: Uint8Array): void {
    const frame = readFrame(bytes);
    if (frame.jsonrpc !== "2.0") return;
    this.#hear();
    if (frame.scan.error !== undefined) {
      this.#giveUpOn(unreadableAnswer(frame));
      return;
    }
    this.#options.exact.current?.incoming(bytes);
    const message = JSON.parse(decodeUtf8(bytes)) as JSONRPCMessage;
    if (this.#hasInitialized && "result" in message && message.id === this.#discoverId) {
      this.#discoveredLate = Array.isArray(message.result["supportedVersions"]);
    }
    this.onmessage?.(message);
  }

  #giveUpOn(fault: Error | undefined): void {
    if (fault === undefined) return;
    this.#fault ??= fault;
    void this.close().catch(() => {});
  }
}
