import { decodeUtf8 } from "@touchstone/core/advanced";
import type { LinkEvents, ServerLink } from "@touchstone/gateway/transport";
import {
  ERROR_CODES,
  errorFrame,
  type Frame,
  idKey,
  looksLikeMessage,
  notificationFrame,
  readableId,
  requestFrame,
  resultFrame,
} from "@touchstone/protocol/advanced";
import type { ReportFinding } from "../findings/finding.ts";
import { JsonRpcResponseError } from "./json-rpc-error.ts";
import { envelopeFindings, idFinding, serverFinding } from "./response-findings.ts";
import { StdoutLines } from "./stdout-lines.ts";

/** Largest message to accept, in bytes: the same as for a gateway. */
export const MAX_BYTES: number = 64 * 1024 * 1024;

/** A request that is waiting for its response. */
interface Waiting {
  readonly id: number;
  readonly key: string;
  readonly method: string;
  readonly resolve: (frame: Frame) => void;
  readonly reject: (error: Error) => void;
}

/** Members that occur only in the result of one method. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ["initialize", "protocolVersion"],
  ["server/discover", "supportedVersions"],
  ["tools/list", "tools"],
  ["tools/call", "content"],
]);

/** The framing of the Language Server Protocol, which some servers use by mistake. */
const CONTENT_LENGTH = /^Content-Length:\s*\d/i;
const SHOWN = 120;

/**
 * A server at the other end of a link, seen by a client that looks for faults: it accepts responses that SDK clients
 * refuse or cannot match with a request, and records a finding for each fault.
 */
export class ServerPeer {
  /** The faults in the messages received. */
  readonly findings: ReportFinding[] = [];
  readonly #link: ServerLink;
  readonly #waiting: Map<string, Waiting> = new Map();
  /** The ids, by key, of all requests, and of those with a response. */
  readonly #known: Set<string> = new Set();
  readonly #answered: Set<string> = new Set();
  readonly #lines: StdoutLines;
  readonly #stop: AbortSignal;
  readonly #hasten: () => void;
  #asked = 0;
  #heard = false;
  #noise: { readonly first: string; count: number } | undefined;
  #closed: Promise<void> | undefined;
  /** Why the link has ended; undefined until then. */
  #end: Error | undefined;

