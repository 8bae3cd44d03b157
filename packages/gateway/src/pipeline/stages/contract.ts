import type { Frame } from "@touchstone/protocol";
import type { ToolContract } from "../../contracts/contract.ts";
import type { ContractSource } from "../../contracts/source.ts";
import { eraOf } from "../../eras/eras.ts";
import type { Verdict } from "../../policy/decide.ts";
import type { ClientExchange, Stage } from "../exchange.ts";
import type { TransportFault } from "../faults.ts";
import { checkInputAhead } from "../judge.ts";
import type { PipelineState } from "../state.ts";
import { recallTask } from "../tasks.ts";
import { isFull } from "./limits.ts";
import { learnPage } from "./lists.ts";
import { clientFaults } from "./protocol.ts";

/**
 * Waits for what must be known before a message can be checked: for the tool list that declares the tool of a call, for
 * the call that made a task, or for the call that a message cancels. Other messages pass those that wait.
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
  run: () => "continue",
};

function waitFor(exchange: ClientExchange): Promise<unknown> | undefined {
  const { state, frame, came } = exchange;
  if (frame.method === "notifications/cancelled") return state.held.get(frame.requestIdKey ?? "");
  // What is over the limit will be refused, and need not wait for that.
  if (isFull(state)) return undefined;
  const learning = known(state, frame, came.transport);
  const waiting =
    learning === undefined ? checkAhead(exchange) : learning.then(() => checkAhead(exchange));
  if (waiting === undefined) return undefined;
  const held = state.context.held.take(frame.bytes.length, waiting);
  exchange.crowdedOut = held === undefined;
  return held;
}

/** Checks the arguments of a call on a thread if that takes long. */
function checkAhead({ state, frame, revision }: ClientExchange): Promise<void> | undefined {
  const { toolName } = frame;
  if (toolName === undefined) return undefined;
  const { context, conversation, later } = state;
  const { contract: found } = conversation.contracts(revision).lookup(toolName);
  return checkInputAhead(frame, found, context.settings(toolName), later);
}

/** What a message has to wait for; undefined if there is nothing. Never rejects. */
function known(
  state: PipelineState,
  frame: Frame,
  transport: TransportFault | undefined,
): Promise<unknown> | undefined {
  if (frame.toolName === undefined) return recallTask(state, frame);
  const { ask, context, conversation } = state;
  const { input, output } = context.settings(frame.toolName);
  const revision = frame.protocolVersion ?? conversation.revision;
  const era = eraOf(revision);
  const repeats = conversation.repeatsArguments === true && era.repeatsArguments;
  const validation = context.validation?.();
  const validates = validation?.isNamed(frame.toolName) === true;
  if (input.mode === "off" && output.mode === "off" && !repeats && !validates) return undefined;
  const source = conversation.contracts(revision);
  const learning = prepare(state, source, frame, revision, transport);
  if (!validates || era.hasHandshake) return learning;
  return Promise.all([learning, validation.ensure(conversation, ask)]);
}

/** The bytes of calls whose contract a transport had to know before, so that they have waited for the list. */
const prepared = new WeakSet<Uint8Array>();

/**
 * The contract of the tool that a call names. Where no list is known it is asked for first, unless
 * too much waits for it already. Undefined if there is none. Never rejects.
 */
export async function contractOf(
  state: PipelineState,
  call: Frame,
): Promise<ToolContract | undefined> {
  const { toolName } = call;
  if (toolName === undefined) return undefined;
  const { context, conversation } = state;
  const revision = call.protocolVersion ?? conversation.revision;
  const source = conversation.contracts(revision);
  const learning = prepare(state, source, call, revision, undefined);
  const waiting = learning && context.held.take(call.bytes.length, learning);
  await waiting;
  // One that could not wait here is refused by the stage.
  if (learning === undefined || waiting !== undefined) prepared.add(call.bytes);
  return source.lookup(toolName).contract;
}

/** What a call has to wait for to know its tool's schemas; undefined if they are known, or will not be. */
function prepare(
  state: PipelineState,
  source: ContractSource,
  frame: Frame,
  revision: string | undefined,
  transport: TransportFault | undefined,
): Promise<void> | undefined {
  const { toolName = "" } = frame;
  if (prepared.has(frame.bytes)) return undefined;
  const asks = source.needs(toolName) && (source.asking || mayAsk(state, frame, transport));
  if (!asks) return source.recall(toolName);
  return source
    .ensure(state.ask, eraOf(revision).ownMeta, (lesson, page) =>
      learnPage(state, lesson, page, revision),
    )
    .then(() => source.recall(toolName));
}

const BY_SCHEMA: Verdict = {
  ...{ decision: "blocked", outcome: "violation", mode: "strict", record: true },
};

/** Whether a message may cause a request: only one with which nothing is wrong, as far as is checked. */
function mayAsk(
  state: PipelineState,
  frame: Frame,
  transport: TransportFault | undefined,
): boolean {
  const { input, protocol } = state.context.settings(frame.toolName);
  if (protocol.mode === "off") return true;
  if (transport !== undefined && protocol.mode === "strict") return false;
  // Whether the arguments are an object is for the schema to say that is asked for.
  const ofSchema = input.mode === "off" ? undefined : () => BY_SCHEMA;
  return clientFaults(state, frame, { protocol, ofSchema }).errors.length === 0;
}
