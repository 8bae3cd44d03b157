import { parseJson } from "@touchstone/core/advanced";
import {
  type CutMessage,
  describeRefusedRevision,
  ERROR_CODES,
  errorFrame,
  type Frame,
  type HeaderFault,
  LATEST,
  META_SUBSCRIPTION_ID,
  paramHeaderFault,
  readFrame,
  routingTwinSteps,
  twinText,
} from "@touchstone/protocol/advanced";
import { threadSlice, visible } from "@touchstone/util";
import type { SendOwnRequest } from "../../contracts/own-request.ts";
import { eraOf } from "../../eras/eras.ts";
import { httpStatusOfCode, modern } from "../../eras/modern.ts";
import type { LineFault } from "../../pipeline/faults.ts";
import { LISTEN } from "../../pipeline/list-change.ts";
import type { MessageOutput, Pipeline } from "../../pipeline/pipeline.ts";
import {
  type HttpRequest,
  type HttpResponse,
  headerOf,
} from "../../transport/http/http-message.ts";
import { joinAnswers } from "../../transport/http/messages.ts";
import { Reply } from "../../transport/http/reply.ts";
import { sendError } from "../../transport/http/responses.ts";
import type { ChildOptions } from "../../transport/stdio/child.ts";
import { OrderedRelease } from "../ordered-release.ts";
import type { ServerRuntime } from "../server-runtime.ts";
import { SharedChild } from "../stdio/shared-child.ts";
import {
  type EraEndpoint,
  type PostRequest,
  refuseInvalid,
  refuseTooLarge,
  senderOf,
} from "./endpoint.ts";
import { conversationOwner } from "./identity.ts";
import { argumentsOf, paramHeadersOf, sendHeaderFault } from "./param-headers.ts";

/** The method of a notification, lower-cased for readers that ignore case. */
const NOTIFICATION = /^\s*notifications?\//i;
const METHOD_CHARACTERS = 64;
const SUBSCRIPTION_POINTER = `/params/_meta/${META_SUBSCRIPTION_ID.replace("/", "~1")}`;

/** The requests of 2026-07-28 in front of a stdio server: one child process for all of them. */
export class ModernRequests implements EraEndpoint {
  readonly #runtime: ServerRuntime;
  readonly #shared: SharedChild;
  readonly #versions: UpstreamVersions;
  readonly #maxFrameBytes: number;

  constructor(runtime: ServerRuntime, child: ChildOptions) {
    this.#runtime = runtime;
    this.#shared = new SharedChild(runtime.name, child, runtime.log);
    this.#versions = new UpstreamVersions(this.#shared.ask);
    this.#maxFrameBytes = child.maxFrameBytes;
  }

  /** Takes the message of one POST, on one line, already read by the runtime. */
  async post(request: PostRequest, response: HttpResponse, frame: Frame): Promise<void> {
    const pipeline = this.#pipeline(request);
    const fault =
      modern.headersFault(frame, (name) => headerOf(request, name)) ??
      beginsSession(frame) ??
      (await this.#versions.fault(frame)) ??
      // A bridge cannot know which arguments the headers repeat, and a stdio server does not see them.
      (request.own?.bridged === undefined ? await paramFault(pipeline, request, frame) : undefined);
    if (fault) {
      sendHeaderFault(response, frame, fault);
      return;
    }
    const reply = new Reply(response, frame.kind === "request" ? 1 : 0);
    // Closing the stream also cancels the call at the server.
    const timedOut = (answer: Uint8Array): void => void answerWith(reply, answer);
    const flow = await pipeline.fromClient(frame, { timedOut, ...request.own });
    const passage = await flow.passage;
    const foreign = passage.onward && (await foreignReference(frame));
    if (foreign !== undefined) {
      await this.#refuseForeign(pipeline, frame, reply, foreign);
      return;
    }
    if (frame.kind === "request") await this.#request(pipeline, frame, passage, response, reply);
    else await this.#notification(frame, passage, reply);
  }

  /** This era has no sessions and no separate stream for messages that a server starts. */
  get(_request: HttpRequest, response: HttpResponse): Promise<void> {
    return refuseMethod(response);
  }

  delete(_request: HttpRequest, response: HttpResponse): Promise<void> {
    return refuseMethod(response);
  }

  /** Refuses a body that is not JSON. Without a session no server waits for a response. */
  async refuse(request: HttpRequest, response: HttpResponse, frame: Frame): Promise<void> {
    await refuseInvalid(response, frame, this.#pipeline(request), () => {});
  }

  /** Refuses a body over the limit. */
  async refuseTooLarge(
    request: HttpRequest,
    response: HttpResponse,
    cut: CutMessage,
    limit: number,
  ): Promise<void> {
    await refuseTooLarge(response, cut, limit, this.#pipeline(request), () => {});
  }

  spare(): void {
    this.#shared.spare();
  }

  /** The process that requests share, for a session. */
  get shared(): Pick<SharedChild, "hasSpare" | "takeSpare"> {
    return this.#shared;
  }

  rest(): Promise<void> {
    return this.#shared.rest();
  }

  async close(): Promise<void> {
    await this.#shared.close();
  }

  #pipeline(request: HttpRequest): Pipeline {
    const by = conversationOwner(request);
    const known = this.#runtime.sharedConversation(undefined, by);
    const conversation = { ...known, whole: true, sender: senderOf(request) };
    return this.#runtime.pipeline(conversation, this.#shared.ask);
  }

  /** Refuses a message that the shared server could take for one about another client's request. */
  async #refuseForeign(
    pipeline: Pipeline,
    frame: Frame,
    reply: Reply,
    foreign: string,
  ): Promise<void> {
    const reason = `touchstone: ${foreign}`;
    const failed = await pipeline.fail(frame.idKey ?? "", reason);
    reply.json(400, failed ?? errorFrame(frame.id ?? null, ERROR_CODES.invalidRequest, reason));
  }

  async #notification(
    frame: Frame,
    { onward, back = [] }: MessageOutput,
    reply: Reply,
  ): Promise<void> {
    if (back.length > 0) {
      reply.json(400, joinAnswers(back, false));
      return;
    }
    // Over HTTP a client cancels a request by closing its stream. The id in this message is the client's own and would
    // cancel another client's request.
    if (onward && frame.method !== "notifications/cancelled") this.#shared.notify(onward);
    reply.accepted();
  }

