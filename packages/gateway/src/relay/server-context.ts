import type { SchemaCache } from "@touchstone/core/advanced";
import type { KeyLimits } from "@touchstone/protocol/advanced";
import {
  type ContractStore,
  nextId,
  type PinStore,
  type RequestStore,
  type TaskStore,
} from "@touchstone/records/plain";
import type { ActivityLog } from "@touchstone/records/record";
import { type Logger, lateImport, PacedLog, threadSlice } from "@touchstone/util";
import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { MAX_TOOLS } from "../contracts/contract-list.ts";
import type { KnownToolLists } from "../contracts/known-lists.ts";
import type { DriftCollector } from "../features/drift/collector.ts";
import { CallGates } from "../features/limits.ts";
import type { Pins } from "../features/pin/pins.ts";
import type { AddedValidation } from "../pipeline/added-validation.ts";
import { BufferedBytes } from "../pipeline/context.ts";
import { HeldArguments } from "../pipeline/in-flight.ts";
import { ListViews } from "../pipeline/list-view.ts";
import type { PipelineContext } from "../pipeline/pipeline.ts";
import { Refusals } from "../pipeline/refusals.ts";
import { SettingsSnapshot } from "../pipeline/snapshot.ts";
import { type Capture, type ConversationPeers, joinTaps, type Tap } from "../pipeline/tap.ts";
import type { KeptBodies } from "../settings/activity.ts";
import type { Mode, ValidationSettings } from "../settings/validation.ts";
import type { Pause } from "./pause.ts";
import { shareRequests } from "./shared-requests.ts";
import { shareTasks } from "./shared-tasks.ts";

/** What a gateway provides to all its servers. */
export interface GatewayParts {
  readonly activity: ActivityLog;
  /** What records keep of arguments and results. Default: nothing. */
  readonly bodies?: () => KeptBodies;
  /** Collects the shapes of structured results; undefined while that is off. */
  readonly drift?: (() => Pick<DriftCollector, "take"> | undefined) | undefined;
  readonly contracts: ContractStore;
  /** Approvals of servers' declarations; absent if pins are not possible. */
  readonly pins?: PinStore;
  /** Tasks that all gateways on one store know; absent if the store is not shared. */
  readonly tasks?: () => TaskStore | undefined;
  /** Requests that all gateways on one store know; absent if the store is not shared. */
  readonly requests?: () => RequestStore | undefined;
  readonly cache: SchemaCache;
  /** Counts the calls of all servers together. Default: each server's alone. */
  readonly gates?: CallGates;
  /** Returns a server's current pause. Default: none. */
  readonly pause?: ((server: string) => Pause | undefined) | undefined;
  /** Returns whether some callers may use other tools than others. Default: they may not. */
  readonly callersDiffer?: () => boolean;
  readonly log: Logger;
  /** Receives every frame as it passes. Default: none. */
  readonly capture?: Capture;
  /** Returns what follows a server's conversations for telemetry. Default: nothing. */
  readonly telemetry?:
    | ((server: ServerSettings) => (speaker: ConversationPeers) => Tap)
    | undefined;
}

export interface ServerSettings {
  /** The server's name in records. */
  readonly name: string;
  readonly settings: ValidationSettings;
  /** Settings of tools that differ from the server's. */
  readonly tools: ReadonlyMap<string, ValidationSettings>;
  /** Validation that the gateway adds; absent if messages stay as they are. */
  readonly validation?: AddedValidation | undefined;
  /** How the server is reached, for telemetry. */
  readonly upstream?: ServerConfig["upstream"] | undefined;
  /** How long a tool call may take, in seconds. Default: no limit. */
  readonly callTimeout?: number;
  /** How many concurrent tool calls are allowed, over all clients. Default: no limit. */
  readonly concurrentCalls?: number;
  /** How many tools of the server's list to read. Default: 10,000. */
  readonly maxTools?: number;
  /** The largest number of keys in a message to check. Absent: no limit. */
  readonly keyLimits?: KeyLimits;
}

/** The limits for a server's conversations. */
export function callLimits({
  callTimeout,
  concurrentCalls,
  tools,
  objectKeys,
  messageKeys,
}: GatewayConfig["limits"]): Pick<
  ServerSettings,
  "callTimeout" | "concurrentCalls" | "maxTools" | "keyLimits"
> {
  return {
    maxTools: tools,
    keyLimits: { object: objectKeys, message: messageKeys },
    ...(callTimeout === undefined ? {} : { callTimeout }),
    ...(concurrentCalls === undefined ? {} : { concurrentCalls }),
  };
}

/** Returns what is shared over the current store, which may be replaced by another one. */
function sharedOver<S, T>(
  current: (() => S | undefined) | undefined,
  share: (store: S) => T,
): () => T | undefined {
  let last: { readonly store: S; readonly shared: T } | undefined;
  return () => {
    const store = current?.();
    if (store === undefined) return undefined;
    if (store !== last?.store) last = { store, shared: share(store) };
    return last.shared;
  };
}

