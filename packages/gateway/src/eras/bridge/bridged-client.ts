import { randomBytes } from "node:crypto";
import {
  type JsonObject,
  type JsonRange,
  joinPointer,
  jsonText,
  locateJson,
  type MemberPlan,
  runSteps,
} from "@touchstone/core/advanced";
import {
  type Edit,
  ERROR_CODES,
  errorFrame,
  type Frame,
  idKey,
  judgeMessage,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
  memberRemovals,
  missingInputCapability,
  notificationFrame,
  type Revision,
  readFrame,
  requestFrame,
  resultFrame,
  revisionOf,
  spliceFrame,
} from "@touchstone/protocol/advanced";
import { threadSlice } from "@touchstone/util";
import type { Bridging } from "./bridging.ts";
import { around, isObjectAt, membersInFront, shortValueAt } from "./edits.ts";
import { type AskedInput, type AskedRequest, INPUT_MS, MAX_ROUNDS, readInput } from "./input.ts";
import {
  INPUT_EXPIRED,
  INPUT_REPEATED,
  INPUT_UNREADABLE,
  inputInvalid,
  inputLacking,
  inputRefused,
  methodUncrossed,
  NO_OBJECT,
  OWN_INPUT,
  RESERVED_META,
  SECOND_INITIALIZE,
  TASK,
  type Uncrossed,
  uncrossedError,
  unfinished,
} from "./messages.ts";
import {
  OLD_TO_NEW,
  type RequestCrossing,
  type RevisionCodec,
  SUBSCRIPTIONS,
} from "./old-to-new.ts";
import { shownOutputSchemas } from "./output-schema.ts";

/** What becomes of a message of the client. */
export interface Crossing {
  /** What the server gets. */
  readonly onward?: Uint8Array;
  /** Messages to the client before the response. */
  readonly notices?: readonly Uint8Array[];
  /** The response of the bridge. */
  readonly back?: Uint8Array;
  /** The key of the id of the client's earlier request that this is about. */
  readonly about?: string;
  /** Whether the client expects to hear of other changes than before. */
  readonly listens?: true;
}

/** What opens a subscription in place of the one before. */
export interface Listening {
  /** Absent if the client expects to hear of nothing. */
  readonly request?: Uint8Array;
  /** What cancels the one before. */
  readonly cancel?: Uint8Array;
}

/** What becomes of a message of the server. */
export interface Shown {
  /** What the client gets. */
  readonly messages: readonly Uint8Array[];
  /** The client's request, which is sent again at once. */
  readonly again?: Uint8Array;
  /** Whether the client's request waits for input, or for the response to it. */
  readonly isOpen?: true;
}

interface Pending {
  readonly method: string;
  readonly crossing: RequestCrossing | undefined;
  readonly tool: string | undefined;
  readonly isFirstPage: boolean;
  /** The source text and the key of its id. */
  readonly id: string;
  readonly idKey: string;
  /** What the server got, if it may be sent again. */
  readonly sent: Uint8Array | undefined;
  /** The source text and the key of the id that the server has, once it is another one. */
  round: { readonly id: string; readonly idKey: string } | undefined;
  rounds: number;
  input: OpenInput | undefined;
}

/** Requests for input that the client has, until all their responses have come. */
interface OpenInput {
  readonly asked: AskedInput;
  /** Source texts of the results that have come, by key. */
  readonly results: Map<string, string>;
  readonly timer: NodeJS.Timeout;
}

/** A request of the bridge that the client has. */
interface InputSent {
  readonly pending: Pending;
  readonly request: AskedRequest;
  /** The source text of its id. */
  readonly id: string;
}

