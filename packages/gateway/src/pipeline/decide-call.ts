import type { RepairKind } from "@touchstone/core/advanced";
import type { ActivityEntry, ActivityLog, ActivityRecord } from "@touchstone/records/record";
import { type BoundedMap, type Logger, PacedLog } from "@touchstone/util";
import { eraOf } from "../eras/eras.ts";
import { CallGates } from "../features/limits.ts";
import type { PolicySettings } from "../features/policy/policy.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import type { CallParts, PayloadCheck, PayloadDecision } from "./decided.ts";
import { ownMessageText } from "./messages.ts";
import {
  type Conversation,
  type MessageOutput,
  Pipeline,
  type PipelineContext,
} from "./pipeline.ts";
import type { SettingsSnapshot } from "./snapshot.ts";
import type { Tap } from "./tap.ts";

/*
 * Every interface that decides about a call without sending it uses this file: the call runs through the same stages
 * as every message (`roads.ts`), so every feature applies to it, and the decision is the one that the gateway would
 * make.
 */

/** The settings by which a call is decided. */
export type DecidingSettings =
  /** The settings of its server and tool. */
  | "settings"
  /** The same settings with `strict` for arguments. If the check is off in the settings, nothing is repaired. */
  | "strict"
  /** The settings of its server and tool, for the result only: the arguments were checked before. */
  | "result";

export interface CallDecisionParts {
  readonly context: PipelineContext;
  /** The client, and the lists that apply. Nothing is requested from the server. */
  readonly conversation: Conversation;
  readonly by: DecidingSettings;
  /** Receives the records. Without it, the call leaves no record, log line or count. */
  readonly log?: ActivityLog | undefined;
  /** Schemas that were logged as unusable. */
  readonly diagnosed?: BoundedMap<string, true>;
}

/** Decides about the parts of one call, which is not sent. */
export class CallDecision {
  readonly #kept: KeptEntries;
  readonly #pipeline: Pipeline;
  readonly #revision: string | undefined;
  readonly #repairs: (call: CallParts) => readonly RepairKind[] | undefined;
  #judged: PayloadCheck | undefined;

  constructor({ context, conversation, by, log, diagnosed }: CallDecisionParts) {
    this.#kept = new KeptEntries(log);
    this.#revision = conversation.revision;
    const isOff = (tool: string): boolean => context.snapshot().of(tool).input.mode === "off";
    this.#repairs = ({ tool, repair }) => (by === "strict" && isOff(tool) ? undefined : repair);
    const judged: Pick<Tap, "judged"> = {
      judged: (part) => {
        this.#judged = part;
      },
    };
    const shared = log === undefined ? withoutTraces(context, judged) : observed(context, judged);
    const { sharedTasks: _, sharedRequests: __, ...own } = shared;
    const checks: PipelineContext = {
      ...own,
      snapshot: () => settingsBy(by, context.snapshot()),
      // If the result of a call is decided, the call was counted when its arguments were decided.
      gates: by === "settings" ? context.gates : new CallGates(),
      activity: this.#kept,
    };
    const asked = { ...conversation, asksNothing: true };
    const options = log === undefined || diagnosed === undefined ? {} : { diagnosed };
    this.#pipeline = new Pipeline(checks, asked, unasked, options);
  }

  /** Decides about the arguments. Never rejects. */
  async arguments(call: CallParts): Promise<PayloadDecision> {
    const sent = requestFor(call, this.#revision);
    const repair = this.#repairs(call);
    const { passage } = await this.#pipeline.fromClient(this.#pipeline.read(sent), { repair });
    return this.#decided(await passage, sent);
  }

  /**
   * Decides about the result. Call it after {@link arguments}.
   * @param result an MCP `CallToolResult`: JSON in UTF-8
   */
  async result(result: Uint8Array): Promise<PayloadDecision> {
    const back = Buffer.concat([RESULT_BEFORE, result, END]);
    return this.#decided(await this.#pipeline.fromServer(this.#pipeline.read(back)), back);
  }

  /** Ends the call without recording its outcome, which is unknown. */
  async end(): Promise<void> {
    this.#kept.over = true;
    await this.#pipeline.end("the check is over");
  }

  /** Returns the decision about a message. A message that would not be sent, for whatever reason, is blocked. */
  #decided({ onward, back = [] }: MessageOutput, sent: Uint8Array): PayloadDecision {
    const { entries, ids } = this.#kept.take();
    const judged = this.#judged;
    this.#judged = undefined;
    const found = entries.filter(({ type }) => type === "policy_decision");
    const heaviest = (["blocked", "repaired", "warning"] as const).flatMap(
      (decision) => found.find((entry) => entry.decision === decision) ?? [],
    )[0];
    const [reply] = back;
    // If there is no record, the replacement is an error: for example, that the record cannot be written.
    const isReplaced = onward !== sent && found.length === 0;
    const isBlocked = heaviest?.decision === "blocked" || onward === undefined || isReplaced;
    const answer = isBlocked ? (reply ?? onward) : undefined;
    const more = found.reduce((sum, { truncated = 0 }) => sum + truncated, 0);
    return {
      decision: isBlocked ? "blocked" : (heaviest?.decision ?? "allowed"),
      outcome: heaviest?.outcome as PayloadDecision["outcome"],
      reason: heaviest?.reason,
      issues: found.flatMap(({ issues = [] }) => issues),
      truncated: more === 0 ? undefined : more,
      guard: heaviest?.guard,
      text: answer === undefined ? undefined : ownMessageText(answer),
      records: ids,
      judged,
      changed: isBlocked || onward === sent ? undefined : onward,
    };
  }
}

