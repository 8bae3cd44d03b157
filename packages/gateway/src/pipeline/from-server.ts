import { scanJson } from "@touchstone/core";
import { ERROR_CODES, type Frame } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import type { Ask } from "../contracts/ask.ts";
import type { ProtocolCheckSettings } from "../policy/settings.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { passBroken, passLost, passNoise, passUnnamed } from "./broken.ts";
import { allFaults, type LineFault, type MessageFaults } from "./faults.ts";
import { announceAnswer, resumedRequest } from "./foreign-request.ts";
import type { PendingRequest } from "./inflight.ts";
import { checkOutputAhead } from "./judge.ts";
import { readJudged } from "./judged-frame.ts";
import type { ListLessons } from "./list-lessons.ts";
import { dropTwin, takeLookalike } from "./lookalike.ts";
import { errorOnId, isNameless, namelessFault, takeMeant } from "./nameless.ts";
import { protocolFaults, saidBy } from "./protocol-faults.ts";
import { issuesError } from "./refusal.ts";
import { Results } from "./results.ts";
import { settleProtocol } from "./settle.ts";
import type { Passage, PipelineState } from "./state.ts";
import { judgedPart } from "./task.ts";
import { passTold } from "./told-result.ts";
import { passUnasked, unaskedMode } from "./unasked.ts";
import { withValidation } from "./validation/change-answer.ts";

/** Answers that set up the conversation: stopping one would stop everything. */
const NEVER_BLOCKED: ReadonlySet<string> = new Set(["initialize", "server/discover"]);

const OPEN_OBJECT = 0x7b;

/** How a frame of the server's came. */
export interface Place {
  /** As an item of a batch. */
  readonly inBatch?: boolean;
  /** On a stream that goes on with another one, whose answers may have come before. */
  readonly resumed?: boolean;
  /** On a stream that the client can resume. */
  readonly resumable?: boolean;
  /**
   * In answer to these requests, by key: what has no id can be about no other. Undefined where the transport does not
   * tell.
   */
  readonly answers?: readonly string[] | undefined;
  /** With the status of an HTTP error, which answers the request: its error may have no id (MCP, Transports). */
  readonly refusal?: boolean;
  /** On a line with which something is wrong. */
  readonly line?: LineFault | undefined;
}

/** The half of the pipeline that a server's frames take: judged before the client reads them. */
export class FromServer {
  readonly #state: PipelineState;
  readonly #ask: Ask;
  readonly #results: Results;
  readonly #lists: ListLessons;

  /**
   * @param ask sends the gateway's own requests to the same upstream
   * @param lists told of the lists of tools that come
   */
  constructor(state: PipelineState, ask: Ask, lists: ListLessons) {
    this.#state = state;
    this.#ask = ask;
    this.#results = new Results(state);
    this.#lists = lists;
  }

