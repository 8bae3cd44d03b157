import { SchemaCache } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { type BodySettings, buildRecord } from "../../../../records/src/build.ts";
import { CHAIN_START, sealRecord } from "../../../../records/src/chain.ts";
import type {
  DeclaredTool,
  ToolDeclaration,
} from "../../../../records/src/contracts/declaration.ts";
import {
  type ContractScope,
  type ContractStore,
  compareContracts,
  type StoredTool,
} from "../../../../records/src/contracts/store.ts";
import { nextId } from "../../../../records/src/ids.ts";
import type { ActivityEntry, ActivityLog, ActivityRecord } from "../../../../records/src/record.ts";
import { createLogger, type Logger } from "../../../../util/src/log.ts";
import { PacedLog } from "../../../../util/src/paced-log.ts";
import { TimeSlice } from "../../../../util/src/time-slice.ts";
import { MAX_TOOLS } from "../../contracts/contract-list.ts";
import { ContractSource } from "../../contracts/contract-source.ts";
import type { SendOwnRequest } from "../../contracts/own-request.ts";
import type { Caller } from "../../features/caller.ts";
import { CallGates } from "../../features/limits.ts";
import type { ServerTelemetry } from "../../insight/telemetry/telemetry.ts";
import { TelemetryTap } from "../../insight/telemetry/telemetry-tap.ts";
import { DEFAULT_SETTINGS, type Mode, type ValidationSettings } from "../../settings/validation.ts";
import { AddedValidation } from "../added-validation.ts";
import { BufferedBytes, type PipelineContext } from "../context.ts";
import { decideCall } from "../decide-call.ts";
import type { CallParts } from "../decided.ts";
import { type CallSlots, HeldArguments } from "../in-flight.ts";
import { ListViews } from "../list-view.ts";
import {
  type Conversation,
  type MessageOutput,
  type OnCallTimeout,
  Pipeline,
} from "../pipeline.ts";
import { Refusals } from "../refusals.ts";
import { SettingsSnapshot } from "../snapshot.ts";
import { joinTaps, type Tap } from "../tap.ts";
import { isModern, LEGACY, modernMeta, toolList } from "./messages.ts";

export * from "./messages.ts";

/** Default settings with the modes that a test is about. */
export function modes(
  changes: { input?: Mode; output?: Mode; protocol?: Mode } = {},
  more: Partial<ValidationSettings["output"]> = {},
): ValidationSettings {
  const { input, output, protocol } = DEFAULT_SETTINGS;
  return {
    input: { ...input, ...more, mode: changes.input ?? input.mode },
    output: { ...output, ...more, mode: changes.output ?? output.mode },
    protocol: { ...protocol, mode: changes.protocol ?? protocol.mode },
  };
}

export const all = (mode: Mode, more: Partial<ValidationSettings["output"]> = {}) =>
  modes({ input: mode, output: mode, protocol: mode }, more);

/** Keeps records in memory, with the same hash chain as any other log. `gate` holds appends back or fails them. */
export class MemoryLog implements ActivityLog {
  readonly records: ActivityRecord[] = [];
  bodies: BodySettings | undefined;
  gate: (entries: readonly ActivityEntry[]) => Promise<void> = async () => {};
  /** Resolves when an append waits at the gate. */
  #reached: (() => void)[] = [];

