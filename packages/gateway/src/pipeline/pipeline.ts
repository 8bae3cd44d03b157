import type { ExpectedValue } from "@touchstone/core/advanced";
import type { CutMessage, Frame } from "@touchstone/protocol/advanced";
import { type BoundedMap, OrderedWork } from "@touchstone/util";
import type { ToolContract } from "../contracts/contract.ts";
import type { SendOwnRequest } from "../contracts/own-request.ts";
import { toolsChanged } from "./announcements.ts";
import { batchMessages, joinOutputs, MAX_BATCH } from "./batch.ts";
import {
  dropStrayOutput,
  isStrayOutput,
  refuseAcknowledgement,
  refuseUnreadable,
} from "./broken.ts";
import { readBrokenFrameSteps } from "./broken-steps.ts";
import type { Conversation, MessageOutput, PipelineContext } from "./context.ts";
import {
  ClientExchange,
  type FromClient,
  type FromServer,
  type OnCallTimeout,
} from "./exchange.ts";
import { isCheckedAtOnce } from "./faults.ts";
import { expectedOutput } from "./judge.ts";
import { refuseBatch, refuseOversize } from "./oversize.ts";
import { passToClient, passToServer, runGuarded } from "./roads.ts";
import { announceRequests } from "./shared-requests.ts";
import { contractOf } from "./stages/contract.ts";
import { readArrivedFrame, readFully } from "./stages/decode.ts";
import { clientFaultsAhead, serverFaultsAhead } from "./stages/protocol.ts";
import { failRequests } from "./stages/track.ts";
import { PipelineState } from "./state.ts";
import type { Tap, TapOperation } from "./tap.ts";

export type { Conversation, MessageOutput, PipelineContext } from "./context.ts";
export type { OnCallTimeout } from "./exchange.ts";

/** The progress of a frame through the pipeline. */
export interface PipelineRun {
  /** False if the frame waits for the tool list but later frames must not: the server may need them to respond. */
  readonly ordered: boolean;
  readonly frame: Frame;
  /** Never rejects. */
  readonly passage: Promise<MessageOutput>;
}

/** Optional parts of a pipeline. */
export interface PipelineOptions {
  /** Schemas that were logged as unusable. */
  readonly diagnosed?: BoundedMap<string, true>;
}

/**
 * The pipeline for every message, on every transport: frame, view, decision, record, frame. `roads.ts` lists the
 * stages of both directions, which share the state of requests in flight.
 */
export class Pipeline {
  readonly #state: PipelineState;
  readonly #clientFrames: OrderedWork;
  readonly #serverFrames: OrderedWork;

  /** @param ask sends the gateway's own requests to the same server */
  constructor(
    context: PipelineContext,
    conversation: Conversation,
    ask: SendOwnRequest,
    { diagnosed }: PipelineOptions = {},
  ) {
    const tap = context.tap?.(conversation) ?? {};
    this.#state = new PipelineState(context, conversation, heard(ask, tap), { diagnosed, tap });
    this.#clientFrames = new OrderedWork(context.slice, conversation.sender);
    this.#serverFrames = new OrderedWork(context.slice, conversation.sender);
  }

  get conversation(): Conversation {
    return this.#state.conversation;
  }

  /** The number of the client's pending requests. */
  get pending(): number {
    const { held, inflight } = this.#state;
    return inflight.size + held.size + this.#clientFrames.length;
  }

