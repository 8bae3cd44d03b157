import { type Check, type Issue, takeSteps } from "@touchstone/core";
import { readFrame } from "@touchstone/protocol";
import {
  asPolicy,
  type Narrowing,
  unsureArguments,
  withoutSecrets,
} from "../../features/narrow/narrow.ts";
import { explainPolicy } from "../../features/narrow/text.ts";
import { isQueueFull } from "../../policy/decide.ts";
import { summarise } from "../../policy/explain.ts";
import { answeredBy } from "../evidence.ts";
import { BUSY, type ClientExchange, FORBIDDEN, type Outcome, type Stage } from "../exchange.ts";
import { checkApart, issueCheck, overKeysCheck } from "../judge.ts";
import { forbiddenCall, isAnswered, rejected, TOO_MANY_CHECKS } from "../messages.ts";
import { settle } from "../settle.ts";
import { shownName } from "../shown-tool.ts";

/** Checks that were made ahead, by their messages. */
const made: WeakMap<ClientExchange, Check> = new WeakMap();

/**
 * Checks the arguments that will be sent by the operator's constraint (`tools.NAME.narrow`), even if the tool's own
 * schema does not check them. Arguments that cannot be checked are not allowed.
 */
export const narrow: Stage<ClientExchange> = {
  name: "narrow",
  isOn: ({ narrowings }) => narrowings !== undefined,
  wait(exchange) {
    const narrowing = narrowingOf(exchange);
    if (narrowing === undefined) return undefined;
    const checking = checkBy(narrowing, exchange);
    if (checking === undefined) return undefined;
    const { state, frame } = exchange;
    const waiting = state.context.held.take(frame.bytes.length, checking);
    exchange.held = true;
    exchange.crowdedOut ||= waiting === undefined;
    return waiting;
  },
  run(exchange) {
    const narrowing = narrowingOf(exchange);
    // The next stage rejects a call whose check had no place in the queue.
    if (narrowing === undefined || exchange.crowdedOut) return "continue";
    const check = made.get(exchange);
    return check === undefined || check.valid ? "continue" : refuse(exchange, narrowing, check);
  },
};

/**
 * Returns the constraint on a call. A call without a readable tool name may be of any tool: the first constraint that
 * blocks applies.
 */
function narrowingOf({ snapshot, call }: ClientExchange): Narrowing | undefined {
  if (call === undefined) return undefined;
  const { narrowings } = snapshot;
  return call.tool === undefined ? narrowings?.blocking : narrowings?.of(call.tool);
}

const NO_ARGUMENTS = Buffer.from("{}");

/** Longer arguments are compared in steps. */
const MAX_AT_ONCE = 65_536;

/** Checks the arguments that will be sent. Undefined if there is no need to wait. Never rejects. */
function checkBy(narrowing: Narrowing, exchange: ClientExchange): Promise<void> | undefined {
  const { settings, state } = exchange;
  const take = (check: Check): void => void made.set(exchange, check);
  const text = argumentsOf(exchange);
  if (!(text instanceof Uint8Array)) {
    take(text);
    return undefined;
  }
  const checked = (issue: Issue | undefined): Promise<void> | undefined => {
    if (issue === undefined) {
      return checkApart(narrowing.compiled, text, settings.input, state.later, take);
    }
    take(issueCheck(issue));
    return undefined;
  };
  const steps = unsureArguments(text, narrowing, settings.input.maxBytes);
  return text.length > MAX_AT_ONCE
    ? state.context.slice.take(steps).then(checked)
    : checked(takeSteps(steps));
}

/** Returns the text of the arguments, or a check that says why there is none to check. */
function argumentsOf({ frame, onward, call }: ClientExchange): Uint8Array | Check {
  if (call?.tool === undefined) {
    const message = "the call names no tool, so it may be of any";
    return issueCheck({ path: "", message, rule: "policy", keyword: "narrow" });
  }
  const sent = onward === frame.bytes ? frame : readFrame(onward);
  if (sent.scan.overKeys !== undefined) return overKeysCheck(sent.scan.overKeys);
  const range = sent.range("/params/arguments");
  return range === undefined ? NO_ARGUMENTS : onward.subarray(range.start, range.end);
}

function refuse(exchange: ClientExchange, { mode, secrets }: Narrowing, check: Check): Outcome {
  const { state, frame, call, entries, era } = exchange;
  if (call === undefined) return "continue";
  const isFull = isQueueFull(check);
  const hide = (text: string): string => withoutSecrets(text, secrets);
  const { errors: issues, truncated: more, guard } = asPolicy(check, secrets);
  const make = (): Uint8Array =>
    isFull
      ? rejected(frame.id, TOO_MANY_CHECKS)
      : forbiddenCall(frame.id, hide(explainPolicy(shownName(exchange), check)), era);
  const finding = {
    direction: "input",
    verdict: {
      decision: mode === "strict" ? "blocked" : "warning",
      outcome: "violation",
      mode,
      record: true,
    },
    issues,
    more,
    guard,
    reason: () => hide(`policy forbids the arguments: ${summarise(check, "the arguments")}`),
    calls: [call],
    began: state.tap.now?.(),
    reply: { make, toClient: isAnswered(frame) },
  } as const;
  const { response } = settle(state, finding, entries);
  if (response === undefined) return "continue";
  const status = isFull ? "rejected" : "out_of_bounds";
  entries.push(state.evidence.toolCall(call, status, answeredBy(frame, response)));
  return { respond: response, refusal: isFull ? BUSY : FORBIDDEN };
}
