import type { Frame } from "@touchstone/protocol/advanced";
import type { ToolContract } from "../../contracts/contract.ts";
import { requiresNullable } from "../../features/adapt/adapt.ts";
import type { PolicyDecision } from "../../features/decision.ts";
import { isRefusedByName } from "../../features/tool-lists/call-step.ts";
import { dependsOnToolHints } from "../../features/tool-lists/decide.ts";
import { hasPinning } from "../../settings/validation.ts";
import { dropNulls } from "../drop-nulls.ts";
import { ClientExchange, type Stage } from "../exchange.ts";
import { checkInputAhead, failedCheckMadeAhead, keepCheckMadeAhead } from "../judge.ts";
import { repairAhead } from "../repair.ts";
import { mayBeRenamed, serverToolName, useServerToolName } from "../server-tool-name.ts";
import type { PipelineState } from "../state.ts";
import { lookUpSharedTask } from "../tasks.ts";
import { hasMaxRequests } from "./limits.ts";
import { learnPage } from "./lists.ts";
import { clientFaults } from "./protocol.ts";
import { limitToolRate } from "./rate.ts";

/**
 * Waits for what must be known before a message can be checked: the tool list that declares a call's tool, the call
 * that made a task, or the call that the message cancels. Messages that need not wait may pass those that wait.
 */
export const contract: Stage<ClientExchange> = {
  name: "contract",
  wait(exchange) {
    const { state } = exchange;
    const waiting = waitFor(exchange);
    if (waiting === undefined) return undefined;
    exchange.held = true;
    state.waiting += 1;
    return waiting.then(() => {
      state.waiting -= 1;
    });
  },
  run: (exchange) => (namedLate.has(exchange) ? limitToolRate(exchange) : "continue"),
};

/** Calls for which the limit on calls was checked before the tool's own name was known. */
const namedLate: WeakSet<ClientExchange> = new WeakSet();

function waitFor(exchange: ClientExchange): Promise<unknown> | undefined {
  const { state, frame } = exchange;
  if (exchange.method === "notifications/cancelled")
    return state.held.get(frame.requestIdKey ?? "");
  // A message that is over the limit, or not allowed, will be refused and need not wait.
  if (hasMaxRequests(state)) return undefined;
  const isLimited = exchange.policy !== undefined;
  if (isLimited && !mayBeRenamed(exchange) && isRefusedByName(exchange)) return undefined;
  const learning = known(exchange);
  const waiting =
    learning === undefined ? readArguments(exchange) : learning.then(() => readLate(exchange));
  if (waiting === undefined) return undefined;
  const held = state.context.held.take(frame.bytes.length, waiting);
  exchange.crowdedOut = held === undefined;
  return held;
}

/**
 * Runs {@link readArguments} for a call that waited, possibly with many others: each gets a separate turn of the
 * event loop.
 */
async function readLate(exchange: ClientExchange): Promise<void> {
  const { state } = exchange;
  await state.context.slice.turnOf(state.conversation.sender);
  if (useServerToolName(exchange)) namedLate.add(exchange);
  const reading = readArguments(exchange);
  keepCheckMadeAhead(exchange.frame);
  await reading;
}

/** Removes nulls from a call's arguments, then checks them, on a thread if that takes long, and repairs them. */
function readArguments(exchange: ClientExchange): Promise<void> | undefined {
  const { state, settings } = exchange;
  if (settings.adapt !== undefined) dropNulls(exchange);
  const { frame, toolName } = exchange;
  if (toolName === undefined) return undefined;
  const checking = checkInputAhead(frame, exchange.lookup.contract, settings, state.later);
  const repair = (): Promise<void> | undefined =>
    failedCheckMadeAhead(frame) === undefined ? undefined : repairAhead(exchange);
  return checking === undefined ? repair() : checking.then(repair);
}

/** Returns what a message must wait for; undefined if nothing. Never rejects. */
function known(exchange: ClientExchange): Promise<unknown> | undefined {
  const { state, frame, era, settings, snapshot, toolName } = exchange;
  if (toolName === undefined) return lookUpSharedTask(state, frame);
  const { ask, conversation } = state;
  const { input, output } = settings;
  const repeats = conversation.repeatsArguments === true && era.repeatsArguments;
  const { validation } = snapshot;
  const validates = validation?.isNamed(toolName) === true;
  const isAdapted =
    settings.adapt !== undefined && (mayBeRenamed(exchange) || requiresNullable(settings.adapt));
  const pins = hasPinning(settings);
  const isOff = input.mode === "off" && output.mode === "off";
  const decides = exchange.policy !== undefined && dependsOnToolHints(exchange.policy);
  if (isOff && !repeats && !validates && !pins && !decides && !isAdapted) return undefined;
  const listed = prepare(exchange);
  const learning = pins ? approvals(exchange, listed) : listed;
  if (!validates || era.hasHandshake) return learning;
  return Promise.all([learning, validation.ensure(conversation, ask)]);
}

/** Waits for the tool list, then for the approvals at that moment. */
async function approvals(
  { source }: ClientExchange,
  listed: Promise<void> | undefined,
): Promise<void> {
  await listed;
  await source.pinned();
}

/** Calls that already waited for the list because the transport had to know their contract. */
const prepared = new WeakSet<Uint8Array>();

/**
 * Returns the contract of the tool that a call names. Fetches the list if it is unknown, unless too many bytes wait
 * for it already. Undefined if there is none. Never rejects.
 */
export async function contractOf(
  state: PipelineState,
  call: Frame,
): Promise<ToolContract | undefined> {
  if (call.toolName === undefined) return undefined;
  const exchange = new ClientExchange(state, call);
  const learning = prepare(exchange);
  const waiting = learning && state.context.held.take(call.bytes.length, learning);
  await waiting;
  // If a call could not wait here, the stage refuses it.
  if (learning === undefined || waiting !== undefined) prepared.add(call.bytes);
  const own = ownNameOf(exchange);
  return own === undefined ? exchange.lookup.contract : exchange.source.lookup(own).contract;
}

/**
 * Returns what a call must wait for to know its tool's schemas; undefined if they are known or will stay unknown.
 */
function prepare(exchange: ClientExchange): Promise<void> | undefined {
  const { state, frame, era, revision, source } = exchange;
  const toolName = ownNameOf(exchange) ?? exchange.toolName ?? "";
  if (prepared.has(frame.bytes)) return undefined;
  if (state.conversation.asksNothing === true) return source.recall(toolName);
  const asks = source.needs(toolName) && (source.asking || mayAsk(exchange));
  if (!asks) return source.recall(toolName);
  return source
    .ensure(state.ask, era.ownMeta, (lesson, page) => learnPage(state, lesson, page, revision))
    .then(() => source.recall(toolName));
}

const ownNameOf = (exchange: ClientExchange): string | undefined =>
  exchange.settings.adapt === undefined ? undefined : serverToolName(exchange);

const BY_SCHEMA: PolicyDecision = {
  ...{ decision: "blocked", outcome: "violation", mode: "strict", record: true },
};

/**
 * Returns whether a message may cause a request to the server: only one without faults, as far as it is checked.
 */
function mayAsk(exchange: ClientExchange): boolean {
  const { came, settings } = exchange;
  const { input, protocol } = settings;
  if (protocol.mode === "off") return true;
  if (came.transport !== undefined && protocol.mode === "strict") return false;
  // Whether the arguments must be an object depends on the schema that is being fetched.
  const ofSchema = input.mode === "off" ? undefined : () => BY_SCHEMA;
  return clientFaults(exchange, { protocol, ofSchema }).errors.length === 0;
}
