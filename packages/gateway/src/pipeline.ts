import {
  batchItems,
  type CutMessage,
  ERROR_CODES,
  errorFrame,
  type Frame,
} from "@touchstone/protocol";
import type { ActivityEntry } from "./activity/record.ts";
import type { Ask } from "./contracts/ask.ts";
import type { ToolContract } from "./contracts/contract.ts";
import type { ContractSource } from "./contracts/source.ts";
import type { Awaitable } from "./pipeline/awaitable.ts";
import type { BoundedMap } from "./pipeline/bounded-map.ts";
import type { Conversation, PipelineContext } from "./pipeline/context.ts";
import { isModern } from "./pipeline/era.ts";
import type { TimedOut } from "./pipeline/expiry.ts";
import { recallTask } from "./pipeline/foreign-task.ts";
import { FromClient } from "./pipeline/from-client.ts";
import { FromServer } from "./pipeline/from-server.ts";
import type { PendingRequest } from "./pipeline/inflight.ts";
import { readJudged } from "./pipeline/judged-frame.ts";
import { listMeta } from "./pipeline/list-meta.ts";
import { joinBatch, MAX_BATCH, refuseBatch, refuseOversize } from "./pipeline/oversize.ts";
import { type Passage, PipelineState } from "./pipeline/state.ts";

export type { Conversation, PipelineContext } from "./pipeline/context.ts";
export type { TimedOut } from "./pipeline/expiry.ts";
export type { Passage } from "./pipeline/state.ts";

/** A frame's way through the pipeline. */
export interface Flow {
  /**
   * False where the frame waits for the tool list, and the frames behind it must not wait with it:
   * the server may need them to answer.
   */
  readonly ordered: boolean;
  readonly frame: Frame;
  /** There already where nothing has to be waited for. Never rejects. */
  readonly passage: Awaitable<Passage>;
}

/**
 * The one road that every message takes, whatever the transport: frame, view, decision, record,
 * frame. Two halves, one for each direction, share what is known of the requests under way.
 */
export class Pipeline {
  readonly #state: PipelineState;
  readonly #fromClient: FromClient;
  readonly #fromServer: FromServer;
  readonly #ask: Ask;
  /** Calls that wait for the tool list, by id. */
  readonly #held: Map<string, Promise<unknown>> = new Map();

  /** @param ask sends the gateway's own requests to the same upstream */
  constructor(
    context: PipelineContext,
    conversation: Conversation,
    ask: Ask,
    diagnosed?: BoundedMap<string, true>,
  ) {
    this.#state = new PipelineState(context, conversation, diagnosed);
    this.#fromClient = new FromClient(this.#state);
    this.#fromServer = new FromServer(this.#state, ask);
    this.#ask = ask;
  }

  get conversation(): Conversation {
    return this.#state.conversation;
  }

  /** How many of the client's requests have no answer yet. */
  get pending(): number {
    return this.#state.inflight.size + this.#held.size;
  }

  /** A view of a frame as this pipeline judges it. The client's may be read before there is one. */
  read(bytes: Uint8Array): Frame {
    const { context, inflight } = this.#state;
    return readJudged(
      context,
      bytes,
      (frame) => frame.toolName ?? inflight.get(frame.idKey ?? "")?.call?.tool,
    );
  }

  /**
   * The contract of the tool that a call names, for what a transport has to know of it. Where no
   * list is known it is asked for first. Undefined where there is none. Never rejects.
   */
  async contractOf(call: Frame): Promise<ToolContract | undefined> {
    const { toolName } = call;
    if (toolName === undefined) return undefined;
    const revision = call.protocolVersion ?? this.conversation.revision;
    const source = this.conversation.contracts(revision);
    if (source.needed) await this.#learn(source, call, revision);
    return source.get(toolName);
  }