  async #request(
    pipeline: Pipeline,
    frame: Frame,
    { onward, back = [] }: MessageOutput,
    response: HttpResponse,
    reply: Reply,
  ): Promise<void> {
    for (const answer of back) await reply.answer(answer, { status: modern.statusOf(answer) });
    if (onward === undefined) return;
    const cancelled = "the client closed the connection";
    // The client can no longer receive the end.
    if (!reply.open) {
      await pipeline.end(cancelled);
      return;
    }
    const sent = onward === frame.bytes ? frame : readFrame(onward, { outline: true });
    const { cancel, announce } = this.#send(pipeline, sent, reply);
    const unwatch = frame.method === LISTEN ? this.#runtime.watchHeld(announce) : undefined;
    response.once("close", () => {
      unwatch?.();
      cancel();
      void pipeline.end(cancelled);
    });
  }

  /** @returns what cancels the request, and what tells its client that its list of tools has changed */
  #send(
    pipeline: Pipeline,
    frame: Frame,
    reply: Reply,
  ): { readonly cancel: () => void; readonly announce: () => void } {
    const release = new OrderedRelease<() => Promise<void>>((write) => write());
    const judged = (
      passage: Promise<MessageOutput>,
      write: (bytes: Uint8Array) => Promise<void>,
    ): Promise<void> =>
      release.add(
        passage.then(({ onward }) => async () => {
          if (onward) await write(onward);
        }),
      );
    const take = (bytes: Uint8Array, line: LineFault | undefined): Promise<MessageOutput> =>
      pipeline.fromServer(pipeline.read(bytes), line && { line });
    const ended = (reason: string, status: "error" | "rejected"): Promise<void> =>
      release.add(
        Promise.resolve(async () => {
          for (const answer of await pipeline.end(reason, status)) await reply.answer(answer);
        }),
      );
    const cancel = this.#shared.request(frame, {
      message: (bytes, line) => judged(take(bytes, line), (onward) => reply.message(onward)),
      answer: (bytes, line) => judged(take(bytes, line), (onward) => answerWith(reply, onward)),
      oversize: (cut) =>
        judged(pipeline.oversize("server", cut, this.#maxFrameBytes), (onward) =>
          reply.answer(onward),
        ),
      lost: (reason) => ended(reason, "error"),
      refused: (reason) => ended(reason, "rejected"),
      stalled: () => {
        const { name, paced } = this.#runtime;
        const what = `${name}: a client did not read its stream for 30 s and was disconnected`;
        paced.warn(what, what);
        reply.abandon();
      },
    });
    const announce = (): void => {
      for (const told of pipeline.toolsChanged()) {
        void release.add(Promise.resolve(() => reply.message(told)));
      }
    };
    return { cancel, announce };
  }
}

