import { createHash, randomBytes } from "node:crypto";
import type { SchemaCache } from "@touchstone/core";
import { type Frame, revisionOf } from "@touchstone/protocol";
import { nextId } from "./activity/ids.ts";
import type { ActivityLog } from "./activity/record.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { Ask } from "./contracts/ask.ts";
import { ContractSource } from "./contracts/source.ts";
import type { ContractStore } from "./contracts/store.ts";
import type { Logger } from "./log.ts";
import { BoundedMap } from "./pipeline/bounded-map.ts";
import { readJudged } from "./pipeline/judged-frame.ts";
import { createTaskMap, type TaskMap } from "./pipeline/task.ts";
import { type Conversation, Pipeline, type PipelineContext } from "./pipeline.ts";
import type { ValidationSettings } from "./policy/settings.ts";

/** What a gateway lends to all its servers. */
export interface GatewayParts {
  readonly activity: ActivityLog;
  /** Whether records hold arguments and results. Default false. */
  readonly bodies?: boolean;
  readonly contracts: ContractStore;
  readonly cache: SchemaCache;
  readonly log: Logger;
}

export interface ServerSettings {
  /** The server's name in records. */
  readonly name: string;
  readonly settings: ValidationSettings;
  /** Settings of single tools that differ from the server's. */
  readonly tools: ReadonlyMap<string, ValidationSettings>;
  /** How long the answer to a tool call may take, in seconds. No limit by default. */
  readonly callTimeout?: number;
  /** How many tool calls may be under way, over all clients. No limit by default. */
  readonly concurrentCalls?: number;
}

/** The part of a configuration's limits that a server's conversations keep. */
export function callLimits({
  callTimeout,
  concurrentCalls,
}: GatewayConfig["limits"]): Pick<ServerSettings, "callTimeout" | "concurrentCalls"> {
  return {
    ...(callTimeout === undefined ? {} : { callTimeout }),
    ...(concurrentCalls === undefined ? {} : { concurrentCalls }),
  };
}

/** Lists that are kept at a time: revisions times clients with an authorization of their own. */
const MAX_SOURCES = 1_000;
const MAX_DIAGNOSED = 10_000;

/** `sha256:` and the hex digest of a text that must not be kept itself. */
export function hashed(secret: string): string {
  return `sha256:${createHash("sha256").update(secret).digest("hex")}`;
}

/** A client may name any revision: those that do not exist share one list, so that none is kept for each. */
function knownRevision(revision: string | undefined): string {
  return (revision === undefined ? undefined : revisionOf(revision)?.version) ?? "";
}

/** One upstream server: makes the conversations with it and what they share. */
export class ServerRuntime {
  readonly name: string;
  #settings: ServerSettings;
  readonly #context: PipelineContext;
  readonly #parts: GatewayParts;
  readonly #diagnosed: BoundedMap<string, true> = new BoundedMap(MAX_DIAGNOSED);
  /** Of all conversations without a session: one request makes a task, another one asks for it. */
  readonly #tasks: TaskMap = createTaskMap();
  readonly #shared: BoundedMap<string, ContractSource> = new BoundedMap(MAX_SOURCES);

  constructor(server: ServerSettings, parts: GatewayParts) {
    this.name = server.name;
    this.#settings = server;
    this.#parts = parts;
    const { callTimeout, concurrentCalls: limit } = server;
    this.#context = {
      ...(limit === undefined ? {} : { slots: { limit, taken: 0 } }),
      ...(callTimeout === undefined ? {} : { callTimeoutMs: callTimeout * 1000 }),
      server: server.name,
      settings: (tool) =>
        (tool === undefined ? undefined : this.#settings.tools.get(tool)) ??
        this.#settings.settings,
      activity: parts.activity,
      bodies: parts.bodies ?? false,
      log: parts.log,
      now: () => performance.now(),
      newRequestId: () => nextId(new Date()),
    };
  }

  get log(): Logger {
    return this.#parts.log;
  }

  get activity(): ActivityLog {
    return this.#parts.activity;
  }

  /** Judges by other settings from the next message on. */
  update({ settings, tools }: Pick<ServerSettings, "settings" | "tools">): void {
    this.#settings = { ...this.#settings, settings, tools };
  }

  /**
   * A conversation that has its lists to itself: one client and one session of the upstream's.
   * @param session the session's id; a random one where the transport has none
   */
  ownConversation(session: string = randomBytes(16).toString("hex")): Conversation {
    const sources = new Map<string, ContractSource>();
    const contracts = (revision: string | undefined): ContractSource => {
      const key = knownRevision(revision);
      const source = sources.get(key) ?? this.#source(key, "");
      sources.set(key, source);
      return source;
    };
    return { contracts, session: hashed(session) };
  }

  /**
   * A conversation without a session: the lists are those of everybody with the same authorization,
   * and the tasks those of everybody.
   * @param authorization the client's credentials, of which only a hash is kept
   */
  sharedConversation(authorization: string | undefined): Conversation {
    const who = authorization === undefined ? "" : hashed(authorization);
    const contracts = (revision: string | undefined): ContractSource => {
      const known = knownRevision(revision);
      const key = `${known}\n${who}`;
      const source = this.#shared.get(key) ?? this.#source(known, who);
      this.#shared.set(key, source);
      return source;
    };
    return { contracts, tasks: this.#tasks };
  }

  /** A view of a client's frame, for a transport that has to see it to know whose it is. */
  read(bytes: Uint8Array): Frame {
    return readJudged(this.#context, bytes, ({ toolName }) => toolName);
  }

  pipeline(conversation: Conversation, ask: Ask): Pipeline {
    return new Pipeline(this.#context, conversation, ask, this.#diagnosed);
  }

  #source(revision: string, authorization: string): ContractSource {
    const { cache, contracts, log } = this.#parts;
    const { now } = this.#context;
    const scope = { server: this.name, revision, authorization };
    return new ContractSource({ scope, cache, store: contracts, log, now });
  }
}
