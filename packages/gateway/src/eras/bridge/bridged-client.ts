import {
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
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
  memberRemovals,
  type Revision,
  readFrame,
  requestFrame,
  resultFrame,
  revisionOf,
  spliceFrame,
} from "@touchstone/protocol/advanced";
import { threadSlice } from "@touchstone/util";
import { around, isObjectAt, membersInFront, shortValueAt } from "./edits.ts";
import {
  methodUncrossed,
  NO_OBJECT,
  RESERVED_META,
  SECOND_INITIALIZE,
  TASK,
  type Uncrossed,
  uncrossedError,
  unfinished,
} from "./messages.ts";
import { OLD_TO_NEW, type RequestCrossing, type RevisionCodec } from "./old-to-new.ts";
import { shownOutputSchemas } from "./output-schema.ts";

/** What becomes of a message of the client. */
export interface Crossing {
  /** The message in the server's revision. */
  readonly onward?: Uint8Array;
  /** The response of the bridge. */
  readonly back?: Uint8Array;
}

interface Pending {
  readonly method: string;
  readonly crossing: RequestCrossing | undefined;
  readonly tool: string | undefined;
  readonly isFirstPage: boolean;
}

const LEVEL: MemberPlan = { params: { level: true } };
const LEVELS: ReadonlySet<unknown> = new Set([
  ...["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
]);
const CACHEABLE: MemberPlan = { result: { resultType: true, ttlMs: true, cacheScope: true } };
const RESERVED = [META_CLIENT_INFO, META_CLIENT_CAPABILITIES, META_LOG_LEVEL].map((key) =>
  joinPointer("/params/_meta", key),
);
/** Longer lists are shown in steps. */
const STEPPED_BYTES = 65_536;
/** How many tools with another output schema to remember. */
const MAX_WRAPPED = 10_000;
const NOTHING: Crossing = {};

/**
 * A client that has begun with `initialize`, in front of a server that has no such method. Writes the envelope of its
 * messages in the server's revision, and that of the server's in the client's. Arguments, results and texts stay the
 * bytes that came.
 */
export class BridgedClient {
  /** The client's revision and the server's, such as `2025-11-25>2026-07-28`. */
  readonly pair: string;
  readonly #codec: RevisionCodec;
  readonly #revision: Revision;
  /** Source text of the members that every request has in `_meta`. */
  readonly #context: string;
  readonly #pending: Map<string, Pending> = new Map();
  /** Names of listed tools whose structured content the client expects in `{"result": …}`. */
  readonly #wrapped: Set<string> = new Set();
  #level: string | undefined;
  #offered: ReadonlySet<string> = new Set();

  private constructor(codec: RevisionCodec, revision: Revision, initialize: Frame) {
    this.#codec = codec;
    this.#revision = revision;
    this.pair = `${revision.version}>${codec.to.version}`;
    const info = initialize.range("/params/clientInfo");
    const named =
      info !== undefined && isObjectAt(initialize.bytes, info)
        ? [`"${META_CLIENT_INFO}":${initialize.text(info)}`]
        : [];
    this.#context = [
      `"${META_PROTOCOL_VERSION}":${JSON.stringify(codec.to.version)}`,
      // The server must not ask the client for anything: its requests do not cross.
      `"${META_CLIENT_CAPABILITIES}":{}`,
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
    const capabilities = offered.map((capability) => `"${capability}":{}`).join(",");
    const version = JSON.stringify(this.#revision.version);
    return resultFrame(
      id,
      `{"protocolVersion":${version},"capabilities":{${capabilities}},"serverInfo":${server}${told ?? ""}}`,
    );
  }

  /** Takes a message of the client, which is not a batch. */
  fromClient(frame: Frame): Crossing {
    const { kind, method = "", id } = frame;
    if (kind === "request" && id !== undefined) return this.#request(frame, id, method);
    if (kind !== "notification") return { onward: frame.bytes };
    if (this.#codec.dropped.has(method)) return NOTHING;
    const { requestIdKey } = frame;
    if (method === "notifications/cancelled" && requestIdKey !== undefined) {
      this.#pending.delete(requestIdKey);
    }
    return { onward: frame.bytes };
  }

  /** Forgets a request that gets no response. @param idKey the key of its id */
  forget(idKey: string): void {
    this.#pending.delete(idKey);
  }

  #request(frame: Frame, id: string, method: string): Crossing {
    const { requests } = this.#codec;
    const crossing = Object.hasOwn(requests, method) ? requests[method] : undefined;
    const to = crossing?.to ?? "cross";
    if (method === "initialize") return this.#refuse(id, SECOND_INITIALIZE);
    if (to === "respond") return { back: resultFrame(id, "{}") };
    if (to === "level") return this.#setLevel(frame, id, method);
    if (to !== "cross") return this.#refuse(id, to);
    if (method === "tools/call" && frame.range("/params/task") !== undefined) {
      return this.#refuse(id, TASK);
    }
    const written = this.#withContext(frame);
    if (!(written instanceof Uint8Array)) return this.#refuse(id, written);
    const { toolName: tool, hasCursor } = frame;
    const pending: Pending = { method, crossing, tool, isFirstPage: !hasCursor };
    if (frame.idKey !== undefined) this.#pending.set(frame.idKey, pending);
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

  /** Returns a message of the server as the client gets it. */
  shown(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
    const steps = this.toClient(bytes);
    return bytes.length < STEPPED_BYTES ? runSteps(steps) : threadSlice.take(steps);
  }

  /** Returns a message of the server as the client gets it, after a step for each tool of a list. */
  *toClient(bytes: Uint8Array): Generator<void, Uint8Array, void> {
    const frame = readFrame(bytes, { outline: true });
    const { kind, id, idKey = "" } = frame;
    if (kind !== "response" && kind !== "error") return bytes;
    const pending = this.#pending.get(idKey);
    this.#pending.delete(idKey);
    const { result } = frame.ranges;
    if (kind === "error" || result === undefined || !isObjectAt(bytes, result)) return bytes;
    const type = frame.resultType;
    if (type !== undefined && type !== "complete" && id !== undefined) {
      return uncrossedError(id, this.pair, unfinished(type));
    }
    return spliceFrame(bytes, [
      ...envelopeEdits(frame, pending?.crossing),
      ...(yield* this.#shownEdits(frame, pending)),
    ]);
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