/** Names in `params` and its `_meta` of ids that, at the server, belong to another client or to the gateway. */
const REFERENCES = ["/params/requestId", "/params/progressToken", SUBSCRIPTION_POINTER];
const REFERS =
  "refers to an id that only this gateway and the server know; over HTTP a request is canceled by closing its stream";

/**
 * Returns why a message may be about another client's request. A request's id and progress token are replaced; every
 * other value that refers to an id would mean another client's.
 */
async function foreignReference(frame: Frame): Promise<string | undefined> {
  const { kind, method = "" } = frame;
  const twin = await threadSlice.take(routingTwinSteps(frame));
  if (twin !== undefined) return `${twinText(twin)}; send each member once, under a short name`;
  // It is not forwarded: its id is the client's own.
  if (kind === "notification" && method === "notifications/cancelled") return undefined;
  if (kind === "request" && NOTIFICATION.test(method)) {
    return `"${visible(method, METHOD_CHARACTERS)}" is a notification and has no id`;
  }
  const token = kind === "request" ? [] : ["/params/_meta/progressToken"];
  const found = [...REFERENCES, ...token].find((pointer) => frame.range(pointer) !== undefined);
  return found && `"${found.slice(found.indexOf("/", 1) + 1).replaceAll("~1", "/")}" ${REFERS}`;
}

/** Returns what is wrong with the headers that repeat a call's arguments: a stdio server cannot see them. */
async function paramFault(
  pipeline: Pipeline,
  request: HttpRequest,
  frame: Frame,
): Promise<HeaderFault | undefined> {
  if (frame.kind !== "request") return undefined;
  const contract = await pipeline.contractOf(frame);
  const declared = contract && paramHeadersOf(contract);
  if (!declared?.valid) return undefined;
  const given = (name: string): string | undefined => headerOf(request, name);
  const message = paramHeaderFault(declared.headers, argumentsOf(frame), given);
  return message === undefined ? undefined : { code: ERROR_CODES.headerMismatch, message };
}

async function refuseMethod(response: HttpResponse): Promise<void> {
  sendError(response, 405, "this revision uses POST only", { headers: { allow: "POST" } });
}

async function answerWith(reply: Reply, bytes: Uint8Array): Promise<void> {
  await reply.answer(bytes, { status: httpStatusOfCode(readFrame(bytes).errorCode) ?? 200 });
}

/** The process is shared: a session that one client begins in it would belong to everybody. */
function beginsSession(frame: Frame): HeaderFault | undefined {
  if (frame.kind !== "request" || frame.method !== "initialize") return undefined;
  const message = "this revision has no initialize; server/discover returns what a server can do";
  return { code: ERROR_CODES.methodNotFound, message };
}

const DISCOVER = `{"_meta":${modern.ownMeta}}`;

/** The revisions of one server, fetched when a client names one that is unknown here. */
class UpstreamVersions {
  readonly #ask: SendOwnRequest;
  #asked: Promise<readonly string[]> | undefined;

  constructor(ask: SendOwnRequest) {
    this.#ask = ask;
  }

  /**
   * Returns what is wrong with a request's revision: over HTTP a server owes an UnsupportedProtocolVersion error with
   * its revisions (MCP 2026-07-28, Versioning). Undefined if the revision is known, or is one that the server
   * supports.
   */
  async fault(frame: Frame): Promise<HeaderFault | undefined> {
    const requested = frame.protocolVersion;
    if (requested === undefined || !eraOf(requested).hasHandshake) return undefined;
    const supported = await this.#supported();
    if (supported.includes(requested)) return undefined;
    return {
      code: ERROR_CODES.unsupportedProtocolVersion,
      message: `Unsupported protocol version: ${describeRefusedRevision(supported, requested)}`,
      data: { supported, requested },
    };
  }

  /** Returns the server's revisions; the latest one if it names none. A failure is not cached. */
  async #supported(): Promise<readonly string[]> {
    this.#asked ??= this.#ask("server/discover", DISCOVER).then(readVersions);
    try {
      return await this.#asked;
    } catch {
      this.#asked = undefined;
      return [LATEST.version];
    }
  }
}

function readVersions(answer: Uint8Array): readonly string[] {
  const { bytes, ranges } = readFrame(answer);
  const parsed = ranges.result && parseJson(bytes.subarray(ranges.result.start, ranges.result.end));
  const result = parsed?.ok ? parsed.value : undefined;
  const versions = (result as { readonly supportedVersions?: unknown } | null | undefined)
    ?.supportedVersions;
  const texts = Array.isArray(versions)
    ? versions.filter((version): version is string => typeof version === "string")
    : [];
  return texts.length > 0 ? texts : [LATEST.version];
}