  /**
   * Takes a frame from the client, read by {@link read} or by its server's runtime.
   * @param timedOut told of each call in it that went on and has not been answered in time
   */
  fromClient(frame: Frame, timedOut?: TimedOut): Flow {
    const items = frame.kind === "batch" ? this.#items(frame) : undefined;
    if (items === undefined) return this.#oneFromClient(frame, timedOut);
    if (items.length > MAX_BATCH) {
      const refused = (): Promise<Passage> => refuseBatch(this.#state, "client", frame);
      return { ordered: true, frame, passage: this.#guarded(frame, refused) };
    }
    const flows = items.map((item) => this.#oneFromClient(item, timedOut));
    const passages = flows.map((flow) => flow.passage);
    return {
      ordered: flows.every((flow) => flow.ordered),
      frame,
      passage: this.#joined(frame, items, passages),
    };
  }

  /** Takes a frame from the server, read by {@link read}. Never rejects. */
  fromServer(frame: Frame): Awaitable<Passage> {
    const items = frame.kind === "batch" ? this.#items(frame) : undefined;
    if (items === undefined) return this.#oneFromServer(frame);
    if (items.length > MAX_BATCH) {
      return this.#guarded(frame, () => refuseBatch(this.#state, "server", frame));
    }
    const passages = items.map((item) => this.#oneFromServer(item, true));
    return this.#joined(frame, items, passages);
  }

  /**
   * Takes what was kept of a frame that was too large to be read. Never rejects.
   * @param answers the ids, by key, of the requests that can have no other answer, where the
   *   transport knows them; else they are read from the frame
   */
  oversize(
    from: "client" | "server",
    cut: CutMessage,
    limit: number,
    answers?: readonly string[],
  ): Promise<Passage> {
    return refuseOversize(this.#state, from, cut, limit, answers);
  }

  /**
   * Ends the conversation: every request that still waits, or that is still to come, gets an error
   * on its id, and every call its record. Gives the frames for the client.
   * @param status of the calls: `rejected` where a limit keeps them from their server
   */
  async end(
    reason: string,
    status: "error" | "rejected" = "error",
  ): Promise<readonly Uint8Array[]> {
    this.#state.ended ??= reason;
    // Those that wait for the tool list get their answers on their own way.
    await Promise.all(this.#held.values());
    return this.#fail(this.#state.inflight.takeAll(), reason, status);
  }

  /** Ends one request whose answer will not come. Gives the error for the client. */
  async fail(idKey: string, reason: string): Promise<Uint8Array | undefined> {
    const pending = this.#state.inflight.take(idKey);
    const [answer] = pending === undefined ? [] : await this.#fail([pending], reason);
    return answer;
  }

  async #fail(
    requests: readonly PendingRequest[],
    reason: string,
    status: "error" | "rejected" = "error",
  ): Promise<Uint8Array[]> {
    const { evidence } = this.#state;
    const entries: ActivityEntry[] = [];
    const answers: Uint8Array[] = [];
    for (const { id, call, operation } of requests) {
      const answer = errorFrame(id, ERROR_CODES.internalError, `touchstone: ${reason}`);
      operation?.failed("connection_lost", answer);
      answers.push(answer);
      if (call === undefined || call.recorded) continue;
      entries.push(evidence.toolCall(call, status, { bytes: answer.length, reason }));
      call.recorded = true;
    }
    await this.#state.append(entries);
    return answers;
  }

  /** The messages of a batch, one more than allowed at most; undefined where there are none. */
  #items(batch: Frame): Frame[] | undefined {
    const { revision } = this.conversation;
    const items: Frame[] = [];
    // Not the frame itself: what waits for an answer would keep its bytes.
    const mark = {};
    for (const { start, end } of batchItems(batch)) {
      const item = this.read(batch.bytes.subarray(start, end));
      this.#state.batches.note(item, revision, mark);
      items.push(item);
      if (items.length > MAX_BATCH) break;
    }
    return items.length === 0 ? undefined : items;
  }

  #oneFromClient(frame: Frame, timedOut: TimedOut | undefined): Flow {
    const { operations } = this.#state;
    const operation = operations?.open("client", frame);
    const waitsFor = this.#waitsFor(frame);
    const pass = (): Awaitable<Passage> => {
      const passage = this.#guarded(frame, () => this.#fromClient.pass(frame, timedOut));
      return operation === undefined || operations === undefined
        ? passage
        : operations.follow(operation, "client", frame, passage);
    };
    if (waitsFor === undefined) return { ordered: true, frame, passage: pass() };
    this.#state.waiting += 1;
    const passage = waitsFor.then(() => {
      this.#state.waiting -= 1;
      return pass();
    });
    const key = frame.kind === "request" ? frame.idKey : undefined;
    if (key !== undefined) {
      this.#held.set(key, passage);
      void passage.then(() => {
        if (this.#held.get(key) === passage) this.#held.delete(key);
      });
    }
    return { ordered: false, frame, passage };
  }

  #oneFromServer(frame: Frame, inBatch = false): Awaitable<Passage> {
    const { operations } = this.#state;
    const operation = operations?.open("server", frame);
    const passage = this.#guarded(frame, () => this.#fromServer.pass(frame, inBatch));
    return operation === undefined || operations === undefined
      ? passage
      : operations.follow(operation, "server", frame, passage);
  }

  /**
   * What a frame has to wait for: a call for the tool list, a cancellation for its call, the question
   * for a task's result for the call that made it.
   */
  #waitsFor(frame: Frame): Promise<unknown> | undefined {
    if (frame.method === "notifications/cancelled") {
      return this.#held.get(frame.requestIdKey ?? "");
    }
    if (frame.scan.error !== undefined) return undefined;
    // It will be turned away, and need not wait for that.
    if (this.#fromClient.full) return undefined;
    if (frame.toolName === undefined) return recallTask(this.#state, frame);
    const { context, conversation } = this.#state;
    const { input, output } = context.settings(frame.toolName);
    const revision = frame.protocolVersion ?? conversation.revision;
    const repeats = conversation.repeatsArguments === true && isModern(revision);
    const validation = context.validation?.();
    const validates = validation?.isNamed(frame.toolName) === true;
    if (input.mode === "off" && output.mode === "off" && !repeats && !validates) return undefined;
    const source = conversation.contracts(revision);
    const learning = source.needed ? this.#learn(source, frame, revision) : undefined;
    if (!(validates && isModern(revision))) return learning;
    return Promise.all([learning, validation.ensure(conversation, this.#ask)]);
  }

  #learn(source: ContractSource, frame: Frame, revision: string | undefined): Promise<void> {
    const meta = isModern(revision) ? listMeta(frame) : undefined;
    return source.ensure(this.#ask, meta, (lesson, page) =>
      this.#fromServer.learnt(lesson, page, revision),
    );
  }

  /** Whatever goes wrong inside, the frame's sender or receiver gets an answer. */
  #guarded(frame: Frame, run: () => Awaitable<Passage>): Awaitable<Passage> {
    try {
      const passage = run();
      if (!(passage instanceof Promise)) return passage;
      return passage.catch((error: unknown) => this.#unjudged(frame, error));
    } catch (error) {
      return this.#unjudged(frame, error);
    }
  }

  #unjudged(frame: Frame, error: unknown): Passage {
    const { context } = this.#state;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    context.log.error("a message could not be judged", { server: context.server, reason });
    const text = "touchstone: this message could not be judged; see the gateway's log";
    const answer = errorFrame(frame.id ?? null, ERROR_CODES.internalError, text);
    if (frame.kind === "request") return { back: [answer] };
    return frame.kind === "notification" || frame.id === undefined ? {} : { onward: answer };
  }

  /** Puts a batch together again: the same bytes where every item passed as it was. */
  async #joined(
    batch: Frame,
    items: readonly Frame[],
    passages: readonly Awaitable<Passage>[],
  ): Promise<Passage> {
    const all = await Promise.all(passages);
    const back = all.flatMap((passage) => passage.back ?? []);
    const onward = all.flatMap((passage) => (passage.onward ? [passage.onward] : []));
    const untouched = all.every((passage, i) => passage.onward === items[i]?.bytes);
    return {
      ...(back.length === 0 ? {} : { back }),
      ...(onward.length === 0 ? {} : { onward: untouched ? batch.bytes : joinBatch(onward) }),
    };
  }
}
