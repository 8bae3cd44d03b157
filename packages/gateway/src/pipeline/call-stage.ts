import { type Check, type Issue, runSteps } from "@touchstone/core/advanced";
import type { ArgumentsCheck, CallRefusal, CallStep } from "../features/call-step.ts";
import { issueCheck } from "../features/make-check.ts";
import { responseFacts } from "./evidence.ts";
import {
  BUSY_REFUSAL,
  type ClientExchange,
  POLICY_REFUSAL,
  type RefusalCause,
  type Stage,
  type StageOutcome,
} from "./exchange.ts";
import { checkOtherSchema } from "./judge.ts";
import { receivesError, refusedCall } from "./messages.ts";
import { settle } from "./settle.ts";
import { checkByShownSchema, shownName } from "./shown-tool.ts";

/** Returns the stage that runs the step of a feature for each message from the client. */
export function callStage(step: CallStep): Stage<ClientExchange> {
  const { name, isOn, check, refuse } = step;
  /** Checks that were made ahead, by their messages. */
  const made: WeakMap<ClientExchange, Check> = new WeakMap();
  const stage: Stage<ClientExchange> = {
    name,
    isOn,
    run(exchange) {
      // The stage `limits` rejects a call whose check did not fit into the queue.
      if (check !== undefined && exchange.crowdedOut) return "continue";
      const refusal = refuse(exchange, made.get(exchange));
      return refusal === undefined ? "continue" : refuseCall(exchange, refusal);
    },
  };
  if (check === undefined) return stage;
  const wait = (exchange: ClientExchange): Promise<unknown> | undefined => {
    const checking = check(exchange);
    if (checking === undefined) return undefined;
    const making = make(exchange, checking, (found) => void made.set(exchange, found));
    if (making === undefined) return undefined;
    const { state, frame } = exchange;
    const waiting = state.context.held.take(frame.bytes.length, making);
    exchange.held = true;
    exchange.crowdedOut ||= waiting === undefined;
    return waiting;
  };
  return { ...stage, wait };
}

/** Longer arguments are read in steps. */
const MAX_AT_ONCE = 65_536;

/** Runs the check of a step. Undefined if there is no need to wait. Never rejects. */
function make(
  { settings, state }: ClientExchange,
  checking: ArgumentsCheck | Check,
  take: (check: Check) => void,
): Promise<void> | undefined {
  if (!("schema" in checking)) {
    take(checking);
    return undefined;
  }
  const { schema, text, ahead } = checking;
  const checked = (issue: Issue | undefined): Promise<void> | undefined => {
    if (issue === undefined)
      return checkOtherSchema(schema, text, settings.input, state.later, take);
    take(issueCheck(issue));
    return undefined;
  };
  return text.length > MAX_AT_ONCE
    ? state.context.slice.take(ahead).then(checked)
    : checked(runSteps(ahead));
}

/** Settles a refusal or a warning for a message, and ends the message if it is blocked. */
export function refuseCall(exchange: ClientExchange, refusal: CallRefusal): StageOutcome {
  const { state, frame, call, entries, era } = exchange;
  const { decision, mode, issues, more, guard, reason, schemaHash, status, isGap } = refusal;
  const finding = {
    direction: "input",
    verdict: { decision, mode, outcome: "violation", record: true },
    ...{ issues, more, guard, reason, schemaHash },
    what: call === undefined ? "client message" : undefined,
    calls: call && [call],
    began: state.tap.now?.(),
    reply: {
      make: () => {
        const inShown = (check: Check): Check => checkByShownSchema(exchange, check, "same places");
        return refusedCall(frame, issues, refusal.error(shownName(exchange), inShown), era);
      },
      toClient: receivesError(frame),
    },
  } as const;
  const { response } = settle(state, finding, entries);
  if (response === undefined) return "continue";
  if (call) entries.push(state.evidence.toolCall(call, status, responseFacts(frame, response)));
  const httpRefusal = isGap === true ? call?.gap?.httpRefusal : undefined;
  const outcome = { respond: response, refusal: refusedBy(refusal) };
  return httpRefusal === undefined ? outcome : { ...outcome, httpRefusal };
}

function refusedBy({ status, retryAfter }: CallRefusal): RefusalCause {
  if (status === "limited") return { by: "limit", retryAfter };
  return status === "rejected" ? BUSY_REFUSAL : POLICY_REFUSAL;
}
