import { setTimeout } from "node:timers/promises";
import {
  ERROR_CODES,
  errorFrame,
  type Frame,
  readFrame,
  resultFrame,
  revisionOf,
  toolErrorFrame,
} from "@touchstone/protocol/advanced";
import { type Logger, untilAborted, visible } from "@touchstone/util";
import type { Era } from "../eras/era.ts";
import { ERAS } from "../eras/eras.ts";
import { MAX_SHOWN_TOOL_NAME, quotedToolName } from "../features/text.ts";
import type { Declarations } from "./declarations.ts";
import { type DeclaredTool, declaredTools, toolTexts } from "./declared-tools.ts";
import { inEra, modernMembers, withProgressToken, withRequestId } from "./envelope.ts";
import type { FaultOption } from "./fault-options.ts";
import { Faults, type MadeFault } from "./faults.ts";
import { fillSecrets } from "./filled-secrets.ts";
import { generatedAnswer } from "./generated-answer.ts";
import { generatedResult } from "./generated-result.ts";
import {
  discoverMembers,
  type Introduction,
  initializeMembers,
  initializeResponse,
  introductionIn,
} from "./handshake.ts";
import { differencesOf, differenceText, valuesOf } from "./nearest-call.ts";
import type { Exchange } from "./recordings.ts";
import { matchesRedacted } from "./redacted-match.ts";
import { comparableParams } from "./request-key.ts";
import type { MockSource } from "./source.ts";

const { internalError, invalidParams, methodNotFound } = ERROR_CODES;
/** How many recorded calls are compared with one that was not recorded. */
const MAX_COMPARED = 500;

/** The lists that a lock file or a list of tools has. */
const LISTS: ReadonlySet<string> = new Set([
  "prompts/list",
  "resources/templates/list",
  "tools/list",
]);

/** How many responses without secrets are examined for a report. */
const MAX_REPORTED = 200;

/** What became of the secrets that a capture lacks. */
export interface RemovedSecrets {
  /** How many responses lack secrets, and how many of them were examined. */
  readonly responses: number;
  readonly examined: number;
  /** Tools and pointers to placeholders in their structured content. */
  readonly filled: readonly string[];
  /** Those for which no placeholder was found that the output schema accepts. */
  readonly unfilled: readonly string[];
}

/** Decides about the arguments of calls, by the schemas of listed tools. */
export interface ArgumentsDecider {
  /** @returns what the gateway returns to the model instead of a result; undefined if the arguments are valid */
  refusal(tool: string, args: Uint8Array): Promise<string | undefined>;
}

/** A tool call, and how a mock responded. */
export interface MockedCall {
  readonly tool: string;
  /** The JSON text of its arguments. */
  readonly arguments: string;
  /** Whether the response was recorded. If not, it was generated, or is an error. */
  readonly isRecorded: boolean;
  /** What was done wrong in the response on purpose. */
  readonly faults: readonly MadeFault[];
}

export interface MockOptions {
  readonly source: MockSource;
  /** Returns what decides about calls of these tools, given as JSON texts. */
  readonly decider: (tools: readonly string[]) => Promise<ArgumentsDecider>;
  /** Of generated results. */
  readonly seed: number;
  /** Whether a call that is not recorded is an error. */
  readonly strict: boolean;
  /** Made in responses to tool calls. */
  readonly faults: readonly FaultOption[];
  /** Called for each tool call before its response is sent. */
  readonly onCall?: ((call: MockedCall) => void) | undefined;
  readonly log: Logger;
}

/** The client, as far as a mock knows it. */
export interface MockClient {
  /** Sends a message other than a response. */
  notify(message: Uint8Array): void;
  respond(response: Uint8Array): void;
  /** Sends the beginning of a response, and ends the connection. */
  cut(beginning: Uint8Array): void;
}

