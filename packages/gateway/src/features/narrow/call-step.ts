import type { Check } from "@touchstone/core";
import { readFrame } from "@touchstone/protocol";
import { policyIssue } from "../ambiguity.ts";
import type { ArgumentsCheck, CallRefusal, CallStep, SentMessage } from "../call-step.ts";
import { isQueueFull } from "../decision.ts";
import { issueCheck, tooManyKeysCheck } from "../make-check.ts";
import { summarizeIssues } from "../text.ts";
import {
  ambiguousArguments,
  asPolicyCheck,
  type Narrowing,
  withoutNarrowSecrets,
} from "./narrow.ts";
import { explainPolicy } from "./text.ts";

/**
 * Checks the arguments that will be sent by the operator's constraint (`tools.NAME.narrow`), even if the tool's own
 * schema does not check them. Arguments that cannot be checked are not allowed.
 */
export const narrowCallStep: CallStep = {
  name: "narrow",
  isOn: ({ narrowings }) => narrowings !== undefined,
  check(message) {
    const narrowing = narrowingOf(message);
    return narrowing === undefined ? undefined : argumentsCheck(message, narrowing);
  },
  refuse(message, check) {
    const narrowing = narrowingOf(message);
    if (narrowing === undefined || check === undefined || check.valid) return undefined;
    return refusal(narrowing, check);
  },
};

/**
 * Returns the constraint on a call. A call without a readable tool name may be of any tool: the first constraint that
 * blocks applies.
 */
function narrowingOf({ snapshot, call }: SentMessage): Narrowing | undefined {
  if (call === undefined) return undefined;
  const { narrowings } = snapshot;
  return call.tool === undefined ? narrowings?.blocking : narrowings?.of(call.tool);
}

const NO_ARGUMENTS = Buffer.from("{}");

function argumentsCheck(
  { frame, onward, call, settings }: SentMessage,
  narrowing: Narrowing,
): ArgumentsCheck | Check {
  if (call?.tool === undefined) {
    const message = "the call names no tool, so it may call any tool";
    return issueCheck(policyIssue("", message, "narrow"));
  }
  const sent = onward === frame.bytes ? frame : readFrame(onward);
  if (sent.scan.overKeys !== undefined) return tooManyKeysCheck(sent.scan.overKeys);
  const range = sent.range("/params/arguments");
  const text = range === undefined ? NO_ARGUMENTS : onward.subarray(range.start, range.end);
  const ahead = ambiguousArguments(text, narrowing, settings.input.maxBytes);
  return { schema: narrowing.compiled, text, ahead };
}

function refusal({ mode, secrets }: Narrowing, check: Check): CallRefusal {
  const isFull = isQueueFull(check);
  const hide = (text: string): string => withoutNarrowSecrets(text, secrets);
  const { errors: issues, truncated: more, guard } = asPolicyCheck(check, secrets);
  return {
    decision: mode === "strict" ? "blocked" : "warning",
    ...{ mode, issues, more, guard },
    reason: () => hide(`policy forbids the arguments: ${summarizeIssues(check, "the arguments")}`),
    status: isFull ? "rejected" : "out_of_bounds",
    error: (shown, inShown) =>
      isFull
        ? "check queue full"
        : { as: "tool error", text: hide(explainPolicy(shown, inShown(check))) },
  };
}
