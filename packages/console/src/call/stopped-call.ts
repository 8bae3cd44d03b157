import { isObject } from "../json/object.ts";
import type { ResultView } from "./result.ts";

/**
 * A call that did not end with the tool's own result.
 *
 * - `refused`: its arguments violate the schema, and nothing was run
 * - `unchecked`: its arguments could not be checked, and nothing was run
 * - `blocked`: Touchstone blocked the call or its result, or rejected it for a limit; `reason` says why
 */
export type StoppedCall =
  | { readonly by: "refused" | "unchecked" }
  | { readonly by: "blocked"; readonly reason: string };

/** How the gateway's replacement for a blocked result begins. */
const OUTPUT = "output schema validation failed: ";
/** How the gateway's message begins if a call did not reach the server. */
const INPUT =
  /^The call of "(?:[^"\\]|\\.)*" was (?:blocked|rejected) before it reached the server: /;
/** How the tool API's message begins if it did not call its handler. */
const NOT_RUN = /^The tool (?:was not run\. |"(?:[^"\\]|\\.)*" was not run: )/;

/** Returns what a verdict says about arguments that were not run; undefined if the value is not a verdict. */
function refusedBy(structured: string | undefined): "refused" | "unchecked" | undefined {
  const value: unknown = structured === undefined ? undefined : JSON.parse(structured);
  if (!isObject(value) || value["valid"] !== false || !Array.isArray(value["errors"])) return;
  return value["checked"] === false ? "unchecked" : "refused";
}

/**
 * Returns who stopped a call, based on the wording and shape of the response: HTTP gives no other sign of it.
 * Undefined if the response is the tool's own, even if it is an error.
 */
export function readStoppedCall(status: number, result: ResultView): StoppedCall | undefined {
  const { isError, content, structured } = result;
  const [first] = content;
  if (!isError || content.length !== 1 || first?.kind !== "text") return undefined;
  const { text } = first;
  const by = status === 200 && NOT_RUN.test(text) ? refusedBy(structured) : undefined;
  if (by !== undefined) return { by };
  const isBlocked = structured === undefined && (text.startsWith(OUTPUT) || INPUT.test(text));
  return isBlocked ? { by: "blocked", reason: text } : undefined;
}
