import type { Outcome } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import {
  type BLOCKABLE_WORD,
  type ContractChange,
  type EXTERNAL_REFERENCE_WORD,
  isHeldKind,
  repairedText,
  repairsIn,
} from "@touchstone/records/plain";
import type { ActivityEntry, ActivityStatus } from "@touchstone/records/record";
import type { PinChange } from "../contracts/approvals.ts";
import type { LearnedPage } from "../contracts/contract-source.ts";
import { checkScopeToken } from "../policy/check-scope.ts";
import type { Decision, Direction, Mode, SchemaCheckSettings } from "../settings/validation.ts";
import type { Conversation, PipelineContext } from "./context.ts";
import type { ToolCall } from "./in-flight.ts";
import type { ListView, ViewChange, ViewedPage } from "./list-view.ts";

/** Builds the records of one conversation in the form of the activity log. */
export class ConversationRecords {
  readonly #context: PipelineContext;
  readonly #conversation: Conversation;

  constructor(context: PipelineContext, conversation: Conversation) {
    this.#context = context;
    this.#conversation = conversation;
  }

  /**
   * Returns the record of a whole call, and keeps its status for telemetry. Direction, mode and outcome come from the
   * check that decided; they are absent if no check objected.
   */
  toolCall(call: ToolCall, status: ActivityStatus, answer: CallResponse): ActivityEntry {
    call.status = status;
    const { bodies, heldArguments } = this.#context;
    heldArguments.release(call);
    const { decision, outcome, direction, mode, reason } = call.verdict;
    const { caller, client, session } = this.#conversation;
    // All records of calls have the same object shape, because each call makes one.
    return {
      type: "tool_call",
      source: "gateway",
      server: this.#context.server,
      client,
      caller: caller?.name,
      session,
      tool: call.tool,
      request_id: call.requestId,
      decision,
      outcome,
      status,
      direction,
      mode,
      reason: withOutdatedNote(answer.reason ?? worst(decision, reason, call.warned), call),
      bytes_in: call.bytesIn,
      bytes_out: answer.bytes,
      duration_ms: Math.round((this.#context.now() - call.startedAt) * 1000) / 1000,
      arguments: bodies === "all" || call.failedCheck ? call.arguments : undefined,
      result: answer.result,
      repairs: call.repairs,
      adapt: call.adapt,
      bridged: call.bridged?.pair,
      checks: checksOf(call),
    };
  }

  /** Adds the record of a call that ends here, if it has none yet. */
  endCall(
    call: ToolCall,
    status: ActivityStatus,
    answer: CallResponse,
    entries: ActivityEntry[],
  ): void {
    if (call.recorded) return;
    entries.push(this.toolCall(call, status, answer));
    call.recorded = true;
    call.arguments = undefined;
  }

  /** One record for each tool of a list that changed, or that is new and not approved. */
  *toolChanges({ changes, held }: Pick<LearnedPage, "changes" | "held">): Generator<ActivityEntry> {
    const byTool = new Map<string, ContractChange[]>();
    for (const change of changes) {
      const same = byTool.get(change.tool);
      if (same === undefined) byTool.set(change.tool, [change]);
      else same.push(change);
    }
    const pinned = new Set<string>();
    for (const change of held) {
      // A page may have several definitions of one name.
      const own = pinned.has(change.name) ? undefined : byTool.get(change.name);
      pinned.add(change.name);
      yield this.pinChange(change, own);
    }
    for (const [tool, own] of byTool) if (!pinned.has(tool)) yield this.#schemaChange(own);
  }

  /** A tool that is new or gone, or whose schemas changed. */
  #schemaChange(changes: readonly ContractChange[]): ActivityEntry {
    const [first] = changes;
    const { kind, before, inputHash, outputHash } = first ?? {};
    const isOutput = changes.length === 1 && kind === "output";
    const schemas = schemasOf(changes);
    const { caller, client, session, revision } = this.#conversation;
    const isWhole = kind === "added" || kind === "removed";
    return {
      type: "schema_change",
      source: "gateway",
      server: this.#context.server,
      client,
      caller: caller?.name,
      session,
      tool: first?.tool,
      direction: directionOf(schemas),
      reason: isWhole ? `tool ${kind}` : reasonOf(schemas),
      schema_hash: isOutput ? outputHash : inputHash,
      previous_schema_hash: isOutput ? before?.outputHash : before?.inputHash,
      revision,
      ...(schemas.length === 2 && {
        both_schemas: true,
        output_schema_hash: outputHash,
        previous_output_schema_hash: before?.outputHash,
      }),
    };
  }

  /**
   * A declaration that is new and not approved.
   * @param changes of a tool's schemas, from the list before
   */
  pinChange(
    { kind, name, hash, previous, what, schemas: differing }: PinChange,
    changes?: readonly ContractChange[],
  ): ActivityEntry {
    const { caller, client, session, revision } = this.#conversation;
    const { server, snapshot } = this.#context;
    const mode = snapshot().server.pin?.mode;
    const isHeld = mode === "strict" && isHeldKind(kind);
    const held = isHeld ? "; held until somebody approves it" : "; nobody has approved it";
    const schemas = changes === undefined ? differing : schemasOf(changes);
    return {
      type: "schema_change",
      source: "gateway",
      server,
      client,
      caller: caller?.name,
      session,
      tool: kind === "tool" ? name : undefined,
      direction: directionOf(schemas),
      mode,
      reason: `${what}${held}`,
      schema_hash: hash,
      previous_schema_hash: previous,
      both_schemas: schemas.length === 2 ? true : undefined,
      revision,
    };
  }

  /** A tool list that the client gets in other pages than the server sent. */
  pagesMerged(reason: string): ActivityEntry {
    const { caller, client, session } = this.#conversation;
    const { server } = this.#context;
    const by = { client, caller: caller?.name, session };
    return { type: "list_change", source: "gateway", server, ...by, reason };
  }

  /** A tool list that the client gets, or would get, with changed tools. */
  listChange({ view, listHash }: ViewedPage): ActivityEntry {
    const { caller, client, session } = this.#conversation;
    const { changes, total, counts, refused, tools } = view;
    const truncated = total - changes.length;
    return {
      type: "list_change",
      source: "gateway",
      server: this.#context.server,
      client,
      caller: caller?.name,
      session,
      reason: `in a list of ${tools} ${tools === 1 ? "tool" : "tools"}, ${counted(counts)}${refusedText(refused)}: ${namesOf(view)}`,
      issues: changes.map(({ place, name, step, kind, reason, keyword }) => ({
        path: `/result/tools/${place}`,
        message: `${name === undefined ? "a tool without a readable name" : JSON.stringify(cut(name))} is ${WORDS[kind]} (${step}): ${reason}`,
        rule: "policy" as const,
        keyword: keyword ?? step,
      })),
      truncated: truncated === 0 ? undefined : truncated,
      schema_hash: listHash,
    };
  }
}

type Schemas = readonly ("input" | "output")[];

function schemasOf(changes: readonly ContractChange[]): Schemas {
  return changes
    .map(({ kind }) => kind)
    .filter((kind): kind is Schemas[number] => kind === "input" || kind === "output");
}

/** Returns the direction of a record; undefined if it concerns neither direction, or both. */
function directionOf(schemas: Schemas): Schemas[number] | undefined {
  return schemas.length === 1 ? schemas[0] : undefined;
}

function reasonOf(schemas: Schemas): string {
  return schemas.length === 2 ? "input and output schema changed" : `${schemas[0]} schema changed`;
}

/** The value in the record of a call that was not checked in any direction. */
export const NO_CHECKS = "none";

/**
 * Notes the check of one direction of a call for the call's record. If there are several, the first one with findings
 * is kept.
 */
export function noteCallCheck(
  call: ToolCall,
  direction: Direction,
  mode: Mode,
  outcome:
    | Outcome
    | "undeclared"
    | `uncompilable ${typeof EXTERNAL_REFERENCE_WORD}`
    | `missing ${typeof BLOCKABLE_WORD}`,
): void {
  if (mode === "off") return;
  const text = `${mode} ${outcome}`;
  if (direction === "input") call.inputCheck ??= text;
  else if (direction === "output") call.outputCheck ??= text;
  else call.protocolCheck ??= text;
}

/** Returns the text about the checks of a call for its record. */
function checksOf(call: ToolCall): string {
  const { inputCheck, outputCheck, protocolCheck, settings, repairs } = call;
  let text = "";
  if (inputCheck !== undefined) {
    text = `input ${inputCheck}${lookedFor(settings.input, "input")}`;
    if (repairs !== undefined) text += repairedText(repairsIn(repairs).map(({ kind }) => kind));
  }
  if (outputCheck !== undefined) {
    text += `${text === "" ? "" : ", "}output ${outputCheck}${lookedFor(settings.output, "output")}`;
  }
  if (protocolCheck !== undefined) text += `${text === "" ? "" : ", "}protocol ${protocolCheck}`;
  return text === "" ? NO_CHECKS : text;
}

const lookedForBy = new WeakMap<SchemaCheckSettings, string>();

/** Returns the settings of a check for its record; empty for the defaults. */
function lookedFor(settings: SchemaCheckSettings, direction: "input" | "output"): string {
  const known = lookedForBy.get(settings);
  if (known !== undefined) return known;
  const token = checkScopeToken(settings, direction);
  const text = token === undefined ? "" : ` ${token}`;
  lookedForBy.set(settings, text);
  return text;
}

/** Returns the reason of a call's decision, with the reason of a warning that a heavier decision would hide. */
function worst(
  decision: Decision,
  reason: string | undefined,
  warned: string | undefined,
): string | undefined {
  const isHidden = decision === "repaired" && warned !== undefined && warned !== reason;
  return isHidden && reason !== undefined ? `${reason}; ${warned}` : reason;
}

const WORDS: Readonly<Record<ViewChange["kind"], string>> = {
  "left out": "left out",
  changed: "changed",
  noted: "forwarded with a warning",
};
/** How many names of tools the reason of a {@link ConversationRecords.listChange} contains, and how much of each. */
const MAX_NAMES = 10;
const MAX_NAME = 128;

const cut = (name: string): string =>
  name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;

function counted(counts: ListView["counts"]): string {
  return (Object.keys(WORDS) as (keyof typeof WORDS)[])
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${counts[kind] === 1 ? "is" : "are"} ${WORDS[kind]}`)
    .join(", ");
}

function refusedText(refused: number): string {
  if (refused === 0) return "";
  return `, ${refused} ${refused === 1 ? "is" : "are"} still refused by the client`;
}

function namesOf({ changes }: ListView): string {
  const names = [...new Set(changes.map(({ name = "(no name)" }) => cut(name)))];
  const more = names.length > MAX_NAMES ? ", …" : "";
  return `${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

/** Returns a reason. Adds a note if the call was checked against a tool list that may be outdated. */
export function withOutdatedNote(reason: string, call: Pick<ToolCall, "contract" | "gap">): string;
export function withOutdatedNote(
  reason: string | undefined,
  call: Pick<ToolCall, "contract" | "gap">,
): string | undefined;
export function withOutdatedNote(
  reason: string | undefined,
  { contract, gap }: Pick<ToolCall, "contract" | "gap">,
): string | undefined {
  if (contract === undefined || gap === undefined) return reason;
  const mark = `checked against the last known tool list: ${gap.reason}`;
  return reason === undefined ? mark : `${reason}; ${mark}`;
}

/** How a call was answered. */
export interface CallResponse {
  /** Size of the response's frame. */
  readonly bytes?: number | undefined;
  /** The result as the server sent it, if records contain results. */
  readonly result?: Uint8Array | undefined;
  /** Why it ended this way, if that differs from the verdict's reason. */
  readonly reason?: string | undefined;
}

/** Returns the name of a tool for the log, or of the server if the line is not about a tool with a name. */
export function toolOrServerName(server: string, tool: string | undefined): string {
  return tool === undefined ? server : `${server}/${tool}`;
}

/** Returns what a call's record says about the response; nothing for a call without an id. */
export function responseFacts({ kind }: Frame, response: Uint8Array): CallResponse {
  return kind === "notification" ? {} : { bytes: response.length };
}