/**
 * Returns what all conversations with one server share.
 * @param settings returns the current ones
 * @param lists the server's tool lists that were read before
 * @param pins the server's approvals
 */
export function serverContext(
  server: ServerSettings,
  parts: GatewayParts,
  settings: () => CurrentSettings,
  lists?: KnownToolLists,
  pins?: Pins,
): PipelineContext {
  const { name, callTimeout, concurrentCalls: limit, keyLimits } = server;
  const telemetry = parts.telemetry?.(server);
  const drift: Tap | undefined = parts.drift && {
    result: (...shown) => parts.drift?.()?.take(name, ...shown),
  };
  const snapshot = snapshotsOf(settings, () => pausedBy(parts.pause?.(name)));
  const { cache, log } = parts;
  const paced = new PacedLog(log);
  const settingsOf = (tool?: string): ValidationSettings => snapshot().of(tool);
  const sharing = { server: name, cache, settings: settingsOf, now, paced };
  const tasks = sharedOver(parts.tasks, (store) => shareTasks({ ...sharing, store }));
  const requests = sharedOver(parts.requests, (store) => shareRequests({ ...sharing, store }));
  const context: PipelineContext = {
    ...(limit === undefined ? {} : { slots: { limit, taken: 0 } }),
    ...(callTimeout === undefined ? {} : { callTimeoutMs: callTimeout * 1000 }),
    ...(keyLimits === undefined ? {} : { keyLimits }),
    held: new BufferedBytes(),
    heldArguments: new HeldArguments(),
    refusals: new Refusals(now),
    callersDiffer: parts.callersDiffer,
    lists,
    pins,
    introduction: { identity: undefined },
    views: new ListViews(),
    maxTools: server.maxTools ?? MAX_TOOLS,
    slice: threadSlice,
    server: name,
    snapshot,
    gates: parts.gates ?? new CallGates(),
    activity: parts.activity,
    tap: (conversation) =>
      joinTaps([
        conversation && parts.capture?.tap(name, conversation),
        telemetry?.(conversation ?? {}),
        drift,
      ]),
    get sharedTasks() {
      return tasks();
    },
    get sharedRequests() {
      return requests();
    },
    get bodies() {
      return parts.bodies?.() ?? false;
    },
    log,
    paced,
    now,
    newRequestId: () => nextId(new Date()),
    decide: async (conversation, call) => {
      const { decideCall } = await decisions();
      return decideCall({ context, conversation, by: "strict" }, call);
    },
  };
  return context;
}

const decisions = lateImport(() => import("../pipeline/decide-call.ts"));

const now = (): number => performance.now();

type CurrentSettings = Pick<ServerSettings, "settings" | "tools" | "validation">;

/** Returns what makes snapshots of settings that may change. As long as nothing changes, it is the same one. */
function snapshotsOf(
  current: () => CurrentSettings,
  pausing: () => Paused,
): () => SettingsSnapshot {
  let last: { of: CurrentSettings; paused: Paused; snapshot: SettingsSnapshot } | undefined;
  const snapshot = (): SettingsSnapshot => {
    const [of, paused] = [current(), pausing()];
    if (last?.of !== of || last.paused !== paused) {
      last = { of, paused, snapshot: snapshotFor(of, paused) };
    }
    return last.snapshot;
  };
  return snapshot;
}

/** What is paused. */
type Paused = "nothing" | "checks" | "checks and policy";

function pausedBy(pause: Pause | undefined): Paused {
  if (pause === undefined) return "nothing";
  return pause.policy === true ? "checks and policy" : "checks";
}

function snapshotFor(
  { settings, tools, validation }: CurrentSettings,
  paused: Paused,
): SettingsSnapshot {
  if (paused === "nothing") return new SettingsSnapshot({ server: settings, tools, validation });
  const change = paused === "checks" ? pausedChecks : pausedPolicy;
  const changed = new Map([...tools].map(([name, set]) => [name, change(set)]));
  return new SettingsSnapshot({ server: change(settings), tools: changed, validation });
}

/** Returns the settings during a pause: checks that block only warn, and off stays off. */
function pausedChecks({
  input,
  output,
  protocol,
  ...others
}: ValidationSettings): ValidationSettings {
  return {
    ...others,
    input: warnOnly(input),
    output: warnOnly(output),
    protocol: warnOnly(protocol),
  };
}

/** Does the same, and lets policy and narrow only warn. What keys and tokens may do stays. */
function pausedPolicy(settings: ValidationSettings): ValidationSettings {
  const { policy, ...checks } = pausedChecks(settings);
  return policy === undefined ? checks : { ...checks, policy: warnOnly(policy) };
}

function warnOnly<T extends { readonly mode: Mode }>(check: T): T {
  return check.mode === "strict" ? { ...check, mode: "warn" } : check;
}
