import type { CutMessage, Frame } from "@touchstone/protocol";
import type { BoundedMap } from "./bounded-map.ts";
import type { Ask } from "./contracts/ask.ts";
import type { ToolContract } from "./contracts/contract.ts";
import { type Awaitable, whenReady } from "./pipeline/awaitable.ts";
import { MAX_BATCH } from "./pipeline/batch-faults.ts";
import { isNoise, passNoise } from "./pipeline/broken.ts";
import type { Conversation, PipelineContext } from "./pipeline/context.ts";
import type { TimedOut } from "./pipeline/expiry.ts";
import { failRequests } from "./pipeline/failed-requests.ts";
import type { TransportFault } from "./pipeline/faults.ts";
import { announceRequests } from "./pipeline/foreign-request.ts";
import { FromClient } from "./pipeline/from-client.ts";
import { FromServer, type Place } from "./pipeline/from-server.ts";
import { guarded } from "./pipeline/guarded.ts";
import { expectedOutput } from "./pipeline/judge.ts";
import { readJudged } from "./pipeline/judged-frame.ts";
import { ListLessons } from "./pipeline/list-lessons.ts";
import { refuseBatch, refuseOversize } from "./pipeline/oversize.ts";
import { type Passage, PipelineState } from "./pipeline/state.ts";
import { InOrder } from "./pipeline/time-slice.ts";
import { refuseUnreadable } from "./pipeline/unreadable.ts";
import { WaitFor } from "./pipeline/wait-for.ts";
import { batchMessages, joinPassages } from "./pipeline/whole-batch.ts";

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
  /**
   * Set for a frame that waits for a later turn of the event loop: only then it is known whether it is
   * ordered. Resolves in the order of the frames, and never rejects.
   */
  readonly later?: Promise<Flow>;
}

/**
 * The one road that every message takes, whatever the transport: frame, view, decision, record,
 * frame. Two halves, one for each direction, share what is known of the requests under way.
 */
export class Pipeline {
  readonly #state: PipelineState;
  readonly #fromClient: FromClient;
  readonly #fromServer: FromServer;
  readonly #waitFor: WaitFor;
  /** Calls that wait for the tool list, by id. */
  readonly #held: Map<string, Promise<unknown>> = new Map();
  readonly #clientFrames: InOrder;
  readonly #serverFrames: InOrder;

