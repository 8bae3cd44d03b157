import {
  type Check,
  describeCheck,
  isObject,
  isUnchecked,
  modelLines,
  type RepairedText,
  type RootName,
} from "@touchstone/core/advanced";
import { findingLine, type ReportFinding } from "../findings/finding.ts";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS } from "../io/exit.ts";
import type { CallOutcome } from "../servers/connect.ts";
import type { JsonRpcResponseError } from "../servers/json-rpc-error.ts";
import { safeText } from "../terminal/safe-text.ts";

/** The result of a call; the members of the JSON that `-o json` prints. */
export interface CallOutput {
  readonly tool: string;
  /** The check of the arguments that were, or would have been, sent. */
  readonly input: Check;
  /** How the arguments were repaired; absent if they were not. */
  readonly repaired?: RepairedText;
  /** Absent if the call was not sent, or ended in an error. */
  readonly result?: CallOutcome;
  /** The server's error instead of a result. */
  readonly error?: JsonRpcResponseError;
  /** The check of the result by the MCP revision; absent if there is no result. */
  readonly protocol?: Check;
  /** Absent if there is nothing to check. */
  readonly output?: Check;
  /** Faults of the server's other responses. */
  readonly findings?: readonly ReportFinding[];
}

/** Whether a result reports an error of the tool. */
function isToolError(value: unknown): boolean {
  return isObject(value) && value["isError"] === true;
}

const MAX_SAID = 20;

/** Whether the value is invalid, and not just unchecked. */
const isInvalid = (check: Check | undefined): boolean =>
  check !== undefined && !check.valid && !isUnchecked(check);

const isBroken = ({ outcome }: Check): boolean => outcome === "uncompilable";

const isByPolicy = ({ errors }: Check): boolean => errors.every(({ rule }) => rule === "policy");

function said(check: Check, whole: RootName): string {
  return describeCheck(check, whole, MAX_SAID)
    .map(({ text }) => `\n  ${safeText(text)}`)
    .join("");
}

/** Returns what the author of the arguments has to change. */
function toFix(check: Check): string {
  if (isBroken(check)) return said(check, "the arguments");
  return modelLines(check, { whole: "the arguments" })
    .map((line) => `\n  ${line}`)
    .join("");
}

/**
 * Ends a call.
 * @throws CliExit 1 that lists what is invalid, if anything; 3 if something could not be checked but nothing is
 *   invalid
 */
export function exitWithCall(called: CallOutput): void {
  const { tool, input, result, error, protocol, output } = called;
  const name = safeText(tool);
  const broken = (called.findings ?? []).map((finding) => `\n  ${safeText(findingLine(finding))}`);
  const server = broken.length === 0 ? "" : `\nthe server has faults:${broken.join("")}`;
  if (error !== undefined) {
    const { code, message, data } = error;
    const more = data === undefined ? "" : `\n  data: ${safeText(data)}`;
    const text = `the call of ${name} was answered with the error ${code}: ${safeText(message)}${more}`;
    throw new CliExit(EXIT_FINDINGS, text + server);
  }
  if (result === undefined) {
    const why = isBroken(input)
      ? "its input schema cannot be used; --unchecked sends the arguments anyway"
      : isUnchecked(input)
        ? "the arguments could not be checked; --unchecked sends them anyway"
        : isByPolicy(input)
          ? "the policy of its configuration forbids it; --unchecked calls it anyway"
          : "the arguments do not match its input schema";
    const text = `${name} was not called: ${why}${toFix(input)}`;
    const code = isUnchecked(input) && server === "" ? EXIT_FAILED : EXIT_FINDINGS;
    throw new CliExit(code, text + server);
  }
  const findings: string[] = [];
  if (protocol?.valid === false) {
    const what = isUnchecked(protocol) ? "could not be checked completely" : "breaks the protocol";
    findings.push(`the result of ${name} ${what}${said(protocol, "the result")}`);
  }
  if (isToolError(result.value)) {
    findings.push(`${name} reports an error`);
  } else if (output?.valid === false) {
    const what = isBroken(output)
      ? `the result of ${name} was not checked: its output schema cannot be used`
      : isUnchecked(output)
        ? `the result of ${name} could not be checked against its output schema`
        : `the result of ${name} does not match its output schema`;
    findings.push(`${what}${said(output, "the result")}`);
  } else if (!input.valid) {
    const what = isBroken(input)
      ? "the input schema cannot be used"
      : isUnchecked(input)
        ? "the arguments could not be checked"
        : isByPolicy(input)
          ? "the policy of its configuration forbids the call"
          : "the arguments do not match";
    findings.push(`${what}${toFix(input)}`);
  }
  if (server !== "") findings.push(server.slice(1));
  if (findings.length === 0) return;
  const isFound =
    server !== "" || isToolError(result.value) || [protocol, output, input].some(isInvalid);
  throw new CliExit(isFound ? EXIT_FINDINGS : EXIT_FAILED, findings.join("\n"));
}
