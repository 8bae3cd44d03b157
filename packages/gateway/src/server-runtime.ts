import { createHash, randomBytes } from "node:crypto";
import type { SchemaCache } from "@touchstone/core";
import { type Frame, revisionOf } from "@touchstone/protocol";
import { nextId } from "./activity/ids.ts";
import type { ActivityLog } from "./activity/record.ts";
import { BoundedMap } from "./bounded-map.ts";
import { type Capture, CapturedPipeline } from "./captured-pipeline.ts";
import type { GatewayConfig, ServerConfig } from "./config/config.ts";
import type { Ask } from "./contracts/ask.ts";
import { ContractCatalogue } from "./contracts/catalogue.ts";
import type { ToolContract } from "./contracts/contract.ts";
import { ContractSource } from "./contracts/source.ts";
import type { ContractScope, ContractStore } from "./contracts/store.ts";
import type { TaskStore } from "./contracts/task-store.ts";
import type { DriftCollector } from "./drift/collector.ts";
import { ListNotices } from "./fleet/list-notices.ts";
import { shareTasks } from "./fleet/shared-tasks.ts";
import { type Logger, logAbout } from "./log.ts";
import { readJudged } from "./pipeline/judged-frame.ts";
import { createTaskMap, type SharedTasks, type TaskMap } from "./pipeline/task.ts";
import type { AddedValidation } from "./pipeline/validation/added-validation.ts";
import { type Conversation, Pipeline, type PipelineContext } from "./pipeline.ts";
import { stopsAnswers, type ValidationSettings } from "./policy/settings.ts";
import { upstreamPlace } from "./telemetry/place.ts";
import type { Telemetry, Transport } from "./telemetry/telemetry.ts";
import { UpstreamStatus } from "./upstream-status.ts";

/** What a gateway lends to all its servers. */
export interface GatewayParts {
  readonly activity: ActivityLog;
  /** Whether records hold arguments and results. Default false. */
  readonly bodies?: () => boolean;
  /** Takes what structured results are like; undefined while nobody asks. */
  readonly drift?: (() => Pick<DriftCollector, "take"> | undefined) | undefined;
  readonly contracts: ContractStore;
  /** Tasks that all gateways on one store know of; absent where the store is not shared. */
  readonly tasks?: () => TaskStore | undefined;
  readonly cache: SchemaCache;
  readonly log: Logger;
  /** Takes every frame as it passes. Nothing by default. */
  readonly capture?: Capture;
  /** Is told what happens, and how clients come. Nobody by default. */
  readonly telemetry?: { readonly of: Telemetry; readonly client: Transport } | undefined;
}

export interface ServerSettings {
  /** The server's name in records. */
  readonly name: string;
  readonly settings: ValidationSettings;
  /** Settings of single tools that differ from the server's. */
  readonly tools: ReadonlyMap<string, ValidationSettings>;
  /** Validation on behalf of the server; absent where its messages stay as they are. */
  readonly validation?: AddedValidation | undefined;
  /** How the server is reached, for telemetry. */
  readonly upstream?: ServerConfig["upstream"] | undefined;
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
  /** How the server fares. */
  readonly status: UpstreamStatus = new UpstreamStatus();
  /** What the server lists, to be looked at. */
  readonly catalogue: ContractCatalogue = new ContractCatalogue();
  readonly #revisions: Set<string> = new Set();
  readonly #notices: ListNotices = new ListNotices();
  #settings: ServerSettings;
  readonly #context: PipelineContext;
  readonly #parts: GatewayParts;
  readonly #diagnosed: BoundedMap<string, true> = new BoundedMap(MAX_DIAGNOSED);
  /** Of all conversations without a session: one request makes a task, another one asks for it. */
  readonly #tasks: TaskMap = createTaskMap();
  readonly #shared: BoundedMap<string, ContractSource> = new BoundedMap(MAX_SOURCES);

  constructor(server: ServerSettings, given: GatewayParts) {
    const parts = { ...given, log: logAbout(given.log, server.name) };
    this.name = server.name;
    this.#settings = server;
    this.#parts = parts;
    const { callTimeout, concurrentCalls: limit } = server;
    const telemetry = parts.telemetry?.of.server({
      name: server.name,
      client: parts.telemetry.client,
      upstream: upstreamPlace(server.upstream),
    });
    let shared: { readonly store: TaskStore; readonly tasks: SharedTasks } | undefined;
    const sharedTasks = (): SharedTasks | undefined => {
      const store = parts.tasks?.();
      if (store === undefined) return undefined;
      if (store === shared?.store) return shared.tasks;
      const { cache, log } = parts;
      const { settings, now } = this.#context;
      const tasks = shareTasks({ server: server.name, store, cache, settings, now, log });
      shared = { store, tasks };
      return tasks;
    };
    this.#context = {
      ...(limit === undefined ? {} : { slots: { limit, taken: 0 } }),
      ...(callTimeout === undefined ? {} : { callTimeoutMs: callTimeout * 1000 }),
      server: server.name,
      settings: (tool) =>
        (tool === undefined ? undefined : this.#settings.tools.get(tool)) ??
        this.#settings.settings,
      stopsAnswers: () =>
        [this.#settings.settings, ...this.#settings.tools.values()].some(stopsAnswers),
      validation: () => this.#settings.validation,
      activity: parts.activity,
      ...(telemetry === undefined ? {} : { telemetry }),
      get sharedTasks() {
        return sharedTasks();
      },
      get drift() {
        const collector = parts.drift?.();
        if (collector === undefined) return undefined;
        return (contract: ToolContract, text: Uint8Array) =>
          collector.take(server.name, contract, text);
      },
      get bodies() {
        return parts.bodies?.() ?? false;
      },
      log: parts.log,
      now: () => performance.now(),
      newRequestId: () => nextId(new Date()),
    };
  }

  /** The MCP revisions in which tools were listed or called, oldest first. */
  get revisions(): readonly string[] {
    return [...this.#revisions].sort();
  }

  get log(): Logger {
    return this.#parts.log;
  }

  get activity(): ActivityLog {
    return this.#parts.activity;
  }

  /** Takes note that a list is another than the one that was learnt; of all, without a scope. */
  listChanged(scope: ContractScope | undefined): void {
    this.#notices.take(scope);
  }

  /** Judges by other settings from the next message on. */
  update({
    settings,
    tools,
    validation,
  }: Pick<ServerSettings, "settings" | "tools" | "validation">): void {
    this.#settings = { ...this.#settings, settings, tools, validation };
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

  /** Whether it may be the gateway itself that answers a call, in the place of the server. */
  mayAnswer({ toolName }: Frame): boolean {
    return this.#settings.validation?.isNamed(toolName) === true;
  }

  pipeline(conversation: Conversation, ask: Ask): Pipeline {
    const tap = this.#parts.capture?.tap(this.name, conversation);
    return tap === undefined
      ? new Pipeline(this.#context, conversation, ask, this.#diagnosed)
      : new CapturedPipeline(tap, this.#context, conversation, ask, this.#diagnosed);
  }

  #source(revision: string, authorization: string): ContractSource {
    if (revision !== "") this.#revisions.add(revision);
    const { cache, contracts, log } = this.#parts;
    const { now } = this.#context;
    const scope = { server: this.name, revision, authorization };
    const listed: ContractCatalogue["learn"] = (...list) => this.catalogue.learn(...list);
    const notices = () => this.#notices.of(scope);
    return new ContractSource({ scope, cache, store: contracts, log, now, notices, listed });
  }
}
