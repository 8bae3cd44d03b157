import { ERROR_CODES, errorFrame, type Frame, readFrame } from "@touchstone/protocol/advanced";
import type { MessageOutput, OnCallTimeout, Pipeline } from "../../pipeline/pipeline.ts";
import { joinAnswers, messagesOf, requestsOf } from "../../transport/http/messages.ts";
import type { Reply } from "../../transport/http/reply.ts";
import { MAX_UNREAD_BYTES, UNREAD_INPUT_TEXT } from "../../transport/stdio/child.ts";
import { OrderedRelease } from "../ordered-release.ts";
import type { OwnClientOptions } from "./endpoint.ts";
import type { SessionAnswers } from "./session-answers.ts";

/** The pipeline's result for a POST, and the reply to it. */
interface Posted {
  readonly frame: Frame;
  readonly passage: MessageOutput;
  readonly reply: Reply;
  /** How many requests the POST held. */
  readonly requests: number;
}

export interface PostedMessagesParts {
  readonly pipeline: Pipeline;
  readonly answers: SessionAnswers;
  /** Sends a message to the server; resolves when there is room for more. */
  readonly send: (bytes: Uint8Array) => Promise<void>;
}

/** Sends a session's posted messages to the stdio server, in order, and as fast as it reads. */
export class PostedMessages {
  readonly #pipeline: Pipeline;
  readonly #answers: SessionAnswers;
  readonly #send: (bytes: Uint8Array) => Promise<void>;
  readonly #toServer: OrderedRelease<Posted>;
  /** Bytes of the messages that were not sent to the server yet. */
  #waiting = 0;

  constructor({ pipeline, answers, send }: PostedMessagesParts) {
    this.#pipeline = pipeline;
    this.#answers = answers;
    this.#send = send;
    this.#toServer = new OrderedRelease((posted) => this.#forward(posted));
  }

  /** Resolves when everything posted so far has been sent or refused. */
  settled(): Promise<void> {
    return this.#toServer.settled();
  }

  /**
   * Takes the messages of one POST. Resolves when they have been sent, or refused.
   * @param requests how many of them the frame holds
   * @param by what is known of their sender
   */
  async post(
    frame: Frame,
    requests: number,
    reply: Reply,
    by: OwnClientOptions = {},
  ): Promise<void> {
    const timedOut: OnCallTimeout = (answer, cancellation) => {
      void this.#expire(readFrame(answer), cancellation, reply);
    };
    const flow = await this.#pipeline.fromClient(frame, { timedOut, ...by });
    // The outlines of requests do not show that the text around them is not JSON.
    const asked = flow.frame.kind === "invalid" ? 0 : requests;
    const posted = flow.passage.then(
      (passage): Posted => ({ frame, passage, reply, requests: asked }),
    );
    if (this.#waiting > MAX_UNREAD_BYTES) {
      await this.#refuseUnread(await posted);
      return;
    }
    const { length } = frame.bytes;
    this.#waiting += length;
    try {
      if (flow.ordered) await this.#toServer.add(posted);
      else await this.#forward(await posted);
    } finally {
      this.#waiting -= length;
    }
  }

  /** Responds to a POST for which there is no room, because the server does not read earlier messages. */
  async #refuseUnread({ passage, reply, requests }: Posted): Promise<void> {
    const { onward, back = [] } = passage;
    if (requests === 0)
      reply.json(503, errorFrame(null, ERROR_CODES.internalError, UNREAD_INPUT_TEXT));
    for (const answer of back) await reply.answer(answer);
    for (const { idKey } of onward ? requestsOf(readFrame(onward, { outline: true })) : []) {
      const error =
        idKey === undefined ? undefined : await this.#pipeline.fail(idKey, UNREAD_INPUT_TEXT);
      if (error === undefined) reply.withdraw(1);
      else await reply.answer(error);
    }
  }

  async #forward({ frame, passage, reply, requests }: Posted): Promise<void> {
    const { onward, back = [] } = passage;
    const sent = onward === frame.bytes ? frame : onward && readFrame(onward, { outline: true });
    const going = sent ? requestsOf(sent) : [];
    this.#answers.expect(going, reply);
    // What is not a message has a response as well, without an id.
    const more = going.length + back.length - requests;
    reply.expect(Math.max(0, more));
    if (requests === 0 && back.length > 0) reply.json(400, joinAnswers(back, false));
    else if (requests === 0) reply.accepted();
    else for (const answer of back) await this.#answers.answer(readFrame(answer), reply, 1);
    // A call that was canceled during its check is neither forwarded nor answered.
    reply.withdraw(Math.max(0, -more));
    for (const message of sent ? messagesOf(sent) : []) this.#answers.withdraw(message);
    if (onward) await this.#send(onward);
  }

  /** Responds to a call that the server did not answer in time. */
  async #expire(answer: Frame, cancellation: Uint8Array, reply: Reply): Promise<void> {
    const awaited = this.#answers.take(answer) !== undefined;
    await reply.answer(answer.bytes);
    // The call itself may still wait to be sent, after others that the server does not read.
    await this.#toServer.settled();
    if (!awaited) this.#answers.take(answer);
    await this.#send(cancellation);
  }
}