/** A request that is being answered. */
export interface Asked {
  readonly frame: Frame;
  readonly method: string;
  /** The source text of its id. */
  readonly id: string;
  readonly era: Era;
  /** The revision, if it is known. */
  readonly revision: string | undefined;
  readonly params: string;
}

/** What a conversation needs of a server. */
export interface AnsweringServer {
  /**
   * Sends the response to a request.
   * @returns what is still to be sent, if that is not known at once
   */
  answer(asked: Asked, client: MockClient): void | Promise<void>;
  /** Calls a function whenever the list of tools has changed. Returns what ends that. */
  watchTools(changed: () => void): () => void;
  /** Ends what waits: nobody is left to read it. */
  stop(): void;
}

/** An MCP server that returns what another one was recorded to return. */
export class MockServer implements AnsweringServer {
  readonly #options: MockOptions;
  #declarations: Declarations | undefined;
  #tools: ReadonlyMap<string, DeclaredTool> | undefined;
  #decider: Promise<ArgumentsDecider> | undefined;
  /** The exchange that was used last, by the first one with the same request. */
  readonly #used: Map<Exchange, Exchange> = new Map();

  /** Resolves when the requests before have their turn: until the capture has been read, each waits for the one before. */
  #turn: Promise<void> = Promise.resolve();
  readonly #faults: Faults | undefined;
  readonly #watchers: Set<() => void> = new Set();
  readonly #stopped: AbortController = new AbortController();
  readonly #whenStopped: Promise<void> = untilAborted(this.#stopped.signal);

  constructor(options: MockOptions) {
    this.#options = options;
    const { faults, seed, log } = options;
    this.#faults = faults.length === 0 ? undefined : new Faults(faults, seed, log);
  }

  /** The faults that were made, in order. */
  get faults(): readonly MadeFault[] {
    return this.#faults?.made ?? [];
  }

  /** What the server declares, by the source or by the newest complete list in the capture. */
  get declarations(): Declarations {
    const { recordings, declarations } = this.#options.source;
    this.#declarations ??= declarations ?? { tools: toolTexts(recordings.toolPages()) };
    return this.#declarations;
  }

  /** Gives up the responses that are delayed, or wait for the capture. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Calls a function whenever the list of tools has changed. Returns what ends that. */
  watchTools(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /**
   * Sends what the recorded server sent in response to a request.
   * @returns what is still to be sent, if that is not known at once
   */
  answer(asked: Asked, client: MockClient): void | Promise<void> {
    const { recordings } = this.#options.source;
    if (recordings.isIndexed) return this.#answer(asked, client);
    const answered = this.#turn.then(async () => {
      while (!recordings.isIndexed && !this.#isKnown(asked)) {
        await Promise.race([recordings.moreIndexed(), this.#whenStopped]);
        if (this.#stopped.signal.aborted) return {};
      }
      return { rest: this.#answer(asked, client) };
    });
    this.#turn = answered.then(
      () => {},
      () => {},
    );
    return answered.then(({ rest }) => rest);
  }

  /** Returns whether what is not yet read of the capture cannot change the response to a request. */
  #isKnown({ frame, method, era, params }: Asked): boolean {
    const { recordings } = this.#options.source;
    // Faults in calls, and placeholders in results, need the newest list of tools.
    if (method === "tools/call") return false;
    if (method === "initialize") {
      const version = frame.initializeVersion;
      const first = recordings
        .ofTarget(method, undefined)
        .find((each) => recordings.request(each).frame.initializeVersion === version);
      return first !== undefined && recordings.isKnown(first);
    }
    const first = recordings.find(era, method, params);
    const used = first === undefined ? undefined : this.#used.get(first);
    const next = used === undefined ? first : recordings.following(used);
    return next !== undefined && recordings.isKnown(next);
  }

  #answer(asked: Asked, client: MockClient): void | Promise<void> {
    const { method } = asked;
    if (method === "initialize" || method === "server/discover") {
      client.respond(this.#introduced(asked));
      return;
    }
    const declared = this.#declaredList(asked);
    if (declared !== undefined) {
      this.#respond(declared, asked, client);
      return;
    }
    const exchange = this.#next(asked);
    if (exchange !== undefined) return this.#repeat(exchange, asked, client);
    if (method === "tools/call") {
      return this.#unrecordedCall(asked).then((response) =>
        this.#respondToCall(response, asked, client, false),
      );
    }
    this.#respond(this.#unrecorded(asked), asked, client);
  }

