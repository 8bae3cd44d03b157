import type { IncomingMessage, ServerResponse } from "node:http";
import { ERROR_CODES, type Frame, readFrame } from "@touchstone/protocol";
import type { Passage, Pipeline } from "../../pipeline.ts";
import type { ServerRuntime } from "../../server-runtime.ts";
import type { ChildOptions } from "../child.ts";
import { OrderedRelease } from "../ordered.ts";
import { SharedChild } from "../shared-child.ts";
import { joinAnswers } from "./answers.ts";
import { sendError } from "./endpoint.ts";
import { headerFault } from "./modern-headers.ts";
import { Reply } from "./reply.ts";

/** HTTP status of a JSON-RPC error under 2026-07-28; 200 for those that are not listed. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.methodNotFound, 404],
  [ERROR_CODES.headerMismatch, 400],
  [ERROR_CODES.missingRequiredClientCapability, 400],
  [ERROR_CODES.unsupportedProtocolVersion, 400],
]);

/** The requests of 2026-07-28 in front of a stdio server: one child process for all of them. */
export class ModernRequests {
  readonly #runtime: ServerRuntime;
  readonly #shared: SharedChild;
  readonly #maxFrameBytes: number;

  constructor(runtime: ServerRuntime, child: ChildOptions) {
    this.#runtime = runtime;
    this.#shared = new SharedChild(runtime.name, child, runtime.log);
    this.#maxFrameBytes = child.maxFrameBytes;
  }

  /** Takes the message of one POST. `received` is on one line. */
  async post(request: IncomingMessage, response: ServerResponse, received: Frame): Promise<void> {
    const fault = headerFault(request, received);
    if (fault) {
      const status = fault.code === ERROR_CODES.methodNotFound ? 404 : 400;
      sendError(response, status, fault.message, { id: received.id, code: fault.code });
      return;
    }
    const pipeline = this.#runtime.pipeline(
      this.#runtime.sharedConversation(undefined),
      this.#shared.ask,
    );
    const frame = pipeline.read(received.bytes);
    const reply = new Reply(response, frame.kind === "request" ? 1 : 0);
    const passage = await pipeline.fromClient(frame).passage;
    if (frame.kind === "request") await this.#request(pipeline, frame, passage, response, reply);
    else await this.#notification(frame, passage, reply);
  }

  async close(): Promise<void> {
    await this.#shared.close();
  }

  async #notification(frame: Frame, { onward, back = [] }: Passage, reply: Reply): Promise<void> {
    if (back.length > 0) {
      reply.json(400, joinAnswers(back, false));
      return;
    }
    // Over HTTP a request is cancelled by closing its stream. The id in here is the client's own,
    // and would stop another client's request.
    if (onward && frame.method !== "notifications/cancelled") this.#shared.notify(frame);
    reply.accepted();
  }

  async #request(
    pipeline: Pipeline,
    frame: Frame,
    { onward, back = [] }: Passage,
    response: ServerResponse,
    reply: Reply,
  ): Promise<void> {
    for (const answer of back) await answerWith(reply, answer);
    if (onward === undefined) return;
    const cancelled = "the client closed the connection";
    // Its end cannot be heard of any more.
    if (!reply.open) {
      await pipeline.end(cancelled);
      return;
    }
    const cancel = this.#send(pipeline, frame, reply);
    response.once("close", () => {
      cancel();
      void pipeline.end(cancelled);
    });
  }

  #send(pipeline: Pipeline, frame: Frame, reply: Reply): () => void {
    const release = new OrderedRelease<() => Promise<void>>((write) => write());
    const judged = (passage: Promise<Passage>, write: (bytes: Uint8Array) => Promise<void>): void =>
      void release.add(async () => {
        const { onward } = await passage;
        if (onward) await write(onward);
      });
    const take = (bytes: Uint8Array): Promise<Passage> => pipeline.fromServer(pipeline.read(bytes));
    return this.#shared.request(frame, {
      message: (bytes) => judged(take(bytes), (onward) => reply.message(onward)),
      answer: (bytes) => judged(take(bytes), (onward) => answerWith(reply, onward)),
      oversize: (cut) =>
        judged(pipeline.oversize("server", cut, this.#maxFrameBytes), (onward) =>
          reply.answer(onward),
        ),
      lost: (reason) =>
        void release.add(async () => {
          for (const answer of await pipeline.end(reason)) await reply.answer(answer);
        }),
    });
  }
}

async function answerWith(reply: Reply, bytes: Uint8Array): Promise<void> {
  const code = readFrame(bytes).errorCode;
  const status = code === undefined ? undefined : STATUS_OF_CODE.get(code);
  await reply.answer(bytes, { status: status ?? 200 });
}
