import { joinPointer, parseJson, scanJson } from "@touchstone/core/advanced";
import { type Frame, META_CLIENT_INFO } from "@touchstone/protocol/advanced";
import { noteListSubscription } from "../announcements.ts";
import type { PipelineContext } from "../context.ts";
import { responseFacts } from "../evidence.ts";
import type { ClientExchange, ServerExchange, Stage } from "../exchange.ts";
import type { ToolCall } from "../in-flight.ts";
import { failedRequestResponse, unknownTask } from "../messages.ts";
import { foreignTaskReason } from "../tasks.ts";

const OPEN_OBJECT = 0x7b;

/** Responses that introduce the server. Blocking one would block everything. */
export const NEVER_BLOCKED: ReadonlySet<string> = new Set(["initialize", "server/discover"]);

/** Notes the client and the call that its message makes. Refuses messages after the end of the conversation. */
export const sessionClient: Stage<ClientExchange> = {
  name: "session",
  run(exchange) {
    const { state, frame, entries } = exchange;
    introduce(exchange);
    const call = beginCall(exchange);
    const foreign = foreignTaskReason(state, frame);
    if (foreign !== undefined) return { respond: unknownTask(frame.id, foreign) };
    if (state.ended === undefined) return "continue";
    const response = failedRequestResponse(frame.id, state.ended);
    if (call) {
      const answered = { ...responseFacts(frame, response), reason: `touchstone: ${state.ended}` };
      entries.push(state.evidence.toolCall(call, "error", answered));
    }
    return { respond: response };
  },
};

/**
 * Notes the revision and the capabilities in the server's response, and which notifications it has agreed to send for
 * a subscription.
 */
export const sessionServer: Stage<ServerExchange> = {
  name: "session",
  skipsCalls: true,
  run({ state, frame, pending, isReplaced, era }) {
    noteListSubscription(state, frame);
    if (pending === undefined || isReplaced || frame.kind !== "response") return "continue";
    const { initializeVersion, resultType } = frame;
    if (era.namesResultType && resultType !== undefined) state.served(pending.revision);
    if (pending.method === "initialize" && initializeVersion !== undefined) {
      state.conversation.revision = initializeVersion;
      state.tasksExtension.handshake(frame);
    }
    if (NEVER_BLOCKED.has(pending.method)) {
      state.introduced(initializeVersion ?? pending.revision, offersTools(frame));
      const { introduction } = state.context;
      if (introduction !== undefined)
        introduction.identity = serverIdentity(frame)?.slice(0, MAX_IDENTITY);
    }
    return "continue";
  },
};

function introduce({ state, frame, method, named, rules }: ClientExchange): void {
  const { conversation } = state;
  const client = clientIdentity(frame);
  if (client !== undefined) conversation.client = client;
  if (method === "initialize" && frame.initializeVersion !== undefined) {
    conversation.revision ??= frame.initializeVersion;
    state.tasksExtension.handshake(frame);
  }
  if (method === "notifications/initialized") state.introduced(conversation.revision);
  if (named !== undefined && rules !== undefined) state.spoken(rules);
}

/** Returns whether an introduction has the `tools` capability; undefined if it names no capabilities. */
function offersTools(frame: Frame): boolean | undefined {
  const range = frame.range("/result/capabilities");
  if (range === undefined || frame.bytes[range.start] !== OPEN_OBJECT) return undefined;
  const capabilities = frame.bytes.subarray(range.start, range.end);
  return scanJson(capabilities, { members: { tools: true } }).members.has("/tools");
}

/** Notes the call that a message makes, and keeps its arguments. Returns undefined if the message is not a call. */
export function beginCall(exchange: ClientExchange): ToolCall | undefined {
  const call = openCall(exchange);
  exchange.call = call;
  if (call === undefined) return undefined;
  keepArguments(call, exchange.asSent, exchange.state.context);
  exchange.operation?.about(call);
  return call;
}

/**
 * Returns the tool call of a message, without its arguments. A call may lack an id, or have a name that is not a string:
 * a server might run it anyway. Undefined if the message is not a call.
 */
export function openCall(exchange: ClientExchange): ToolCall | undefined {
  const { state, frame, settings, method, toolName } = exchange;
  if (method !== "tools/call") return undefined;
  const { context } = state;
  const { contract, gap } = exchange.lookup;
  return {
    tool: toolName,
    contract,
    gap,
    settings,
    requestId: context.newRequestId(),
    startedAt: context.now(),
    bytesIn: exchange.asSent.bytes.length,
    arguments: undefined,
    failedCheck: false,
    wantsTask: frame.range("/params/task") !== undefined,
    inputCheck: undefined,
    outputCheck: undefined,
    protocolCheck: undefined,
    verdict: { decision: "allowed", outcome: "skipped" },
    adapt: exchange.adapt,
    bridged: exchange.came.bridged,
    status: undefined,
    recorded: false,
    sent: false,
  };
}

/** Keeps the arguments of a call for its record, if that may contain them. */
function keepArguments(call: ToolCall, asSent: Frame, context: PipelineContext): void {
  const { bodies = false } = context;
  const given = bodies === false ? undefined : asSent.range("/params/arguments");
  if (given === undefined) return;
  const { start, end } = given;
  if (bodies === "all") call.arguments = asSent.bytes.subarray(start, end);
  else context.heldArguments.hold(call, asSent.bytes, start, end);
}

/** Larger introductions are not read: no name is that long. */
const MAX_BYTES = 65_536;
const MAX_IDENTITY = 200;
const IN_META = joinPointer("/params/_meta", META_CLIENT_INFO);
const IN_INITIALIZE = "/params/clientInfo";
const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/**
 * Returns how the client introduces itself, as `name/version`: in `initialize` up to 2025-11-25, in every
 * request's `_meta` from 2026-07-28 on.
 */
export function clientIdentity(frame: Frame): string | undefined {
  return identityOf(valueIn(frame, frame.method === "initialize" ? IN_INITIALIZE : IN_META));
}

/** Returns how the server introduces itself: in a member of its own up to 2025-11-25, in `_meta` from 2026-07-28 on. */
function serverIdentity(frame: Frame): string | undefined {
  const inMeta = member(valueIn(frame, "/result/_meta"), META_SERVER_INFO);
  return identityOf(inMeta ?? valueIn(frame, "/result/serverInfo"));
}

function valueIn(frame: Frame, pointer: string): unknown {
  const range = frame.range(pointer);
  if (range === undefined || range.end - range.start > MAX_BYTES) return undefined;
  const parsed = parseJson(frame.bytes.subarray(range.start, range.end));
  return parsed.ok ? parsed.value : undefined;
}

function identityOf(implementation: unknown): string | undefined {
  const name = member(implementation, "name");
  if (typeof name !== "string") return undefined;
  const version = member(implementation, "version");
  return typeof version === "string" ? `${name}/${version}` : name;
}