  async append(entries: readonly ActivityEntry[]): Promise<readonly ActivityRecord[]> {
    for (const reached of this.#reached.splice(0)) reached();
    await this.gate(entries);
    const added = entries.map((entry) => {
      const previous = this.records.at(-1)?.hash ?? CHAIN_START;
      const now = new Date();
      const record = sealRecord(previous, buildRecord(entry, nextId(now), now, this.bodies));
      this.records.push(record);
      return record;
    });
    return added;
  }

  nextAppend(): Promise<void> {
    return new Promise((resolve) => this.#reached.push(resolve));
  }

  async close(): Promise<void> {}

  of(type: ActivityRecord["type"]): ActivityRecord[] {
    return this.records.filter((record) => record.type === type);
  }
}

function declarationOf({ name, inputText, outputText }: DeclaredTool): ToolDeclaration {
  return {
    name,
    ...(inputText === undefined ? {} : { inputSchema: inputText }),
    ...(outputText === undefined ? {} : { outputSchema: outputText }),
  };
}

export class MemoryStore implements ContractStore {
  readonly #lists: Map<string, ReadonlyMap<string, DeclaredTool>> = new Map();

  async replace(...[scope, contracts]: Parameters<ContractStore["replace"]>) {
    const key = JSON.stringify(scope);
    const after = new Map([...contracts].map((contract) => [contract.name, contract]));
    const before = this.#lists.get(key);
    this.#lists.set(key, after);
    return before === undefined ? [] : compareContracts(before, after);
  }

  async used(): Promise<void> {}

  async tool(scope: ContractScope, name: string): Promise<StoredTool | undefined> {
    const found = this.#lists.get(JSON.stringify(scope))?.get(name);
    return found && { declaration: declarationOf(found), exact: true };
  }

  async toolNames(server: string): Promise<ReadonlySet<string>> {
    const lists = [...this.#lists].filter(([key]) => JSON.parse(key).server === server);
    return new Set(lists.flatMap(([, list]) => [...list.keys()]));
  }
}

export type Json = string | object;
export const messageText = (message: Json): string =>
  typeof message === "string" ? message : JSON.stringify(message);
export const bytesOf = (message: Json | Uint8Array): Uint8Array =>
  message instanceof Uint8Array ? message : Buffer.from(messageText(message));
export const parse = (bytes: Uint8Array | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(bytes ?? []).toString());

export interface HarnessOptions {
  /** The settings in force, or a function that returns them if they change. */
  readonly settings?: ValidationSettings | (() => ValidationSettings);
  readonly tools?: Readonly<Record<string, ValidationSettings>>;
  readonly revision?: string | undefined;
  readonly store?: ContractStore;
  readonly callTimeoutMs?: number;
  readonly slots?: CallSlots;
  readonly telemetry?: ServerTelemetry;
  /** Whether the gateway offers validation if the server does not. */
  readonly addsValidation?: boolean;
  readonly drift?: Tap["result"];
  /** The requests that other gateways know; with this, the conversation is part of a session. */
  readonly sharedRequests?: PipelineContext["sharedRequests"];
  /** Whether the pipeline sees everything that its client sends. */
  readonly whole?: boolean;
  /** Defaults to a slice that never ends. */
  readonly slice?: TimeSlice;
  readonly keyLimits?: PipelineContext["keyLimits"];
  readonly later?: PipelineContext["later"];
  readonly caller?: Caller;
  /** What records keep of arguments and results. Default: nothing. */
  readonly bodies?: PipelineContext["bodies"];
}

/** A pipeline in which everything is real except its transports and the disk. */
export class Harness {
  readonly activity: MemoryLog = new MemoryLog();
  readonly lines: string[] = [];
  readonly log: Logger = createLogger((line) => this.lines.push(line), "debug");
  readonly asked: { method: string; params: string }[] = [];
  readonly pipeline: Pipeline;
  readonly heldArguments: HeldArguments = new HeldArguments();
  /** Answers the gateway's own requests. */
  ask: SendOwnRequest = () => Promise.reject(new Error("nobody answers"));
  clock = 0;

  constructor(options: HarnessOptions = {}) {
    const { settings: given = modes(), tools = {}, store = new MemoryStore() } = options;
    if (options.bodies === "all") this.activity.bodies = { maxBytes: 65_536 };
    if (options.bodies === "failed") this.activity.bodies = { maxBytes: 4_096, ofFailed: true };
    const held = typeof given === "function" ? given : () => given;
    const { callTimeoutMs, slots, sharedRequests } = options;
    const cache = new SchemaCache();
    const sources = new Map<string, ContractSource>();
    const toolSettings = new Map(Object.entries(tools));
    let requests = 0;
    const now = (): number => this.clock;
    const validation = new AddedValidation({
      server: "srv",
      log: this.log,
    });
    const context: PipelineContext = {
      held: new BufferedBytes(),
      heldArguments: this.heldArguments,
      bodies: options.bodies ?? false,
      views: new ListViews(),
      maxTools: MAX_TOOLS,
      refusals: new Refusals(now),
      slice: options.slice ?? new TimeSlice(() => 0),
      keyLimits: options.keyLimits,
      later: options.later,
      server: "srv",
      snapshot: () =>
        new SettingsSnapshot({
          server: held(),
          tools: toolSettings,
          validation: options.addsValidation ? validation : undefined,
        }),
      gates: new CallGates(),
      activity: this.activity,
      ...(slots === undefined ? {} : { slots }),
      tap: (conversation?: Conversation) =>
        joinTaps([
          options.telemetry && new TelemetryTap(options.telemetry, conversation ?? {}),
          options.drift && { result: options.drift },
        ]),
      ...(sharedRequests === undefined ? {} : { sharedRequests }),
      ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
      log: this.log,
      now,
      paced: new PacedLog(this.log),
      newRequestId: () => `r${++requests}`,
      decide: (conversation: Conversation, call: CallParts) =>
        decideCall({ context, conversation, by: "strict" }, call),
    };
    const contracts = (revision = ""): ContractSource => {
      const scope = { server: "srv", revision, authorization: "" };
      const source =
        sources.get(revision) ?? new ContractSource({ scope, cache, store, log: this.log, now });
      sources.set(revision, source);
      return source;
    };
    const revision = "revision" in options ? options.revision : LEGACY;
    const { whole = false } = options;
    const conversation = {
      contracts,
      whole,
      caller: options.caller,
      ...(revision === undefined ? {} : { revision }),
      ...(sharedRequests === undefined ? {} : { session: "sha256:s" }),
    };
    this.pipeline = new Pipeline(context, conversation, (method, params) => {
      this.asked.push({ method, params });
      return this.ask(method, params);
    });
  }

  read(message: Json | Uint8Array): Frame {
    return this.pipeline.read(bytesOf(message));
  }

  client(message: Json | Frame, timedOut?: OnCallTimeout): Promise<MessageOutput> {
    const frame = typeof message === "object" && "scan" in message ? message : this.read(message);
    return this.pipeline.fromClient(frame as Frame, { timedOut }).then(({ passage }) => passage);
  }

  server(message: Json | Frame): Promise<MessageOutput> {
    const frame = typeof message === "object" && "scan" in message ? message : this.read(message);
    return Promise.resolve(this.pipeline.fromServer(frame as Frame));
  }

  /** Lets the client list the tools, in one page. */
  async list(tools: readonly object[], id: Json | number = 9000): Promise<MessageOutput> {
    await this.client({ jsonrpc: "2.0", id, method: "tools/list", ...this.#meta() });
    return this.server({
      jsonrpc: "2.0",
      id,
      result: toolList(tools, this.pipeline.conversation.revision),
    });
  }

  #meta(): object {
    const { revision } = this.pipeline.conversation;
    return isModern(revision) ? { params: { _meta: modernMeta(revision) } } : {};
  }

  records(type: ActivityRecord["type"]): ActivityRecord[] {
    return this.activity.of(type);
  }
}

/** A promise and the functions that settle it. */
export function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
} {
  let settle: { resolve: (value: T) => void; reject: (error: Error) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    promise,
    resolve: (value) => settle?.resolve(value),
    reject: (error) => settle?.reject(error),
  };
}

/** Returns the directions, decisions and places in the records. */
export const told = (h: Harness): unknown =>
  h
    .records("policy_decision")
    .map(({ direction, decision, issues }) => [
      direction,
      decision,
      ...issues.map(({ path }) => path),
    ]);
