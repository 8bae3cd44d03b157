import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import { beginningWithoutSecrets, hasKnownSecrets, REDACTED, redactText } from "@touchstone/util";
import { MAX_NAME_CHARACTERS } from "./conventions.ts";
import type { OperationFact, SideOutcome } from "./facts.ts";
import type {
  CallFacts,
  ConversationPeers,
  OperationFailure,
  Peer,
  TapOperation,
} from "./telemetry.ts";

/** How many characters of a URI to keep: URIs come from outside. */
const MAX_URI = 1_000;
/** Largest `_meta` to read a trace context from: a trace context takes 600 bytes (W3C Trace Context, 3.3). */
const MAX_META_BYTES = 8_192;
/** Longest list to read names of prompts from. */
const MAX_LIST_BYTES = 262_144;
/** How many bytes of an error's message to keep. */
const MAX_MESSAGE_BYTES = 2_048;
const TRACE_KEY = Buffer.from("traceparent");

const NAMING: ReadonlySet<string> = new Set(["tools/call", "prompts/get"]);
/** Methods with an `mcp.resource.uri`, by the conventions. */
const ABOUT_RESOURCES: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "notifications/resources/updated",
]);

const WELL: SideOutcome = {};

/** Cuts a text after removing secrets of the configuration: a client may have sent one as a name. */
function cut(text: string | undefined, max: number): string | undefined {
  if (!hasKnownSecrets) return text?.slice(0, max);
  return text === undefined ? undefined : beginningWithoutSecrets(text, max, () => REDACTED);
}

/** Where operations begin, and where finished ones go. */
export interface OperationParts {
  readonly server: string;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly take: (fact: OperationFact) => void;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Begins an operation if a frame is a request or a notification. */
export function beginOperation(
  parts: OperationParts,
  from: Peer,
  frame: Frame,
  who: ConversationPeers,
): TapOperation | undefined {
  const { kind, method } = frame;
  if (method === undefined || (kind !== "request" && kind !== "notification")) return undefined;
  return new RunningOperation(parts, from, frame, method, who);
}

/** Returns the text of `_meta` if it may contain a trace context. It is parsed later, when nobody waits for it. */
function traceMeta(frame: Frame): string | undefined {
  const { bytes } = frame;
  const meta = frame.range("/params/_meta");
  if (meta === undefined || meta.end - meta.start > MAX_META_BYTES) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + meta.start, meta.end - meta.start);
  return text.includes(TRACE_KEY) ? text.toString() : undefined;
}

/** Returns the text of the result of a `prompts/list`. It is parsed later, when nobody waits for it. */
function listedPrompts(answer: Frame): string | undefined {
  const range = answer.range("/result");
  if (range === undefined || range.end - range.start > MAX_LIST_BYTES) return undefined;
  return answer.text(range);
}

/** Returns how a response reports an error: by `error`, or by a result with `isError`. */
function endingOf(answer: Frame): SideOutcome {
  if (answer.kind === "response") return answer.isError ? { toolError: true } : WELL;
  if (answer.kind !== "error") return WELL;
  const { errorCode: code } = answer;
  const message = messageOf(answer);
  return {
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Does the same for a response that is still unread. */
function endingIn(answer: Uint8Array): SideOutcome {
  return endingOf(readFrame(answer));
}

function messageOf(answer: Frame): string | undefined {
  const range = answer.range("/error/message");
  if (range === undefined || range.end - range.start > MAX_MESSAGE_BYTES) return undefined;
  const text = answer.text(range);
  return text.startsWith('"') ? redactText(JSON.parse(text) as string).text : undefined;
}

class RunningOperation implements TapOperation {
  readonly #parts: OperationParts;
  readonly #who: ConversationPeers;
  readonly #needsNoAnswer: boolean;
  readonly #fact: Mutable<OperationFact>;
  #call: CallFacts | undefined;
  #over = false;

  /** Copies everything out of the frame, so that a pending call does not hold its bytes. */
  constructor(
    parts: OperationParts,
    from: Peer,
    frame: Frame,
    method: string,
    who: ConversationPeers,
  ) {
    this.#parts = parts;
    this.#who = who;
    this.#needsNoAnswer = frame.kind === "notification";
    // One literal with all members: adding or spreading members takes microseconds.
    this.#fact = {
      server: parts.server,
      from,
      method: cut(method, MAX_NAME_CHARACTERS) ?? "",
      target: NAMING.has(method) ? cut(frame.name, MAX_NAME_CHARACTERS) : undefined,
      known: false,
      listed: undefined,
      uri: ABOUT_RESOURCES.has(method) ? cut(frame.uri, MAX_URI) : undefined,
      id: this.#needsNoAnswer ? undefined : cut(frame.id, MAX_NAME_CHARACTERS),
      revision: cut(frame.protocolVersion, MAX_NAME_CHARACTERS),
      session: undefined,
      caller: undefined,
      meta: traceMeta(frame),
      began: parts.now(),
      ended: 0,
      ending: WELL,
      sent: undefined,
      answered: undefined,
      answer: undefined,
      requestId: undefined,
      decision: undefined,
      outcome: undefined,
      direction: undefined,
      status: undefined,
    };
  }

  about(call: CallFacts): void {
    this.#call = call;
  }

  passed({ onward, back }: Parameters<TapOperation["passed"]>[0]): void {
    if (onward === undefined) {
      const [answer] = back ?? [];
      this.#end(answer === undefined ? WELL : endingIn(answer));
      return;
    }
    this.#fact.sent ??= this.#parts.now();
    if (!this.#needsNoAnswer) return;
    this.#fact.answered = this.#fact.sent;
    this.#end(WELL);
  }

  answered(answer: Frame, at?: number): void {
    this.#fact.answered ??= at ?? this.#parts.now();
    this.#fact.answer ??= endingOf(answer);
    if (this.#fact.method === "prompts/list") this.#fact.listed = listedPrompts(answer);
  }

  released(answer: Uint8Array, theirs?: Frame): void {
    if (this.#over) return;
    const same = answer === theirs?.bytes;
    this.#end((same ? this.#fact.answer : undefined) ?? endingIn(answer));
  }

  failed(failure: OperationFailure, answer?: Uint8Array): void {
    if (this.#over) return;
    this.#fact.answered ??= this.#parts.now();
    this.#fact.answer ??= { failure };
    this.#end(answer === undefined ? { failure } : endingIn(answer));
  }

  #end(ending: SideOutcome): void {
    if (this.#over) return;
    this.#over = true;
    const fact = this.#fact;
    const call = this.#call;
    fact.ended = this.#parts.now();
    fact.ending = ending;
    fact.revision ??= this.#who.revision;
    fact.session = this.#who.session;
    fact.caller = cut(this.#who.caller?.name, MAX_NAME_CHARACTERS);
    // Names that clients make up are not counted individually, even if the server accepts them.
    fact.known = call?.contract !== undefined || call?.own === true;
    if (call !== undefined) {
      fact.requestId = call.requestId;
      fact.decision = call.verdict.decision;
      fact.outcome = call.verdict.outcome;
      fact.direction = call.verdict.direction;
      fact.status = call.status;
    }
    this.#parts.take(fact);
  }
}