  /**
   * Returns a view of a frame as this pipeline checks it. Of a very large frame it is only the outline; the rest is
   * read when the frame is taken. Client frames may be read before a pipeline exists.
   */
  read(bytes: Uint8Array): Frame {
    return readArrivedFrame(this.#state.context, bytes, this.#toolOf, {
      expectedIn: this.#expectedIn,
    });
  }

  readonly #toolOf = (frame: Frame): string | undefined =>
    frame.toolName ?? this.#state.inflight.get(frame.idKey ?? "")?.call?.tool;

  readonly #expectedIn = (bytes: Uint8Array): ExpectedValue | undefined =>
    expectedOutput(this.#state.inflight, bytes, this.#state.context.keyLimits);

  /**
   * Returns the contract of the tool that a call names, for a transport that must know the tool. Fetches the list if
   * it is unknown. Undefined if there is none. Never rejects.
   */
  contractOf(call: Frame): Promise<ToolContract | undefined> {
    return contractOf(this.#state, call);
  }

  /**
   * Takes a frame from the client, read by {@link read} or by its server's runtime. Resolves once it is checked as far
   * as it can be without a wait, in the order of the frames.
   * @param given `timedOut` is called for each call in it, and `transport` is only for what is not a batch
   */
  async fromClient(frame: Frame, given: FromClient = {}): Promise<PipelineRun> {
    const { tap } = this.#state;
    tap.frame?.("client", "server", frame.bytes);
    const { timedOut } = given;
    const isShown = tap.frame !== undefined && timedOut !== undefined;
    const came = isShown ? { ...given, timedOut: this.#shownTimeout(timedOut) } : given;
    const flow = isTakenAtOnce(frame, this.#clientFrames)
      ? this.#oneFromClient(frame, came)
      : await this.#clientFrames.run(() => this.#takeFromClient(frame, came));
    const passage = this.#shown(frame, flow.passage, "server", "client");
    return passage === flow.passage ? flow : { ...flow, passage };
  }

  async #takeFromClient(came: Frame, from: FromClient): Promise<PipelineRun> {
    const { frame, items } = await this.#clientFrames.steps(
      this.#arriving(came, clientFaultsAhead),
    );
    if (items === undefined) return this.#oneFromClient(frame, from);
    if (items.length > MAX_BATCH) {
      const refuse = (): Promise<MessageOutput> => refuseBatch(this.#state, "client", frame);
      return { ordered: true, frame, passage: runGuarded(this.#state, frame, refuse) };
    }
    const { timedOut } = from;
    const flows = await this.#clientFrames.steps(
      oneByOne(items, (item) => this.#oneFromClient(item, { timedOut })),
    );
    const passages = flows.map(({ passage }) => passage);
    return {
      ordered: flows.every((flow) => flow.ordered),
      frame,
      passage: joinOutputs(frame, items, passages),
    };
  }

  /** Takes a frame from the server, read by {@link read}. Never rejects. */
  fromServer(frame: Frame, place?: Omit<FromServer, "inBatch">): Promise<MessageOutput> {
    this.#state.tap.frame?.("server", "client", frame.bytes);
    const passage = isTakenAtOnce(frame, this.#serverFrames)
      ? this.#oneFromServer(frame, place)
      : this.#inTurnFromServer(frame, place);
    return this.#shown(frame, passage, "client", "server");
  }

  async #inTurnFromServer(
    frame: Frame,
    place: Omit<FromServer, "inBatch"> | undefined,
  ): Promise<MessageOutput> {
    // The next frame waits until this one is checked, but not for its records.
    const { passage } = await this.#serverFrames.run(() => this.#takeFromServer(frame, place));
    return passage;
  }

  async #takeFromServer(
    came: Frame,
    place: Omit<FromServer, "inBatch"> | undefined,
  ): Promise<Taken> {
    const { frame, items } = await this.#serverFrames.steps(
      this.#arriving(came, serverFaultsAhead),
    );
    if (items === undefined) return { passage: this.#oneFromServer(frame, place) };
    if (items.length > MAX_BATCH) {
      const refuse = (): Promise<MessageOutput> => refuseBatch(this.#state, "server", frame);
      return { passage: runGuarded(this.#state, frame, refuse) };
    }
    if (place?.line === undefined && items.every(isStrayOutput)) {
      dropStrayOutput(this.#state.context, frame, items[0]?.faults ?? []);
      return { passage: Promise.resolve({}) };
    }
    const inBatch = { ...place, inBatch: true };
    const taken = await this.#serverFrames.steps(
      oneByOne(items, (item) => ({ passage: this.#oneFromServer(item, inBatch) })),
    );
    const passages = taken.map(({ passage }) => passage);
    return { passage: joinOutputs(frame, items, passages) };
  }

  /**
   * Reads the unread part of a frame, or the messages of a batch, and checks long messages. Later frames wait
   * meanwhile.
   * @param ahead checks a message
   */
  *#arriving(outline: Frame, ahead: Ahead): Generator<void, Arrived, void> {
    const frame = yield* this.#whole(outline, ahead);
    if (frame.kind !== "batch") return { frame };
    const read = (bytes: Uint8Array) => this.#whole(this.read(bytes), ahead);
    return { frame, items: yield* batchMessages(this.#state, frame, read) };
  }

  *#whole(outline: Frame, ahead: Ahead): Generator<void, Frame, void> {
    const frame = yield* readFully(this.#state.context, outline, this.#toolOf);
    yield* readBrokenFrameSteps(frame);
    yield* ahead(this.#state, frame);
    return frame;
  }

  /**
   * Takes the kept part of a frame that was too large to read. Never rejects.
   * @param answers the ids, by key, of the requests that can get no other response, if the transport knows them; else
   *   they are read from the frame
   */
  oversize(
    from: "client" | "server",
    cut: CutMessage,
    limit: number,
    answers?: readonly string[],
  ): Promise<MessageOutput> {
    this.#state.tap.oversize?.(from, cut.size);
    const passage = refuseOversize(this.#state, from, cut, limit, answers);
    const to = from === "client" ? "server" : "client";
    return this.#shown(undefined, passage, to, from);
  }

  /**
   * Records an unreadable response and returns an error for each of its requests that is still pending, as a batch if
   * there is more than one. Never rejects.
   * @param answers the ids, by key, of the requests that it answered
   */
  unreadable(reason: string, answers: readonly string[]): Promise<MessageOutput> {
    const passage = refuseUnreadable(this.#state, reason, answers);
    return this.#shown(undefined, passage, "client", "server");
  }

  /**
   * Records an HTTP response to a message that has none, such as a notification. Returns whether the policy blocks it.
   * @param reason what is wrong with it, in one line
   */
  acknowledgement(reason: string): Promise<boolean> {
    return refuseAcknowledgement(this.#state, reason);
  }

  /** Returns the notifications that the client's list of tools has changed; none if the client does not expect them. */
  toolsChanged(): readonly Uint8Array[] {
    return toolsChanged(this.#state);
  }

  /** Sets why the conversation is about to end: later client messages get an error at once. */
  over(reason: string): void {
    this.#state.ended ??= reason;
  }

  /**
   * Ends the conversation. Every pending or later request gets an error on its id, and every call its record. Returns
   * the frames for the client.
   * @param status of the calls: `rejected` if a limit keeps them from their server
   */
  async end(
    reason: string,
    status: "error" | "rejected" = "error",
  ): Promise<readonly Uint8Array[]> {
    this.over(reason);
    // Messages that wait for the tool list get their errors when their own wait ends.
    const { held, inflight, late } = this.#state;
    await Promise.all(held.values());
    const waiting = [...inflight.takeAll(), ...late.awaited];
    const answers = await failRequests(this.#state, waiting, reason, status);
    for (const answer of answers) this.#state.tap.frame?.("gateway", "client", answer);
    return answers;
  }

  /**
   * Ends the conversation at this gateway, when the client no longer takes errors. Requests that other gateways know
   * stay open: the client may ask one of them for the response.
   */
  async leave(reason: string): Promise<void> {
    this.over(reason);
    const waiting = this.#state.inflight.takeAll();
    const own = waiting.filter(({ announced }) => announced === undefined);
    await failRequests(this.#state, own, reason);
  }

  /**
   * Ends one request that will get no response. Returns the error for the client; undefined if no request is pending
   * under this id.
   */
  async fail(idKey: string, reason: string): Promise<Uint8Array | undefined> {
    const pending = this.#state.inflight.take(idKey);
    if (pending === undefined) return undefined;
    const [answer] = await failRequests(this.#state, [pending], reason);
    if (answer !== undefined) this.#state.tap.frame?.("gateway", "client", answer);
    return answer;
  }

  /**
   * Announces pending requests to the gateways that share the store: their client is about to get an event after
   * which it may ask another gateway for the rest of the stream. Never rejects.
   * @param idKeys of the requests of the stream
   */
  announce(idKeys: readonly string[]): Promise<void> {
    return announceRequests(this.#state, idKeys);
  }

  #oneFromClient(frame: Frame, came: FromClient): PipelineRun {
    const { held, tap } = this.#state;
    const operation = tap.begin?.("client", frame);
    const exchange = new ClientExchange(this.#state, frame, came, operation);
    const passage = followed(operation, passToServer(exchange));
    const key = exchange.held && frame.kind === "request" ? frame.idKey : undefined;
    if (key !== undefined) {
      held.set(key, passage);
      void passage.then(() => {
        if (held.get(key) === passage) held.delete(key);
      });
    }
    return { ordered: !exchange.held, frame, passage };
  }

  #oneFromServer(frame: Frame, place: FromServer | undefined): Promise<MessageOutput> {
    const operation = this.#state.tap.begin?.("server", frame);
    return followed(operation, passToClient(this.#state, frame, place));
  }

  /** Reports to the tap the frames that replace a frame, and those that go back to its sender. */
  #shown(
    frame: Frame | undefined,
    passage: Promise<MessageOutput>,
    to: "client" | "server",
    from: "client" | "server",
  ): Promise<MessageOutput> {
    const { tap } = this.#state;
    if (tap.frame === undefined) return passage;
    return passage.then((passed) => {
      const { onward, back = [], beside = [] } = passed;
      if (onward !== undefined && onward !== frame?.bytes) tap.frame?.("gateway", to, onward);
      for (const error of beside) tap.frame?.("gateway", to, error);
      for (const answer of back) tap.frame?.("gateway", from, answer);
      return passed;
    });
  }

  #shownTimeout(timedOut: OnCallTimeout): OnCallTimeout {
    const { tap } = this.#state;
    if (tap.frame === undefined) return timedOut;
    return (answer, cancellation) => {
      tap.frame?.("gateway", "client", answer);
      tap.frame?.("gateway", "server", cancellation);
      timedOut(answer, cancellation);
    };
  }
}

/** Whether a frame is one short message that does not wait for an earlier frame, as most are. */
function isTakenAtOnce(frame: Frame, inOrder: OrderedWork): boolean {
  return frame.kind !== "batch" && isCheckedAtOnce(frame) && inOrder.isFree;
}

/** A frame, and the messages in it if it is a batch. */
interface Arrived {
  readonly frame: Frame;
  readonly items?: readonly Frame[] | undefined;
}

/** Checks a long message before the stages. */
type Ahead = (state: PipelineState, frame: Frame) => Generator<void, void, void>;

/** Takes items one by one, one per step. */
function* oneByOne<I, T>(
  items: readonly I[],
  take: (item: I) => T,
): Generator<void, readonly T[], void> {
  const taken: T[] = [];
  for (const item of items) {
    taken.push(take(item));
    yield;
  }
  return taken;
}

/** A checked server frame, which may still wait for records. */
interface Taken {
  readonly passage: Promise<MessageOutput>;
}

/** Reports to the follower of a message what happened to it. */
function followed(
  operation: TapOperation | undefined,
  passage: Promise<MessageOutput>,
): Promise<MessageOutput> {
  if (operation === undefined) return passage;
  return passage.then((passed) => {
    operation.passed(passed);
    return passed;
  });
}

/** Reports to the tap the server's responses to the gateway's own requests. */
function heard(ask: SendOwnRequest, tap: Tap): SendOwnRequest {
  if (tap.frame === undefined) return ask;
  return async (method, params) => {
    const answer = await ask(method, params);
    tap.frame?.("server", "gateway", answer, method);
    return answer;
  };
}