  /** Returns the list in the file that declares instead of a capture; undefined if there is none of this kind. */
  #declaredList(asked: Asked): Uint8Array | undefined {
    const { declarations } = this.#options.source;
    const isList = LISTS.has(asked.method) && !asked.frame.hasCursor;
    return isList && declarations !== undefined ? generatedAnswer(asked, declarations) : undefined;
  }

  /** Sends a response to a request other than a tool call. */
  #respond(response: Uint8Array, { method }: Asked, client: MockClient): void {
    const isChanged = this.#faults !== undefined && method === "tools/list";
    client.respond(isChanged ? this.#faults.list(readFrame(response)) : response);
  }

  /** Sends a response to a tool call, with the faults that are to be made in it. */
  #respondToCall(
    response: Uint8Array,
    { id, frame }: Asked,
    client: MockClient,
    isRecorded: boolean,
  ): void | Promise<void> {
    const { onCall } = this.#options;
    const faults = this.#faults;
    const name = frame.name ?? "";
    const sent = faults?.apply(response, id, this.#tool(name), name);
    const range = frame.ranges.arguments;
    onCall?.({
      tool: name,
      arguments: range === undefined ? "{}" : frame.text(range),
      isRecorded,
      faults: sent?.made ?? [],
    });
    if (faults === undefined || sent === undefined) {
      client.respond(response);
      return;
    }
    const now = (): void => {
      if (sent.disconnects) client.cut(sent.bytes);
      else client.respond(sent.bytes);
      if (faults.drift()) for (const changed of this.#watchers) changed();
    };
    if (sent.delayMs === 0) now();
    else {
      const { signal } = this.#stopped;
      return setTimeout(sent.delayMs, undefined, { signal }).then(now, () => {});
    }
  }

  #tool(name: string): DeclaredTool | undefined {
    this.#tools ??= declaredTools(this.declarations.tools);
    return this.#tools.get(name);
  }

  /** Returns the exchange to repeat: those with the same request in turn, then the last one again. */
  #next(asked: Asked): Exchange | undefined {
    const { recordings } = this.#options.source;
    const first = this.#first(asked);
    if (first === undefined) return undefined;
    const used = this.#used.get(first);
    const exchange =
      used === undefined ? recordings.answered(first) : (recordings.after(used) ?? used);
    if (exchange !== undefined) this.#used.set(first, exchange);
    return exchange;
  }

  /** Returns the first exchange with the same request, of the same era if there is one. */
  #first({ frame, method, era, params }: Asked): Exchange | undefined {
    const { recordings } = this.#options.source;
    const eras = [era, ...ERAS.filter((other) => other !== era)];
    for (const each of eras) {
      const found = recordings.find(each, method, params);
      if (found !== undefined && recordings.answered(found) !== undefined) return found;
    }
    const redacted = recordings.redacted(params);
    if (redacted === undefined) return undefined;
    for (const each of eras) {
      const found = redacted === params ? undefined : recordings.find(each, method, redacted);
      if (found !== undefined && recordings.answered(found) !== undefined) return found;
    }
    return recordings.ofTarget(method, frame.name ?? frame.uri).find((exchange) => {
      if (!recordings.isRequestRedacted(exchange)) return false;
      if (recordings.answered(exchange) === undefined) return false;
      return matchesRedacted(comparableParams(recordings.request(exchange).frame), params);
    });
  }

  #repeat(exchange: Exchange, asked: Asked, client: MockClient): void | Promise<void> {
    const { recordings } = this.#options.source;
    const { id, method, era, frame } = asked;
    const token = frame.ranges.progressToken;
    const tokenText = token === undefined ? undefined : frame.text(token);
    for (const notification of recordings.notifications(exchange)) {
      const message = withProgressToken(notification, tokenText);
      if (message !== undefined) client.notify(message);
    }
    const response = withRequestId(this.#recorded(exchange, method, frame.name), id);
    const isOther = recordings.era(exchange) !== era;
    const sent = isOther ? inEra(response, method, era) : response;
    const text = `the recorded response to ${method} asks for input, which only a client of MCP 2026-07-28 reads`;
    const whole = sent ?? errorFrame(id, internalError, text);
    if (method === "tools/call") return this.#respondToCall(whole, asked, client, true);
    this.#respond(whole, asked, client);
  }

  /** Returns a recorded response. Removed secrets have placeholders if the tool's output schema needs them. */
  #recorded(exchange: Exchange, method: string, tool: string | undefined): Frame {
    const { frame, redactions } = this.#options.source.recordings.response(exchange);
    if (redactions === 0 || method !== "tools/call" || tool === undefined) return frame;
    const schema = this.#tool(tool)?.outputSchema;
    if (schema === undefined) return frame;
    const { bytes } = fillSecrets(frame, schema, this.#options.seed);
    return bytes === frame.bytes ? frame : readFrame(bytes);
  }

  /** Returns what became of the secrets that were removed from recorded responses. */
  removedSecrets(): RemovedSecrets {
    const { recordings } = this.#options.source;
    const filled = new Set<string>();
    const unfilled = new Set<string>();
    let responses = 0;
    for (const exchange of recordings.redactedResponses) {
      responses += 1;
      if (responses > MAX_REPORTED) continue;
      const { frame: request } = recordings.request(exchange);
      const name = request.toolName;
      const schema = name === undefined ? undefined : this.#tool(name)?.outputSchema;
      if (name === undefined || schema === undefined) continue;
      const found = fillSecrets(recordings.response(exchange).frame, schema, this.#options.seed);
      for (const path of found.filled) filled.add(`${visible(name, 100)} ${visible(path, 200)}`);
      for (const path of found.unfilled)
        unfilled.add(`${visible(name, 100)} ${visible(path, 200)}`);
    }
    const examined = Math.min(responses, MAX_REPORTED);
    return { responses, examined, filled: [...filled], unfilled: [...unfilled] };
  }

  async #unrecordedCall(asked: Asked): Promise<Uint8Array> {
    const { log, strict, seed } = this.#options;
    const { frame, id, era, revision, params } = asked;
    const name = frame.name ?? "";
    const tool = this.#tool(name);
    // MCP, Tools, Error Handling: an unknown tool is a protocol error in every revision.
    if (tool === undefined) {
      const shown = visible(name.slice(0, MAX_SHOWN_TOOL_NAME), 2 * MAX_SHOWN_TOOL_NAME);
      return errorFrame(id, invalidParams, `Unknown tool: ${shown}`);
    }
    const range = frame.ranges.arguments;
    const args = range === undefined ? EMPTY : frame.bytes.subarray(range.start, range.end);
    this.#decider ??= this.#options.decider(this.declarations.tools);
    const refusal = await (await this.#decider).refusal(name, args);
    const modern = era.namesResultType;
    if (refusal !== undefined) {
      if (revisionOf(revision ?? "")?.invalidArguments === "error") {
        return errorFrame(id, invalidParams, refusal);
      }
      return toolErrorFrame(id, refusal, { modern });
    }
    if (strict) return errorFrame(id, internalError, this.#notRecorded(asked));
    const generated = generatedResult(tool, seed ^ seedOf(params));
    if ("reason" in generated) return errorFrame(id, internalError, generated.reason);
    log.info(`the call of ${quotedToolName(name)} is not recorded: a result was generated`);
    const type = modern ? `${modernMembers("tools/call")},` : "";
    return resultFrame(id, `{${type}${generated.members}}`);
  }

  /** Returns the text about a request that is not recorded, with the nearest recorded one of the same tool or URI. */
  #notRecorded({ frame, method, params }: Asked): string {
    const { recordings } = this.#options.source;
    const target = frame.name ?? frame.uri;
    const what = target === undefined ? method : `${method} of ${quotedToolName(target)}`;
    const sent = valuesOf(params);
    const compared = recordings.ofTarget(method, target).slice(0, MAX_COMPARED);
    const nearest = compared
      .map((exchange) => valuesOf(comparableParams(recordings.request(exchange).frame)))
      .map((recorded) => differencesOf(recorded, sent))
      .toSorted((one, other) => one.length - other.length)[0];
    if (nearest === undefined) return `this ${what} is not recorded, and no other one is`;
    return `this ${what} is not recorded. The nearest recorded one differs: ${differenceText(nearest)}`;
  }

  /** Returns the response to a request other than a tool call, of which there is no recording. */
  #unrecorded(asked: Asked): Uint8Array {
    const { recordings } = this.#options.source;
    const { id, method } = asked;
    const generated = generatedAnswer(asked, this.declarations);
    if (generated !== undefined) return generated;
    const { kind } = this.#options.source;
    const isKnown = recordings.hasMethod(method);
    const text = isKnown ? this.#notRecorded(asked) : `the ${kind} has no ${visible(method, 200)}`;
    return errorFrame(id, isKnown ? internalError : methodNotFound, text);
  }

  /** Returns the response to a request with which a client begins. */
  #introduced(asked: Asked): Uint8Array {
    const { recordings } = this.#options.source;
    const { frame, id, method } = asked;
    const recorded = recordings
      .ofTarget(method, undefined)
      .filter((exchange) => recordings.answered(exchange) !== undefined);
    if (method === "server/discover") {
      const [first] = recorded;
      if (first !== undefined) {
        const exchange = this.#next(asked) ?? first;
        return withRequestId(recordings.response(exchange).frame, id);
      }
      return resultFrame(id, `{${discoverMembers(this.#introduction())}}`);
    }
    const requested = frame.initializeVersion;
    const asks = recorded.map((exchange) => ({
      exchange: recordings.answered(exchange) ?? exchange,
      version: recordings.request(exchange).frame.initializeVersion,
    }));
    const found = asks.find(({ version }) => version === requested) ?? asks[0];
    if (found === undefined) {
      return resultFrame(id, `{${initializeMembers(this.#introduction(), requested)}}`);
    }
    return initializeResponse(recordings.response(found.exchange).frame, frame, found.version);
  }

  /** Returns how the recorded server introduced itself; if that is not recorded, what its messages show. */
  #introduction(): Introduction {
    const { introduction } = this.declarations;
    if (introduction !== undefined) return introduction;
    const { recordings } = this.#options.source;
    for (const method of ["initialize", "server/discover"]) {
      for (const exchange of recordings.ofTarget(method, undefined)) {
        const answered = recordings.answered(exchange);
        if (answered === undefined) continue;
        const found = introductionIn(recordings.response(answered).frame);
        if (found !== undefined) return found;
      }
    }
    const has = (method: string): boolean => recordings.hasMethod(method);
    return {
      capabilities: {
        tools: {},
        ...(has("prompts/list") || has("prompts/get") ? { prompts: {} } : {}),
        ...(has("resources/list") || has("resources/read") ? { resources: {} } : {}),
      },
      serverInfo: { name: recordings.server, version: "0" },
    };
  }
}

const EMPTY: Uint8Array = new Uint8Array([0x7b, 0x7d]);

/** Returns a number that is the same for the same text (FNV-1a). */
function seedOf(text: string): number {
  let found = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    found = Math.imul(found ^ text.charCodeAt(at), 0x01000193);
  }
  return found >>> 0;
}