/** Decides once about the arguments of a call. Never rejects. */
export async function decideCall(
  parts: CallDecisionParts,
  call: CallParts,
): Promise<PayloadDecision> {
  const decision = new CallDecision(parts);
  try {
    return await decision.arguments(call);
  } finally {
    await decision.end();
  }
}

/** Collects what a pipeline records, and passes it on as records of another interface. */
class KeptEntries implements ActivityLog {
  readonly #log: ActivityLog | undefined;
  #part: { readonly entries: ActivityEntry[]; readonly ids: string[] } = { entries: [], ids: [] };
  /** Whether the call is over; later records are dropped, because its outcome is unknown. */
  over = false;

  constructor(log: ActivityLog | undefined) {
    this.#log = log;
  }

  async append(entries: readonly ActivityEntry[]): Promise<readonly ActivityRecord[]> {
    if (this.over) return [];
    const own = entries.map((entry) => ({ ...entry, source: "http" as const }));
    const records = (await this.#log?.append(own)) ?? [];
    this.#part.entries.push(...own);
    this.#part.ids.push(...records.map(({ id }) => id));
    return records;
  }

  /** Returns the records since the last call. */
  take(): { readonly entries: readonly ActivityEntry[]; readonly ids: readonly string[] } {
    const taken = this.#part;
    this.#part = { entries: [], ids: [] };
    return taken;
  }

  async close(): Promise<void> {}
}

const RESULT_BEFORE = Buffer.from('{"jsonrpc":"2.0","id":1,"result":');
const ARGUMENTS_BEFORE = Buffer.from(',"arguments":');
const END = Buffer.from("}");

/** Returns the message of a call. Adds what a revision requires of every request. */
function requestFor({ tool, arguments: args }: CallParts, revision = ""): Buffer {
  const { ownMeta } = eraOf(revision);
  const meta = ownMeta === undefined ? "" : `"_meta":${ownMeta},`;
  const name = `${meta}"name":${JSON.stringify(tool)}`;
  return Buffer.concat([
    Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${name}`),
    ...(args === undefined ? [] : [ARGUMENTS_BEFORE, args]),
    ...[END, END],
  ]);
}

const unasked = (): Promise<never> => Promise.reject(new Error("nothing is asked of the server"));

/** Returns a context whose tap only sees the checks, because another program sends the call. */
function observed(context: PipelineContext, judged: Pick<Tap, "judged">): PipelineContext {
  return {
    ...context,
    tap: () => {
      const { now, checked, result } = context.tap?.() ?? {};
      const shown = { ...(now && { now }), ...(checked && { checked }), ...(result && { result }) };
      return { ...shown, ...judged };
    },
  };
}

const NOBODY: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Returns a context in which a call is not counted, logged, remembered or measured, and does not use up limits of
 * other calls.
 */
function withoutTraces(context: PipelineContext, judged: Pick<Tap, "judged">): PipelineContext {
  const { refusals: _, slots: __, ...rest } = context;
  return { ...rest, log: NOBODY, paced: new PacedLog(NOBODY), tap: () => judged };
}

const CHANGES: Readonly<Record<DecidingSettings, (set: ValidationSettings) => ValidationSettings>> =
  {
    settings: (set) => set,
    strict: ({ input, ...set }) => {
      const repair = input.mode === "off" ? [] : input.repair;
      return { ...set, input: { ...input, mode: "strict", repair } };
    },
    result: ({ policy, ...set }) => ({
      ...set,
      input: { ...set.input, mode: "off" },
      ...(policy === undefined ? {} : { policy: withoutNarrow(policy) }),
    }),
  };
/** Returns which tools may be called, without bounds of arguments. */
function withoutNarrow({ narrow: _, ...policy }: PolicySettings): PolicySettings {
  return policy;
}

const made: Readonly<Record<DecidingSettings, WeakMap<SettingsSnapshot, SettingsSnapshot>>> = {
  settings: new WeakMap(),
  strict: new WeakMap(),
  result: new WeakMap(),
};

/** Returns the settings to decide by, without added validation: the same object for the same snapshot. */
function settingsBy(by: DecidingSettings, own: SettingsSnapshot): SettingsSnapshot {
  const found = made[by].get(own) ?? own.with(CHANGES[by]);
  made[by].set(own, found);
  return found;
}