  /**
   * @param connect opens the link
   * @param stop when aborted, the link is closed
   */
  constructor(connect: (events: LinkEvents) => ServerLink, stop: AbortSignal) {
    this.#lines = new StdoutLines({
      message: (frame) => this.#take(frame),
      unreadable: (frame) => this.#unreadable(frame),
      odd: (what) => this.#odd(what),
    });
    this.#link = connect({
      frame: (bytes) => this.#lines.take(bytes),
      oversize: ({ size }) =>
        this.#rejectAll(new Error(`its response of ${size} bytes is too large`)),
      failed: (error, answers) => {
        for (const key of answers) this.#waiting.get(key)?.reject(error);
      },
    });
    this.#stop = stop;
    this.#hasten = () => void this.close().catch(() => {});
    if (stop.aborted) this.#hasten();
    else stop.addEventListener("abort", this.#hasten, { once: true });
    void this.#link.ended.then(({ code, reason }) => {
      this.#lines.flush();
      this.#end = Object.assign(new Error(reason), { code: code ?? "CONNECTION_CLOSED" });
      this.#rejectAll(this.#end);
    });
  }

  /** How many requests were sent. */
  get asked(): number {
    return this.#asked;
  }

  /** Whether any message has arrived. */
  get heard(): boolean {
    return this.#heard;
  }

  /**
   * Sends a request.
   * @param params JSON text, sent unchanged
   * @param timeout in milliseconds
   * @param signal when aborted, this stops waiting; the request is not canceled at the server
   * @returns the response; its result may be of any shape
   * @throws JsonRpcResponseError if the server responds with an error; Error if there is no response, or no readable one
   */
  async request(
    method: string,
    params: string,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Frame> {
    signal?.throwIfAborted();
    if (this.#end !== undefined) throw this.#end;
    this.#asked += 1;
    const id = this.#asked;
    const key = idKey(String(id));
    this.#known.add(key);
    let timer: NodeJS.Timeout | undefined;
    let abort = (): void => {};
    try {
      return await new Promise<Frame>((resolve, reject) => {
        this.#waiting.set(key, { id, key, method, resolve, reject });
        timer = setTimeout(() => reject(this.#late()), timeout);
        abort = () => reject(new Error("no request waits for the response anymore"));
        signal?.addEventListener("abort", abort, { once: true });
        this.#link.send(requestFrame(String(id), method, params)).catch(reject);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#waiting.delete(key);
    }
  }

  notify(method: string): void {
    this.#link.send(notificationFrame(method)).catch(() => {});
  }

  /** Closes the link, and ends the server if this command has started it. */
  close(graceMs?: number): Promise<void> {
    this.#closed ??= this.#link.close(graceMs, this.#stop).finally(() => {
      this.#stop.removeEventListener("abort", this.#hasten);
    });
    return this.#closed;
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  #late(): Error {
    const noise = this.#noise;
    const error = Object.assign(new Error("it did not respond in time"), {
      code: "REQUEST_TIMEOUT",
    });
    if (noise === undefined) return error;
    const said = `; on stdout it wrote ${JSON.stringify(noise.first)}, which is not a JSON-RPC message`;
    return Object.assign(error, { said });
  }

  #take(frame: Frame): void {
    this.#heard = true;
    switch (frame.kind) {
      case "request":
        this.#answer(frame);
        return;
      case "notification":
        return;
      default:
        this.#settle(frame);
    }
  }

  /** A client responds to pings and supports no other method. */
  #answer({ id, method }: Frame): void {
    if (id === undefined) return;
    const frame =
      method === "ping"
        ? resultFrame(id, "{}")
        : errorFrame(id, ERROR_CODES.methodNotFound, "Method not found");
    this.#link.send(frame).catch(() => {});
  }

  #settle(frame: Frame): void {
    const own = frame.idKey === undefined ? undefined : this.#waiting.get(frame.idKey);
    const waiting = own ?? this.#guess(frame);
    if (waiting === undefined) return;
    const { id, key, method, resolve, reject } = waiting;
    this.#waiting.delete(key);
    this.#answered.add(key);
    this.findings.push(...envelopeFindings(frame, method));
    if (own === undefined) this.findings.push(idFinding(frame, method, id));
    const { error } = frame.ranges;
    if (frame.kind === "response") resolve(frame);
    else if (error !== undefined) reject(new JsonRpcResponseError(frame.text(error)));
    else reject(new Error("its response has neither a result nor an error"));
  }

  /** Guesses the request that a response with another id belongs to: some servers change the id's type or omit it. */
  #guess(frame: Frame): Waiting | undefined {
    const waiting = [...this.#waiting.values()];
    const { idKey: key, id = "" } = frame;
    const fits = ({ method }: Waiting): boolean => {
      const mark = MARKS.get(method);
      return mark !== undefined && frame.range(`/result/${mark}`) !== undefined;
    };
    // A late or repeated response is no longer expected.
    if (key !== undefined && this.#known.has(key)) {
      return this.#answered.has(key) ? waiting.find(fits) : undefined;
    }
    const alike = id.replaceAll('"', "").trim();
    return waiting.find((one) => String(one.id) === alike) ?? waiting.find(fits) ?? waiting[0];
  }

  #unreadable(frame: Frame): void {
    const { bytes, faults, method } = frame;
    const waiting = method === undefined ? this.#meant(frame) : undefined;
    if (waiting !== undefined) {
      this.#heard = true;
      const why = faults[0]?.message ?? "it is not JSON";
      waiting.reject(new Error(`its response cannot be read: ${why}`));
    }
    if (waiting !== undefined || method !== undefined) return;
    const text = decodeUtf8(bytes).trim();
    const first = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
    if (CONTENT_LENGTH.test(text)) {
      const framed = "it writes Content-Length headers before its messages, as language servers do";
      this.#rejectAll(
        new Error(`${framed}; over stdio MCP has one message a line, without headers`),
      );
    }
    if (this.#noise !== undefined) this.#noise.count += 1;
    else {
      this.#noise = { first, count: 1 };
      this.#odd(`wrote ${JSON.stringify(first)}, which is not a JSON-RPC message`);
    }
  }

  #meant(frame: Frame): Waiting | undefined {
    const id = readableId(frame);
    const own = id && this.#waiting.get(id.key);
    if (own !== undefined || !looksLikeMessage(frame)) return own;
    const waiting = [...this.#waiting.values()];
    return waiting.length === 1 ? waiting[0] : undefined;
  }

  #odd(what: string): void {
    const message = `the server ${what}`;
    if (this.findings.some((finding) => finding.message.startsWith(message))) return;
    const fix =
      "Write each message on one line of its own and nothing else to stdout; logs go to stderr.";
    this.findings.push(
      serverFinding({
        rule: "stdout",
        level: "warning",
        subject: "stdout",
        message: `${message}; clients skip it or end the connection`,
        fix,
      }),
    );
  }
}
