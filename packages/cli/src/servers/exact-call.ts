import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { decodeUtf8, encodeUtf8 } from "@touchstone/core";
import {
  type ParamHeader,
  paramHeadersOf,
  readFrame,
  requestHeaders,
  singleLine,
} from "@touchstone/protocol";
import { AnswerTexts } from "./answer-texts.ts";
import { AnsweredError, mayBeAnswer } from "./answered-error.ts";

/**
 * One tool call whose arguments and result pass as the JSON texts that they are. The MCP SDK writes and parses
 * messages itself, and what no double holds is another number then: a transport gives each message that goes to
 * {@link outgoing}, and each that comes to {@link incoming}.
 */
class ExactCall {
  /** What the SDK is given as arguments, in whose place they go. */
  readonly placeholder: Readonly<Record<string, true>>;
  readonly answer: AnswerTexts = new AnswerTexts();
  readonly #mark: string;
  readonly #arguments: string;
  #idKey: string | undefined;
  readonly #declared: readonly ParamHeader[];

  /**
   * @param args JSON text of the arguments
   * @param inputSchema of the tool: it may declare headers that say what arguments do
   */
  constructor(args: string | Uint8Array, inputSchema: unknown) {
    const declared = paramHeadersOf(inputSchema);
    this.#declared = declared.valid ? declared.headers : [];
    const name = `touchstone-${randomUUID()}`;
    this.placeholder = { [name]: true };
    this.#mark = JSON.stringify(this.placeholder);
    const bytes = typeof args === "string" ? encodeUtf8(args) : args;
    this.#arguments = decodeUtf8(singleLine(bytes)).trim();
  }

  /** A message of the SDK's as it is to be sent. */
  outgoing(message: string): string {
    const at = message.indexOf(this.#mark);
    if (at < 0) return message;
    this.#idKey = readFrame(encodeUtf8(message)).idKey;
    return message.slice(0, at) + this.#arguments + message.slice(at + this.#mark.length);
  }

  /**
   * The headers that a message needs over HTTP beside those which the SDK writes: from 2026-07-28 on those that
   * the tool's schema declares (MCP 2026-07-28, Transports, Custom Headers from Tool Parameters).
   */
  headersOf(message: string): Readonly<Record<string, string>> {
    const frame = readFrame(encodeUtf8(message));
    if (frame.method !== "tools/call" || frame.protocolVersion === undefined) return {};
    return requestHeaders(frame, this.#declared);
  }

  /** Takes a message that came; of the one that answers the call the texts are kept. */
  incoming(message: Uint8Array): void {
    this.answer.take(message, this.#idKey);
  }
}

/** One question of the SDK's of which the texts of the answer are kept. */
class ExactAnswer {
  readonly answer: AnswerTexts = new AnswerTexts();
  readonly #method: string;
  #idKey: string | undefined;

  constructor(method: string) {
    this.#method = method;
  }

  outgoing(message: string): string {
    const { method, idKey } = readFrame(encodeUtf8(message));
    if (method === this.#method) this.#idKey = idKey;
    return message;
  }

  headersOf(): Readonly<Record<string, string>> {
    return {};
  }

  incoming(message: Uint8Array): void {
    this.answer.take(message, this.#idKey);
  }
}

/** How long the text of an answer is awaited that the SDK has taken already, in milliseconds. */
const LATE_MS = 1_000;

/** What sees the messages of a question that is under way. */
type Exact = Pick<ExactCall, "answer" | "headersOf" | "incoming" | "outgoing">;

/** The questions of one connection whose texts matter, one at a time. */
export class ExactCalls {
  #current: Exact | undefined;

  /** The one that is under way. */
  get current(): Omit<Exact, "answer"> | undefined {
    return this.#current;
  }

  /**
   * @param args JSON text of the arguments
   * @param inputSchema of the tool
   * @param ask sends the call by the SDK, with this in the place of the arguments
   * @returns the result as the SDK parsed it, and its text
   * @throws AnsweredError where the server answers with an error, and what the SDK throws else
   */
  async run<T>(
    args: string | Uint8Array,
    inputSchema: unknown,
    ask: (placeholder: ExactCall["placeholder"]) => Promise<T>,
  ): Promise<{ readonly value: T; readonly text: string }> {
    const call = new ExactCall(args, inputSchema);
    return this.#follow(call, () => ask(call.placeholder));
  }

  /**
   * @param ask sends a request of this method by the SDK
   * @returns the result as the SDK parsed it, and its text
   * @throws AnsweredError where the server answers with an error, and what the SDK throws else
   */
  async answer<T>(
    method: string,
    ask: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly text: string }> {
    return this.#follow(new ExactAnswer(method), ask);
  }

  async #follow<T>(
    exact: Exact,
    ask: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly text: string }> {
    this.#current = exact;
    const { result, error } = exact.answer;
    try {
      const value = await ask();
      return { value, text: (await inTime(result)) ?? JSON.stringify(value) };
    } catch (failure) {
      const text = mayBeAnswer(failure) ? await inTime(error) : undefined;
      throw text === undefined ? failure : new AnsweredError(text);
    } finally {
      this.#current = undefined;
    }
  }
}

function inTime(text: Promise<string>): Promise<string | undefined> {
  return Promise.race([text, setTimeout(LATE_MS, undefined, { ref: false })]);
}