  /** @param ask sends the gateway's own requests to the same upstream */
  constructor(
    context: PipelineContext,
    conversation: Conversation,
    ask: Ask,
    diagnosed?: BoundedMap<string, true>,
  ) {
    this.#state = new PipelineState(context, conversation, diagnosed);
    this.#fromClient = new FromClient(this.#state);
    const lists = new ListLessons(this.#state);
    this.#fromServer = new FromServer(this.#state, ask, lists);
    this.#waitFor = new WaitFor(this.#state, ask, (...page) => lists.learnt(...page));
    this.#clientFrames = new InOrder(context.slice);
    this.#serverFrames = new InOrder(context.slice);
  }

  get conversation(): Conversation {
    return this.#state.conversation;
  }

  /** How many of the client's requests have no answer yet. */
  get pending(): number {
    return this.#state.inflight.size + this.#held.size + this.#clientFrames.length;
  }

  /** A view of a frame as this pipeline judges it. The client's may be read before there is one. */
  read(bytes: Uint8Array): Frame {
    const { context, inflight } = this.#state;
    return readJudged(
      context,
      bytes,
      (frame) => frame.toolName ?? inflight.get(frame.idKey ?? "")?.call?.tool,
      (outline) => expectedOutput(inflight, outline),
    );
  }

  /**
   * The contract of the tool that a call names, for what a transport has to know of it. Where no
   * list is known it is asked for first. Undefined where there is none. Never rejects.
   */
  contractOf(call: Frame): Promise<ToolContract | undefined> {
    return this.#waitFor.contractOf(call);
  }

  /**
   * Takes a frame from the client, read by {@link read} or by its server's runtime.
   * @param timedOut told of each call in it that went on and has not been answered in time
   * @param transport what is wrong with what the transport says of it, where it is no batch
   */
  fromClient(frame: Frame, timedOut?: TimedOut, transport?: TransportFault): Flow {
    const flow = this.#clientFrames.run(() => this.#takeFromClient(frame, timedOut, transport));
    if (!(flow instanceof Promise)) return flow;
    const passage = flow.then((taken) => taken.passage);
    return { ordered: true, frame, passage, later: flow };
  }

  #takeFromClient(
    frame: Frame,
    timedOut: TimedOut | undefined,
    transport: TransportFault | undefined,
  ): Awaitable<Flow> {
    const items = frame.kind === "batch" ? this.#messages(frame) : undefined;
    if (items === undefined) return this.#oneFromClient(frame, timedOut, transport);
    if (items.length > MAX_BATCH) {
      const refuse = (): Promise<Passage> => refuseBatch(this.#state, "client", frame);
      return { ordered: true, frame, passage: guarded(this.#state.context, frame, refuse) };
    }
    const taken = this.#inSlices(this.#clientFrames, items, (item) =>
      this.#oneFromClient(item, timedOut),
    );
    return whenReady(taken, (flows) => ({
      ordered: flows.every((flow) => flow.ordered),
      frame,
      passage: joinPassages(
        frame,
        items,
        flows.map((flow) => flow.passage),
      ),
    }));
  }

  /** Takes a frame from the server, read by {@link read}. Never rejects. */
  fromServer(frame: Frame, place?: Omit<Place, "inBatch">): Awaitable<Passage> {
    // The next frame waits until this one is checked, and not for its records.
    const taken = this.#serverFrames.run(() => this.#takeFromServer(frame, place));
    return whenReady(taken, ({ passage }) => passage);
  }

  #takeFromServer(
    frame: Frame,
    place: Omit<Place, "inBatch"> | undefined,
  ): Awaitable<Pick<Flow, "passage">> {
    const items = frame.kind === "batch" ? this.#messages(frame) : undefined;
    if (items === undefined) return { passage: this.#oneFromServer(frame, place) };
    if (items.length > MAX_BATCH) {
      const refuse = (): Promise<Passage> => refuseBatch(this.#state, "server", frame);
      return { passage: guarded(this.#state.context, frame, refuse) };
    }
    if (place?.line === undefined && items.every(isNoise)) {
      return { passage: passNoise(this.#state.context, frame, items[0]?.faults ?? []) };
    }
    const inBatch = { ...place, inBatch: true };
    const taken = this.#inSlices(this.#serverFrames, items, (item) => ({
      passage: this.#oneFromServer(item, inBatch),
    }));
    return whenReady(taken, (passages) => ({
      passage: joinPassages(
        frame,
        items,
        passages.map(({ passage }) => passage),
      ),
    }));
  }

  /** Takes the messages of a batch one after the other, in as many turns of the event loop as they need. */
  #inSlices<T extends object>(
    { slice }: InOrder,
    items: readonly Frame[],
    take: (item: Frame) => T,
  ): Awaitable<readonly T[]> {
    const taken: T[] = [];
    /** Takes one in any case. Returns whether all are taken. */
    const takeSome = (): boolean => {
      do {
        const item = items[taken.length];
        if (item === undefined) return true;
        taken.push(take(item));
      } while (!slice.over);
      return taken.length === items.length;
    };
    if (takeSome()) return taken;
    const rest = async (): Promise<readonly T[]> => {
      do await slice.free();
      while (!takeSome());
      return taken;
    };
    return rest();
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
   * Takes note of an answer in a form that nobody can read. Gives errors for those of its requests that
   * wait, as a batch where they are several. Never rejects.
   * @param answers the ids, by key, of the requests that it was the answer to
   */
  unreadable(reason: string, answers: readonly string[]): Promise<Passage> {
    return refuseUnreadable(this.#state, reason, answers);
  }

  /** Says why the conversation is about to end: what the client still sends gets an error at once. */
  over(reason: string): void {
    this.#state.ended ??= reason;
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
    this.over(reason);
    // Those that wait for the tool list get their answers on their own way.
    await Promise.all(this.#held.values());
    const { inflight, late } = this.#state;
    return failRequests(this.#state, [...inflight.takeAll(), ...late.awaited], reason, status);
  }

  /**
   * Ends the conversation at this gateway, where nobody takes an error any more. What other gateways know of is
   * left to them: its client may ask one of them for the answer.
   */
  async leave(reason: string): Promise<void> {
    this.over(reason);
    const waiting = this.#state.inflight.takeAll();
    const own = waiting.filter(({ announced }) => announced === undefined);
    await failRequests(this.#state, own, reason);
  }

  /**
   * Ends one request whose answer will not come. Gives the error for the client; undefined where none
   * waits under this id.
   */
  fail(idKey: string, reason: string): Promise<Uint8Array | undefined> | undefined {
    const pending = this.#state.inflight.take(idKey);
    if (pending === undefined) return undefined;
    return failRequests(this.#state, [pending], reason).then(([answer]) => answer);
  }

  /**
   * Tells gateways that share the store of those of these requests that wait: their client is about to
   * get an event after which it may ask another one for the rest of the stream. Undefined where nobody has
   * to be told. Never rejects.
   * @param idKeys of the requests whose stream it is
   */
  announce(idKeys: readonly string[]): Promise<void> | undefined {
    return announceRequests(this.#state, idKeys);
  }

  #messages(batch: Frame): Frame[] | undefined {
    return batchMessages(this.#state, batch, (bytes) => this.read(bytes));
  }

  #oneFromClient(frame: Frame, timedOut?: TimedOut, transport?: TransportFault): Flow {
    const { context, operations } = this.#state;
    const operation = operations?.open("client", frame);
    const waitsFor = this.#waitsFor(frame, transport);
    const pass = (): Awaitable<Passage> => {
      const passage = guarded(context, frame, () =>
        this.#fromClient.pass(frame, timedOut, transport, waitsFor === "full"),
      );
      return operation === undefined || operations === undefined
        ? passage
        : operations.follow(operation, "client", frame, passage);
    };
    if (waitsFor === undefined || waitsFor === "full")
      return { ordered: true, frame, passage: pass() };
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

  #oneFromServer(frame: Frame, place: Place | undefined): Awaitable<Passage> {
    const { context, operations } = this.#state;
    const operation = operations?.open("server", frame);
    const passage = guarded(context, frame, () => this.#fromServer.pass(frame, place));
    return operation === undefined || operations === undefined
      ? passage
      : operations.follow(operation, "server", frame, passage);
  }

  /** What a frame has to wait for: a cancellation for its call, others for what has to be known. */
  #waitsFor(
    frame: Frame,
    transport: TransportFault | undefined,
  ): Promise<unknown> | "full" | undefined {
    if (frame.method === "notifications/cancelled") {
      return this.#held.get(frame.requestIdKey ?? "");
    }
    if (frame.scan.error !== undefined) return undefined;
    // It will be turned away, and need not wait for that.
    return this.#fromClient.full ? undefined : this.#waitFor.known(frame, transport);
  }
}