const LEVEL: MemberPlan = { params: { level: true } };
const LEVELS: ReadonlySet<unknown> = new Set([
  ...["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
]);
const ERROR_MESSAGE: MemberPlan = { error: { message: true } };
const CACHEABLE: MemberPlan = { result: { resultType: true, ttlMs: true, cacheScope: true } };
const RESERVED = [META_CLIENT_INFO, META_CLIENT_CAPABILITIES, META_LOG_LEVEL].map((key) =>
  joinPointer("/params/_meta", key),
);
/** Longer lists are shown in steps. */
const STEPPED_BYTES = 65_536;
/** How many tools with another output schema to remember. */
const MAX_WRAPPED = 10_000;
/** How many resources a client may subscribe to, and how long their URIs may be. */
const MAX_URIS = 1_000;
const MAX_URI = 2_048;
const INPUT_REQUIRED = "input_required";
const LISTEN = "subscriptions/listen";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const NOTHING: Crossing = {};

/**
 * A client that has begun with `initialize`, in front of a server that has no such method. Writes the envelope of its
 * messages in the server's revision, and that of the server's in the client's. Arguments, results and texts stay the
 * bytes that came.
 */
export class BridgedClient implements Bridging {
  readonly pair: string;
  readonly #codec: RevisionCodec;
  readonly #revision: Revision;
  /** Source text of the members that every request has in `_meta`. */
  readonly #context: string;
  readonly #pending: Map<string, Pending> = new Map();
  /** Names of listed tools whose structured content the client expects in `{"result": …}`. */
  readonly #wrapped: Set<string> = new Set();
  /** What is sent again with input, by the key of the id that the server has. */
  readonly #again: Map<string, Pending> = new Map();
  /** Requests of the bridge that the client has, by the keys of their ids. */
  readonly #inputs: Map<string, InputSent> = new Map();
  /** What the client can do, as the server learns it. */
  readonly #declared: JsonObject;
  readonly #ownIds: string = randomBytes(9).toString("hex");
  #ownCount = 0;
  /** Members of the filter with which the bridge listens. */
  #filter: ReadonlySet<string> = new Set();
  readonly #uris: Set<string> = new Set();
  /** The source text of the id of the open subscription. */
  #listening: string | undefined;
  /** Keys of the ids of subscriptions whose end the client does not hear of. */
  readonly #listens: Set<string> = new Set();
  #level: string | undefined;
  #offered: ReadonlySet<string> = new Set();
  /** Called if the client has not responded to a request for input in time. */
  onExpired: (crossing: Crossing) => void = () => {};

  private constructor(codec: RevisionCodec, revision: Revision, initialize: Frame) {
    this.#codec = codec;
    this.#revision = revision;
    this.pair = `${revision.version}>${codec.to.version}`;
    const info = initialize.range("/params/clientInfo");
    const named =
      info !== undefined && isObjectAt(initialize.bytes, info)
        ? [`"${META_CLIENT_INFO}":${initialize.text(info)}`]
        : [];
    const declared = declaredIn(initialize, codec);
    this.#declared = declared.values;
    this.#context = [
      `"${META_PROTOCOL_VERSION}":${JSON.stringify(codec.to.version)}`,
      `"${META_CLIENT_CAPABILITIES}":${declared.text}`,
      ...named,
    ].join(",");
  }

  /** Returns the client that sent this message; undefined if the message does not begin a session of a known revision. */
  static of(initialize: Frame, codec: RevisionCodec = OLD_TO_NEW): BridgedClient | undefined {
    const { kind, method, id, protocolVersion, initializeVersion } = initialize;
    if (kind !== "request" || method !== "initialize" || id === undefined) return undefined;
    if (protocolVersion !== undefined || initializeVersion === undefined) return undefined;
    const asked = revisionOf(initializeVersion);
    const revision = asked !== undefined && codec.from.includes(asked) ? asked : codec.from.at(-1);
    // A revision that the server has needs no bridge, and it says so itself.
    if (asked === codec.to || revision === undefined) return undefined;
    return new BridgedClient(codec, revision, initialize);
  }

  /** Returns the request with which the bridge asks a server what it can do. @param id its source text */
  discover(id: string): Uint8Array {
    return requestFrame(id, "server/discover", `{"_meta":{${this.#context}}}`);
  }

  /**
   * Returns the response to `initialize` from the server's to `server/discover`; undefined if that is an error, or if
   * the server does not support the revision.
   * @param id the source text of the id of `initialize`
   * @param name of a server that does not name itself
   */
  initialized(id: string, discovered: Frame, name: string): Uint8Array | undefined {
    const { bytes } = discovered;
    const { members } = locateJson(bytes, { members: DISCOVERED });
    const at = (pointer: string): JsonRange | undefined => members.get(pointer);
    const versions = shortValueAt(bytes, at("/result/supportedVersions"));
    if (discovered.kind !== "response" || !Array.isArray(versions)) return undefined;
    if (!versions.includes(this.#codec.to.version)) return undefined;
    const offered = this.#codec.capabilities.filter(
      (capability) => at(`/result/capabilities/${capability}`) !== undefined,
    );
    this.#offered = new Set(offered);
    const info = [at(SERVER_INFO), at("/result/serverInfo")].find(
      (range) => range !== undefined && isObjectAt(bytes, range),
    );
    const server =
      info === undefined ? JSON.stringify({ name, version: "unknown" }) : jsonText(bytes, info);
    const instructions = at("/result/instructions");
    const told = instructions && `,"instructions":${jsonText(bytes, instructions)}`;
    const changes = changesIn(discovered, this.#codec);
    this.#filter = new Set(changes.map(({ filter }) => filter));
    const capabilities = offered.map((capability) => {
      const own = changes.filter((change) => change.capability === capability);
      return `"${capability}":{${own.map(({ member }) => `"${member}":true`).join(",")}}`;
    });
    const version = JSON.stringify(this.#revision.version);
    return resultFrame(
      id,
      `{"protocolVersion":${version},"capabilities":{${capabilities.join(",")}},"serverInfo":${server}${told ?? ""}}`,
    );
  }

  /** Takes a message of the client, which is not a batch. */
  fromClient(frame: Frame): Crossing {
    const { kind, method = "", id, idKey = "" } = frame;
    if (kind === "request" && id !== undefined) return this.#request(frame, id, method);
    const sent = this.#inputs.get(idKey);
    if (sent !== undefined && (kind === "response" || kind === "error")) {
      return this.#received(frame, sent);
    }
    if (kind !== "notification") return { onward: frame.bytes };
    if (method === "notifications/initialized") return { listens: true };
    if (this.#codec.dropped.has(method)) return NOTHING;
    const { requestIdKey } = frame;
    if (method !== "notifications/cancelled" || requestIdKey === undefined) {
      return { onward: frame.bytes };
    }
    return this.#canceled(frame, requestIdKey);
  }

  /** Whether the server announces changes. */
  get mayListen(): boolean {
    return this.#filter.size > 0;
  }

  /** Returns what opens a subscription to all that the client expects to hear of. */
  listen(): Listening {
    const before = this.deafen();
    const members = [...this.#filter].filter((name) => name !== SUBSCRIPTIONS);
    const texts = members.map((name) => `"${name}":true`);
    if (this.#uris.size > 0) texts.push(`"${SUBSCRIPTIONS}":${JSON.stringify([...this.#uris])}`);
    const cancel = before && { cancel: before };
    if (texts.length === 0) return { ...cancel };
    const { id, idKey: key } = this.#ownId();
    this.#listening = id;
    this.#listens.add(key);
    const params = `{"_meta":{${this.#context}},"notifications":{${texts.join(",")}}}`;
    return { request: requestFrame(id, LISTEN, params), ...cancel };
  }

  /** Returns what cancels the subscription; undefined if there is none. */
  deafen(): Uint8Array | undefined {
    const id = this.#listening;
    this.#listening = undefined;
    if (id === undefined) return undefined;
    return notificationFrame("notifications/cancelled", `{"requestId":${id}}`);
  }

  #subscribe(frame: Frame, id: string, method: string, wants: boolean): Crossing {
    if (!this.#filter.has(SUBSCRIPTIONS)) {
      return this.#refuse(id, methodUncrossed(method, "the server does not offer subscriptions"));
    }
    const { uri } = frame;
    const isTooMany = wants && this.#uris.size >= MAX_URIS;
    if (uri === undefined || uri.length > MAX_URI || isTooMany) {
      const text = `touchstone: params.uri must be a string of at most ${MAX_URI} characters, for at most ${MAX_URIS} resources`;
      return { back: errorFrame(id, ERROR_CODES.invalidParams, text) };
    }
    const back = resultFrame(id, "{}");
    if (this.#uris.has(uri) === wants) return { back };
    if (wants) this.#uris.add(uri);
    else this.#uris.delete(uri);
    return { back, listens: true };
  }

  /** Forgets a request that gets no response. @param idKey the key of its id */
  forget(idKey: string): void {
    const pending = this.#pending.get(idKey);
    if (pending !== undefined) this.#over(pending);
  }

  /** Forgets a request. Returns what cancels the requests for input that the client still has. */
  #over(pending: Pending): readonly Uint8Array[] {
    this.#pending.delete(pending.idKey);
    if (pending.round !== undefined) this.#again.delete(pending.round.idKey);
    return this.#withdraw(pending);
  }

  #withdraw(pending: Pending): readonly Uint8Array[] {
    if (pending.input === undefined) return [];
    clearTimeout(pending.input.timer);
    pending.input = undefined;
    const open = [...this.#inputs].filter(([, sent]) => sent.pending === pending);
    for (const [key] of open) this.#inputs.delete(key);
    return open.map(([, { id }]) =>
      notificationFrame("notifications/cancelled", `{"requestId":${id}}`),
    );
  }

  #canceled(frame: Frame, idKey: string): Crossing {
    const pending = this.#pending.get(idKey);
    if (pending === undefined) return { onward: frame.bytes, about: idKey };
    const hasInput = pending.input !== undefined;
    const notices = this.#over(pending);
    // The server has no request then.
    if (hasInput) return { notices, about: idKey };
    const { requestId } = frame.ranges;
    if (pending.round === undefined || requestId === undefined) {
      return { onward: frame.bytes, about: idKey };
    }
    const edit = { range: requestId, text: pending.round.id };
    return { onward: spliceFrame(frame.bytes, [edit]), about: idKey };
  }

  #request(frame: Frame, id: string, method: string): Crossing {
    const { requests } = this.#codec;
    const crossing = Object.hasOwn(requests, method) ? requests[method] : undefined;
    const to = crossing?.to ?? "cross";
    if (method === "initialize") return this.#refuse(id, SECOND_INITIALIZE);
    if (to === "respond") return { back: resultFrame(id, "{}") };
    if (to === "level") return this.#setLevel(frame, id, method);
    if (to === "subscribe" || to === "unsubscribe") {
      return this.#subscribe(frame, id, method, to === "subscribe");
    }
    if (to !== "cross") return this.#refuse(id, to);
    if (method === "tools/call" && frame.range("/params/task") !== undefined) {
      return this.#refuse(id, TASK);
    }
    const written = this.#withContext(frame);
    if (!(written instanceof Uint8Array)) return this.#refuse(id, written);
    const { toolName: tool, hasCursor, idKey } = frame;
    if (idKey === undefined) return { onward: written };
    const mayAsk = crossing?.mayAsk === true;
    if (mayAsk && OWN_MEMBERS.some((pointer) => frame.range(pointer) !== undefined)) {
      return this.#refuse(id, OWN_INPUT);
    }
    this.#pending.set(idKey, {
      ...{ method, crossing, tool, isFirstPage: !hasCursor, id, idKey },
      ...{ sent: mayAsk ? written : undefined, round: undefined, rounds: 0, input: undefined },
    });
    return { onward: written };
  }

  #refuse(id: string, uncrossed: Uncrossed): Crossing {
    return { back: uncrossedError(id, this.pair, uncrossed) };
  }

  #setLevel(frame: Frame, id: string, method: string): Crossing {
    if (!this.#offered.has("logging")) {
      return this.#refuse(id, methodUncrossed(method, "the server does not offer logging"));
    }
    const { members } = locateJson(frame.bytes, { members: LEVEL });
    const level = shortValueAt(frame.bytes, members.get("/params/level"));
    if (!LEVELS.has(level)) {
      const text = `touchstone: params.level must be one of ${[...LEVELS].join(", ")}`;
      return { back: errorFrame(id, ERROR_CODES.invalidParams, text) };
    }
    this.#level = String(level);
    return { back: resultFrame(id, "{}") };
  }

  /** Returns a request with the context that the server's revision requires. */
  #withContext(frame: Frame): Uint8Array | Uncrossed {
    const level = this.#level === undefined ? "" : `,"${META_LOG_LEVEL}":"${this.#level}"`;
    const context = `${this.#context}${level}`;
    const { bytes, ranges } = frame;
    const { params, meta, method } = ranges;
    if (params === undefined) {
      if (method === undefined) return NO_OBJECT;
      const end = { start: method.end, end: method.end };
      return spliceFrame(bytes, [{ range: end, text: `,"params":{"_meta":{${context}}}` }]);
    }
    if (!isObjectAt(bytes, params)) return NO_OBJECT;
    if (meta === undefined) {
      return spliceFrame(bytes, [membersInFront(bytes, params, `"_meta":{${context}}`)]);
    }
    if (!isObjectAt(bytes, meta)) return NO_OBJECT;
    const isReserved = RESERVED.some((pointer) => frame.range(pointer) !== undefined);
    if (isReserved || frame.protocolVersion !== undefined) return RESERVED_META;
    return spliceFrame(bytes, [membersInFront(bytes, meta, context)]);
  }

  /** Returns what becomes of a message of the server. */
  shown(bytes: Uint8Array): Shown | Promise<Shown> {
    const steps = this.toClient(bytes);
    return bytes.length < STEPPED_BYTES ? runSteps(steps) : threadSlice.take(steps);
  }

  /** Returns what becomes of a message of the server, after a step for each tool of a list. */
  *toClient(bytes: Uint8Array): Generator<void, Shown, void> {
    const frame = readFrame(bytes, { outline: true });
    const { kind, id, idKey = "" } = frame;
    if (kind === "notification") return { messages: toldOf(frame) };
    if (this.#listens.delete(idKey)) return { messages: [] };
    if (kind !== "response" && kind !== "error") return { messages: [bytes] };
    const again = this.#again.get(idKey);
    const pending = this.#pendingOf(idKey);
    const { result } = frame.ranges;
    const isObject = kind === "response" && result !== undefined && isObjectAt(bytes, result);
    const clientId = pending?.id ?? id;
    const uncrossed = this.#whyNot(frame, pending);
    if (uncrossed !== undefined && clientId !== undefined) {
      if (pending !== undefined) this.#over(pending);
      return { messages: [uncrossedError(clientId, this.pair, uncrossed)] };
    }
    if (isObject && frame.resultType === INPUT_REQUIRED && pending?.sent !== undefined) {
      const asked = readInput(frame);
      if (asked !== undefined) return this.#ask(asked, pending, pending.sent);
    }
    if (pending !== undefined) this.#over(pending);
    const { id: idRange } = frame.ranges;
    const edits =
      again === undefined || idRange === undefined ? [] : [{ range: idRange, text: again.id }];
    if (!isObject) return { messages: [spliceFrame(bytes, edits)] };
    const shown = spliceFrame(bytes, [
      ...edits,
      ...envelopeEdits(frame, pending?.crossing),
      ...(yield* this.#shownEdits(frame, pending)),
    ]);
    return { messages: [shown] };
  }

  uncrossed(result: Frame): string | undefined {
    const uncrossed = this.#whyNot(result, this.#pendingOf(result.idKey ?? ""));
    return uncrossed && `${uncrossed.what} does not cross the bridge: ${uncrossed.why}`;
  }

  /** Returns the request to which the server responds. @param idKey the key of the id that the server has */
  #pendingOf(idKey: string): Pending | undefined {
    const first = this.#pending.get(idKey);
    return this.#again.get(idKey) ?? (first?.rounds === 0 ? first : undefined);
  }

  /** Returns why a message of the server does not cross; undefined if it does. */
  #whyNot(frame: Frame, pending: Pending | undefined): Uncrossed | undefined {
    const type = frame.resultType;
    if (frame.kind !== "response" || type === undefined || type === "complete") return undefined;
    const mayAsk = pending === undefined || pending.sent !== undefined;
    if (type !== INPUT_REQUIRED || !mayAsk) return unfinished(type);
    if (pending?.rounds === MAX_ROUNDS) return INPUT_REPEATED;
    const asked = readInput(frame);
    if (asked === undefined) return INPUT_UNREADABLE;
    for (const request of asked.requests) {
      const fault = this.#inputFault(request);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Returns why a request for input does not cross; undefined if it does. */
  #inputFault(request: AskedRequest): Uncrossed | undefined {
    const { method, parts } = request;
    if (!this.#codec.inputs.has(method)) return INPUT_UNREADABLE;
    const lacks = missingInputCapability(this.#declared, method, parts, this.#codec.to);
    if (lacks !== undefined) return inputLacking(method, lacks);
    const options = { sender: "server", revision: this.#revision } as const;
    const [issue] = judgeMessage(inputFrame(request, '"touchstone"'), options).errors;
    return issue && inputInvalid(method, `${issue.path} ${issue.message}`);
  }

  /** Asks the client for what the server asks for in a result that crosses. */
  #ask(asked: AskedInput, pending: Pending, sent: Uint8Array): Shown {
    const { requests } = asked;
    if (requests.length === 0) {
      return { messages: [], again: this.#retry(pending, sent, asked, new Map()), isOpen: true };
    }
    const messages: Uint8Array[] = [];
    for (const request of requests) {
      const { id, idKey: key } = this.#ownId();
      messages.push(inputFrame(request, id));
      this.#inputs.set(key, { pending, request, id });
    }
    const timer = setTimeout(() => this.#expired(pending), INPUT_MS).unref();
    pending.input = { asked, results: new Map(), timer };
    // The server has responded to it.
    if (pending.round !== undefined) this.#again.delete(pending.round.idKey);
    pending.rounds += 1;
    return { messages, isOpen: true };
  }

  #ownId(): { readonly id: string; readonly idKey: string } {
    this.#ownCount += 1;
    const id = JSON.stringify(`touchstone-bridge-${this.#ownIds}-${this.#ownCount}`);
    return { id, idKey: idKey(id) };
  }

  /** Takes a response of the client to a request for input. */
  #received(frame: Frame, { pending, request }: InputSent): Crossing {
    this.#inputs.delete(frame.idKey ?? "");
    const { input, sent } = pending;
    const about = pending.idKey;
    if (input === undefined || sent === undefined) return NOTHING;
    const { result } = frame.ranges;
    if (frame.kind === "error" || result === undefined) {
      const notices = this.#over(pending);
      const { members } = locateJson(frame.bytes, { members: ERROR_MESSAGE });
      const message = shortValueAt(frame.bytes, members.get("/error/message"));
      const why = inputRefused(request.method, String(message ?? "it has no message"));
      return { notices, back: uncrossedError(pending.id, this.pair, why), about };
    }
    input.results.set(request.key, frame.text(result));
    if (input.results.size < input.asked.requests.length) return NOTHING;
    this.#withdraw(pending);
    return { onward: this.#retry(pending, sent, input.asked, input.results), about };
  }

  /** Returns the request that is sent again with input: the bytes that the server got first, with an id of its own. */
  #retry(
    pending: Pending,
    sent: Uint8Array,
    { requests, state }: AskedInput,
    results: ReadonlyMap<string, string>,
  ): Uint8Array {
    if (pending.round !== undefined) this.#again.delete(pending.round.idKey);
    const round = this.#ownId();
    pending.round = round;
    if (requests.length === 0) pending.rounds += 1;
    this.#again.set(round.idKey, pending);
    const { ranges } = readFrame(sent, { outline: true });
    const responses = requests.map(({ key }) => `${JSON.stringify(key)}:${results.get(key)}`);
    const members = [
      ...(requests.length === 0 ? [] : [`"inputResponses":{${responses.join(",")}}`]),
      ...(state === undefined ? [] : [`"requestState":${state}`]),
    ];
    const edits: Edit[] = [];
    if (ranges.id !== undefined) edits.push({ range: ranges.id, text: round.id });
    if (ranges.params !== undefined) {
      edits.push(membersInFront(sent, ranges.params, members.join(",")));
    }
    return spliceFrame(sent, edits);
  }

  #expired(pending: Pending): void {
    const notices = this.#over(pending);
    const back = uncrossedError(pending.id, this.pair, INPUT_EXPIRED);
    this.onExpired({ notices, back, about: pending.idKey });
  }

  *#shownEdits(frame: Frame, pending: Pending | undefined): Generator<void, readonly Edit[], void> {
    const { tools, structuredContent } = frame.ranges;
    const shows = pending?.crossing?.shows;
    if (shows === "structured content" && structuredContent !== undefined) {
      const isShownAsIs =
        isObjectAt(frame.bytes, structuredContent) && !this.#wrapped.has(pending?.tool ?? "");
      return isShownAsIs ? [] : around(structuredContent, '{"result":', "}");
    }
    if (shows !== "output schemas" || tools === undefined) return [];
    if (pending?.isFirstPage === true) this.#wrapped.clear();
    const all: Edit[] = [];
    for (const { name, edits } of shownOutputSchemas(frame.bytes, tools)) {
      if (name !== undefined && this.#wrapped.size < MAX_WRAPPED) this.#wrapped.add(name);
      all.push(...edits);
      yield;
    }
    return all;
  }
}

/**
 * Returns whether a server refuses `initialize`, as one does that has no such method. An internal error has another
 * cause, and is also what the gateway responds with if a server cannot be reached.
 */
export function refusesInitialize({ kind, errorCode }: Frame): boolean {
  return kind === "error" && errorCode !== ERROR_CODES.internalError;
}

/** Returns a request for input as the client gets it. @param id source text */
function inputFrame({ method, params, parts }: AskedRequest, id: string): Uint8Array {
  // Only revisions before the server's name what the user does at a URL (MCP 2025-11-25, Elicitation).
  const isNamed = parts.mode !== '"url"' || parts.elicitationId !== undefined;
  const text =
    isNamed || params === undefined ? params : `{"elicitationId":${id},${params.slice(1)}`;
  return requestFrame(id, method, text);
}

/** The messages that a client gets of a notification: none of what only the bridge has to know. */
function toldOf(frame: Frame): readonly Uint8Array[] {
  const { bytes, method, ranges } = frame;
  if (method === ACKNOWLEDGED) return [];
  const { subscriptionId } = ranges;
  if (subscriptionId === undefined) return [bytes];
  return [spliceFrame(bytes, memberRemovals(bytes, [subscriptionId]))];
}

interface Change {
  readonly capability: string;
  readonly member: string;
  readonly filter: string;
}

/** Returns the changes that a server announces, of those that the client's revision has. */
function changesIn({ bytes }: Frame, { changes }: RevisionCodec): readonly Change[] {
  const plan = Object.fromEntries(
    Object.entries(changes).map(([name, of]) => [
      name,
      Object.fromEntries(Object.keys(of).map((member) => [member, true as const])),
    ]),
  );
  const { members } = locateJson(bytes, { members: { result: { capabilities: plan } } });
  return Object.entries(changes).flatMap(([capability, of]) =>
    Object.entries(of).flatMap(([member, filter]) => {
      const at = members.get(`/result/capabilities/${capability}/${member}`);
      return shortValueAt(bytes, at) === true ? [{ capability, member, filter }] : [];
    }),
  );
}

const OWN_MEMBERS = ["/params/inputResponses", "/params/requestState"];

/** Returns the client's capabilities as the server learns them, and their source text. */
function declaredIn(
  { bytes }: Frame,
  { declared }: RevisionCodec,
): { readonly values: JsonObject; readonly text: string } {
  const names = Object.keys(declared);
  const plan = { capabilities: Object.fromEntries(names.map((name) => [name, true as const])) };
  const { members } = locateJson(bytes, { members: { params: plan } });
  const values: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const name of names) {
    const range = members.get(`/params/capabilities/${name}`);
    if (range === undefined || !isObjectAt(bytes, range)) continue;
    const value = declared[name] === "empty" ? {} : shortValueAt(bytes, range);
    if (value === undefined) continue;
    values[name] = value;
    texts.push(`"${name}":${declared[name] === "empty" ? "{}" : jsonText(bytes, range)}`);
  }
  return { values: values as JsonObject, text: `{${texts.join(",")}}` };
}

const SERVER_INFO = joinPointer("/result/_meta", META_SERVER_INFO);
const DISCOVERED: MemberPlan = {
  result: {
    supportedVersions: true,
    capabilities: Object.fromEntries(OLD_TO_NEW.capabilities.map((name) => [name, true as const])),
    serverInfo: true,
    instructions: true,
    _meta: { [META_SERVER_INFO]: true },
  },
};

/** Returns the edits that remove what only the server's revision has in a result. */
function envelopeEdits(frame: Frame, crossing: RequestCrossing | undefined): readonly Edit[] {
  const { bytes } = frame;
  if (crossing?.isCacheable !== true) {
    const type = frame.range("/result/resultType");
    return type === undefined ? [] : memberRemovals(bytes, [type]);
  }
  const { members } = locateJson(bytes, { members: CACHEABLE });
  const found = ["/result/resultType", "/result/ttlMs", "/result/cacheScope"];
  return memberRemovals(
    bytes,
    found.flatMap((pointer) => members.get(pointer) ?? []),
  );
}
