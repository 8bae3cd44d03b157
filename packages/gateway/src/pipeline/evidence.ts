import type { Issue, Outcome } from "@touchstone/core";
import type { ActivityEntry, ActivityStatus } from "../activity/record.ts";
import type { ContractChange } from "../contracts/store.ts";
import type { Verdict } from "../policy/decide.ts";
import type { Decision, Direction } from "../policy/settings.ts";
import type { Conversation, PipelineContext } from "./context.ts";
import type { CallVerdict, ToolCall } from "./inflight.ts";
import type { Judgement } from "./judge.ts";

type Who = Pick<ActivityEntry, "source" | "server" | "client" | "session">;

function who(context: PipelineContext, conversation: Conversation): Who {
  const { client, session } = conversation;
  return {
    source: "gateway",
    server: context.server,
    ...(client === undefined ? {} : { client }),
    ...(session === undefined ? {} : { session }),
  };
}

/** Writes the records of one conversation in the shape that the activity log takes. */
export class Evidence {
  readonly #context: PipelineContext;
  readonly #conversation: Conversation;

  constructor(context: PipelineContext, conversation: Conversation) {
    this.#context = context;
    this.#conversation = conversation;
  }

  /** The decision about arguments or a structured result. */
  schemaDecision(
    call: Pick<ToolCall, "tool" | "requestId">,
    direction: Direction,
    judgement: Judgement,
    reason: string,
  ): ActivityEntry {
    const { check, verdict, schemaHash } = judgement;
    return {
      ...this.#decision(direction, verdict, reason),
      tool: call.tool,
      request_id: call.requestId,
      issues: check.errors,
      ...(check.guard === undefined ? {} : { guard: check.guard }),
      ...(schemaHash === undefined ? {} : { schema_hash: schemaHash }),
    };
  }

  /** The decision about a message as such. */
  protocolDecision(
    verdict: Verdict,
    issues: readonly Issue[],
    reason: string,
    call: Pick<ToolCall, "tool" | "requestId"> | undefined,
  ): ActivityEntry {
    return {
      ...this.#decision("protocol", verdict, reason),
      request_id: call?.requestId ?? this.#context.newRequestId(),
      issues,
      ...(call === undefined ? {} : { tool: call.tool }),
    };
  }

  /**
   * The record of a whole call. Its direction, mode and outcome are those of the check that decided
   * about it, and absent where none objected.
   */
  toolCall(call: ToolCall, status: ActivityStatus, answer: CallAnswer): ActivityEntry {
    const { decision, outcome, direction, mode, reason } = call.verdict;
    const { client, session } = this.#conversation;
    // Each call has one: an object of one shape, made at once.
    return {
      type: "tool_call",
      source: "gateway",
      server: this.#context.server,
      client,
      session,
      tool: call.tool,
      request_id: call.requestId,
      decision,
      outcome,
      status,
      direction,
      mode,
      reason: answer.reason ?? reason,
      bytes_in: call.bytesIn,
      bytes_out: answer.bytes,
      duration_ms: Math.round((this.#context.now() - call.startedAt) * 1000) / 1000,
      arguments: call.arguments,
      result: answer.result,
    };
  }

  /** One tool whose declaration is not what it was. */
  schemaChange(change: ContractChange): ActivityEntry {
    const reason =
      change.kind === "added" || change.kind === "removed"
        ? `tool ${change.kind}`
        : `${change.kind} schema changed`;
    const hash = change.kind === "output" ? change.outputHash : change.inputHash;
    return {
      ...who(this.#context, this.#conversation),
      type: "schema_change",
      tool: change.tool,
      reason,
      ...(hash === undefined ? {} : { schema_hash: hash }),
    };
  }

  #decision(direction: Direction, verdict: Verdict, reason: string): ActivityEntry {
    const { decision, mode, outcome } = verdict;
    return {
      ...who(this.#context, this.#conversation),
      type: "policy_decision",
      direction,
      mode,
      decision,
      outcome,
      reason,
      // A decision that is recorded is never "allowed", so that its status is a known one.
      status: decision === "blocked" ? "blocked" : "warning",
    };
  }
}

/** How a call was answered. */
export interface CallAnswer {
  /** Size of the answer's frame. */
  readonly bytes?: number | undefined;
  /** The result as the server sent it, where records hold it. */
  readonly result?: Uint8Array | undefined;
  /** Why it ended so, where that is not the verdict's own reason. */
  readonly reason?: string | undefined;
}

/** How much an outcome tells of a call that nothing stopped. */
const TELLING: Partial<Record<Outcome, number>> = { skipped: 0, pass: 1 };
const WEIGHT: Readonly<Record<Decision, number>> = { allowed: 0, warning: 1, blocked: 2 };

/** The heavier of two verdicts; of two equal ones the more telling, then the first. */
export function heavier(current: CallVerdict, next: CallVerdict): CallVerdict {
  const by = WEIGHT[next.decision] - WEIGHT[current.decision];
  if (by > 0) return next;
  const more = (TELLING[next.outcome] ?? 2) - (TELLING[current.outcome] ?? 2);
  return by === 0 && more > 0 ? { ...current, outcome: next.outcome } : current;
}
