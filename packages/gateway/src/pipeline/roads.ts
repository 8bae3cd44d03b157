import { stackOf } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import type { Caller } from "../features/caller.ts";
import { narrowCallStep } from "../features/narrow/call-step.ts";
import { pinCallStep } from "../features/pin/call-step.ts";
import { allowCallStep } from "../features/tool-lists/call-step.ts";
import { isLongRequest } from "./broken.ts";
import { callStage } from "./call-stage.ts";
import type { MessageOutput } from "./context.ts";
import {
  type ClientExchange,
  type FromServer,
  runStages,
  ServerExchange,
  type Stage,
  type StageOutcome,
} from "./exchange.ts";
import { isResponse, notChecked, notRecorded } from "./messages.ts";
import type { SettingsSnapshot } from "./snapshot.ts";
import { args } from "./stages/args.ts";
import { contract } from "./stages/contract.ts";
import { correlate } from "./stages/correlate.ts";
import { decodeClient, decodeServer } from "./stages/decode.ts";
import { instructions } from "./stages/instructions.ts";
import { limits } from "./stages/limits.ts";
import { lists } from "./stages/lists.ts";
import { protocolClient, protocolServer } from "./stages/protocol.ts";
import { rate } from "./stages/rate.ts";
import { recordClient, recordServer } from "./stages/record.ts";
import { result } from "./stages/result.ts";
import { sessionClient, sessionServer } from "./stages/session.ts";
import { track } from "./stages/track.ts";
import { validationClient, validationServer } from "./stages/validation.ts";
import { view } from "./stages/view.ts";
import type { PipelineState } from "./state.ts";

/** The stages of a message on its way from the client to the server. */
export const toServer: readonly Stage<ClientExchange>[] = [
  decodeClient,
  rate,
  contract,
  sessionClient,
  protocolClient,
  validationClient,
  callStage(allowCallStep),
  callStage(pinCallStep),
  args,
  callStage(narrowCallStep),
  limits,
  track,
  recordClient,
];

/** The stages of a message on its way from the server to the client. */
export const toClient: readonly Stage<ServerExchange>[] = [
  decodeServer,
  correlate,
  lists,
  protocolServer,
  result,
  sessionServer,
  view,
  validationServer,
  instructions,
  recordServer,
];

/** Returns the stages whose features are on, in their order. */
type StagesOn<E> = (snapshot: SettingsSnapshot, caller: Caller | undefined) => readonly Stage<E>[];

/** Selects the stages once for each snapshot, and once more for callers with rules of their own. */
function stagesOn<E>(all: readonly Stage<E>[]): StagesOn<E> {
  const known = {
    plain: new WeakMap<SettingsSnapshot, readonly Stage<E>[]>(),
    ofCaller: new WeakMap<SettingsSnapshot, readonly Stage<E>[]>(),
  };
  return (snapshot, caller) => {
    const hasOwnRules = caller?.policy !== undefined || caller?.limits !== undefined;
    const stages = hasOwnRules ? known.ofCaller : known.plain;
    let found = stages.get(snapshot);
    if (found === undefined) {
      found = all.filter((stage) => stage.isOn?.(snapshot, hasOwnRules) ?? true);
      stages.set(snapshot, found);
    }
    return found;
  };
}

const toServerOn = stagesOn(toServer);
const toClientOn = stagesOn(toClient);

/** Takes a client's message through {@link toServer}. Never rejects. */
export async function passToServer(exchange: ClientExchange): Promise<MessageOutput> {
  const { state, frame, snapshot, caller } = exchange;
  try {
    const outcome = await runStages(toServerOn(snapshot, caller), exchange);
    if (outcome === "continue") return onwardOf(exchange);
    if (outcome !== "drop" && outcome.refusal) exchange.came.onRefusal?.(outcome.refusal);
    const kept = await exchange.write();
    if (outcome === "drop") return {};
    const { respond, httpRefusal } = outcome;
    const passage = errorOutput(frame, kept ? respond : notRecorded(frame.id));
    return httpRefusal === undefined ? passage : { ...passage, httpRefusal };
  } catch (error) {
    return unjudged(state, frame, error);
  }
}

function onwardOf({ frame, onward, call, renamed, adapt }: ClientExchange): MessageOutput {
  const isChanged = onward !== frame.bytes || adapt !== undefined;
  const passage = isChanged ? { onward, repaired: call?.contract } : { onward };
  return renamed === undefined ? passage : { ...passage, renamed };
}

/** Takes a server's message through {@link toClient}. Never rejects. */
export async function passToClient(
  state: PipelineState,
  came: Frame,
  place: FromServer | undefined,
): Promise<MessageOutput> {
  try {
    const exchange = new ServerExchange(state, came, place);
    const stages = toClientOn(exchange.snapshot, state.conversation.caller);
    const outcome = await runStages(stages, exchange);
    const passage =
      outcome === "continue" ? { onward: exchange.onward } : await ended(exchange, outcome);
    return exchange.beside === undefined ? passage : { ...passage, beside: await exchange.beside };
  } catch (error) {
    return unjudged(state, came, error);
  }
}

/** Returns the result for a server message that a stage ended. */
async function ended(
  exchange: ServerExchange,
  outcome: Exclude<StageOutcome, "continue">,
): Promise<MessageOutput> {
  const kept = await exchange.write();
  if (outcome === "drop") return {};
  const { frame } = exchange;
  const bytes = kept ? outcome.respond : notRecorded(frame.id);
  const isRequest = frame.kind === "request" || isLongRequest(frame);
  return isRequest ? { back: [bytes] } : { onward: bytes };
}

/** Returns the receiver of the error about a client message. */
export function errorOutput(
  frame: Frame,
  error: Uint8Array,
  id: string | undefined = frame.id,
): MessageOutput {
  // If a client's response is blocked, the server still waits for one.
  if (isResponse(frame)) return id === undefined ? {} : { onward: error };
  return frame.kind === "notification" ? {} : { back: [error] };
}

/** Runs a message. If an internal error occurs, the sender or receiver of the message gets an error. Never rejects. */
export async function runGuarded(
  state: PipelineState,
  frame: Frame,
  pass: () => Promise<MessageOutput>,
): Promise<MessageOutput> {
  try {
    return await pass();
  } catch (error) {
    return unjudged(state, frame, error);
  }
}

/** Returns the result for a message that failed inside the pipeline. */
function unjudged({ context }: PipelineState, frame: Frame, error: unknown): MessageOutput {
  const reason = stackOf(error);
  const what = "a message could not be checked";
  context.paced.error(`${context.server}: ${what}`, what, { server: context.server, reason });
  const response = notChecked(frame.id);
  if (frame.kind === "request") return { back: [response] };
  return frame.kind === "notification" || frame.id === undefined ? {} : { onward: response };
}