  pass(frame: Frame, place: Place = {}): Awaitable<Passage> {
    const { line } = place;
    if (line?.lost) return passLost(this.#state, frame, line.issue);
    if (line !== undefined) this.#state.batches.noteLine(frame, line.issue);
    switch (frame.kind) {
      case "response":
      case "error":
        return this.#answer(frame, place);
      case "invalid":
        return passBroken(this.#state, frame, place.inBatch === true);
      default:
        return passTold(this.#state, this.#results, frame);
    }
  }

  #answer(frame: Frame, place: Place): Awaitable<Passage> {
    const { answered: again, inflight, late } = this.#state;
    const { resumed, resumable } = place;
    const key = frame.idKey ?? "";
    const waiting = inflight.take(key) ?? late.take(key);
    if (waiting === undefined && place.refusal !== true && isNameless(frame)) {
      return this.#nameless(frame, place);
    }
    const pending =
      waiting ?? (resumed === true ? again.get(key) : undefined) ?? takeLookalike(this.#state, key);
    if (pending?.announced !== undefined) announceAnswer(this.#state, pending);
    if (waiting && resumable === true) again.set(key, answeredOnce(waiting));
    if (resumed !== true) return this.#checked(frame, pending, place);
    return whenReady(resumedRequest(this.#state, frame, pending), (known) => {
      if (known && pending === undefined) again.set(key, answeredOnce(known));
      return this.#checked(frame, known, place);
    });
  }

  /** Judges a result once it is checked: that takes place on a thread if it takes long. */
  #checked(frame: Frame, pending: PendingRequest | undefined, place: Place): Awaitable<Passage> {
    const part = pending?.call && judgedPart(frame, pending);
    if (part === undefined || pending?.call === undefined)
      return this.#judged(frame, pending, place);
    const wait = checkOutputAhead(frame, pending.call, part, this.#state.later);
    return whenReady(wait, () => this.#judged(frame, pending, place));
  }

  /** Takes a response without an id: an error of the server's goes to the only request that it can be about. */
  #nameless(frame: Frame, place: Place): Awaitable<Passage> {
    const { batches, context } = this.#state;
    const { pending, waiting } = takeMeant(this.#state, place.answers);
    const issue = namelessFault(frame, pending !== undefined);
    if (waiting === 0) {
      const { paced, server } = context;
      const what = `${server}: server sent ${issue.message}`;
      paced.warn(what, what, frame.errorCode === undefined ? {} : { code: frame.errorCode });
      return this.#judged(frame, undefined, place);
    }
    if (pending?.announced !== undefined) announceAnswer(this.#state, pending);
    if (pending !== undefined && frame.kind === "response") {
      return passUnnamed(this.#state, pending, issue);
    }
    const named = pending
      ? readJudged(context, errorOnId(frame, pending.id), () => pending.call?.tool)
      : frame;
    batches.noteLine(named, issue);
    return this.#judged(named, pending, place);
  }

  #judged(
    frame: Frame,
    pending: PendingRequest | undefined,
    { resumed, line }: Place,
  ): Awaitable<Passage> {
    const began = this.#state.context.telemetry?.now();
    pending?.operation?.answered(frame, began);
    const said = saidBy(this.#state, { frame, pending });
    // The client was told that no answer came in time, or that the one that came was broken.
    if (pending?.settled || pending?.call?.expired) {
      this.#state.rules.note(frame, said);
      return {};
    }
    if (pending?.cancelled) {
      this.#state.rules.note(frame, said);
      const { log, server } = this.#state.context;
      log.debug(`${server}: a response to a cancelled request is left out`);
      return {};
    }
    // It may be what the server logs of a response that it sends, or has sent.
    if (pending === undefined && line?.amongText) {
      return passNoise(this.#state.context, frame, [line.issue]);
    }
    // The mode may change while a list is learnt.
    const { protocol } = pending?.call?.settings ?? this.#state.context.settings();
    const answered = protocolFaults(this.#state, { frame, pending }, protocol);
    this.#state.rules.note(frame, said);
    const unasked = pending ? "off" : unaskedMode(this.#state, frame);
    if (unasked !== "off") {
      return passUnasked(this.#state, frame, { mode: unasked, found: answered, resumed });
    }
    const entries: ActivityEntry[] = [];
    const listed = frame.kind === "response" && pending?.method === "tools/list";
    const faults = listed
      ? this.#lists.learn({ frame, pending }, answered, protocol, entries)
      : answered;
    return whenReady(faults, (found) => {
      const blocked = this.#judgeMessage(frame, pending, found, protocol, entries, began);
      const onward = pending
        ? this.#onward(frame, pending, blocked, entries)
        : (blocked ?? frame.bytes);
      return whenReady(onward, (bytes) => this.#release(frame, pending, bytes, entries));
    });
  }

  /** What the client gets for its request, but for its records. */
  #onward(
    frame: Frame,
    pending: PendingRequest,
    blocked: Uint8Array | undefined,
    entries: ActivityEntry[],
  ): Awaitable<Uint8Array> {
    const { call, method, revision } = pending;
    if (call) {
      const onward = this.#results.finish({ frame, pending, call }, blocked, entries);
      const shared = this.#results.share({ frame, pending, call });
      return shared === undefined ? onward : shared.then(() => onward);
    }
    if (blocked !== undefined) return blocked;
    if (frame.kind !== "response") return frame.bytes;
    if (method === "initialize" && frame.initializeVersion !== undefined) {
      this.#state.conversation.revision = frame.initializeVersion;
      this.#state.tasksExtension.handshake(frame);
    }
    if (NEVER_BLOCKED.has(method)) {
      this.#state.introduced(frame.initializeVersion ?? revision, offersTools(frame));
    }
    return withValidation(this.#state, frame, pending, {
      ask: this.#ask,
      learnt: (lesson, page) => this.#lists.learnt(lesson, page, revision),
    });
  }

  /** Lets an answer go once what is owed of it is recorded. */
  #release(
    frame: Frame,
    pending: PendingRequest | undefined,
    onward: Uint8Array,
    entries: readonly ActivityEntry[],
  ): Awaitable<Passage> {
    // Only an answer of the gateway's own has the very id that the client waits for.
    if (pending && onward !== frame.bytes) dropTwin(this.#state, pending);
    return whenReady(this.#state.append(entries), (kept) => {
      if (!kept && pending) dropTwin(this.#state, pending);
      const released = kept ? onward : this.#state.unrecorded(pending?.id ?? frame.id);
      pending?.operation?.released(released, frame);
      return { onward: released };
    });
  }

  /** Judges an answer as a message; gives what stands in its place where it is stopped. */
  #judgeMessage(
    frame: Frame,
    pending: PendingRequest | undefined,
    found: MessageFaults,
    settings: ProtocolCheckSettings,
    entries: ActivityEntry[],
    began: number | undefined,
  ): Uint8Array | undefined {
    const neverBlocked = NEVER_BLOCKED.has(pending?.method ?? "");
    const page = pending?.method === "tools/list" ? frame : undefined;
    const check = {
      ...{ settings, what: "server answer", call: pending?.call, neverBlocked, page, began },
    };
    const { decision, reason } = settleProtocol(this.#state, found, check, entries);
    if (decision !== "blocked") return undefined;
    const faults = allFaults(found.errors, found.items);
    const text = `Blocked by touchstone: the server's answer breaks the protocol: ${reason}`;
    return issuesError(pending?.id ?? frame.id ?? null, ERROR_CODES.internalError, text, faults);
  }
}

/** Whether an introduction has the `tools` capability; undefined if it does not say what capabilities there are. */
function offersTools(frame: Frame): boolean | undefined {
  const range = frame.range("/result/capabilities");
  if (range === undefined || frame.bytes[range.start] !== OPEN_OBJECT) return undefined;
  const capabilities = frame.bytes.subarray(range.start, range.end);
  return scanJson(capabilities, { members: { tools: true } }).members.has("/tools");
}

/** A request whose answer is judged once more where it comes again; its call has its record by then. */
function answeredOnce(answered: PendingRequest): PendingRequest {
  const { operation: _, announced: __, call, ...request } = answered;
  if (call === undefined) return request;
  // They may be large, and belong to the record.
  return { ...request, call: { ...call, arguments: undefined, recorded: true } };
}
