import { isObject } from "../json/object.ts";
import type { ResultView } from "./result.ts";

/**
 * A call that did not end with what the tool answers.
 *
 * - `refused`: its arguments break the schema, and nothing was run
 * - `unchecked`: its arguments could not be checked, and nothing was run
 * - `blocked`: Touchstone held it, or its result, back; `reason` says why
 */
export type Stopped =
  | { readonly by: "refused" | "unchecked" }
  | { readonly by: "blocked"; readonly reason: string };

/** How a gateway begins what stands instead of a result that it holds back. */
const OUTPUT = "output schema validation failed: ";
/** And what it says where a call did not reach the server. */
const INPUT = /^The call of "(?:[^"\\]|\\.)*" was blocked before it reached the server: /;
/** How the tool API begins where it has not called its handler. */
const NOT_RUN = /^The tool (?:was not run\. |"(?:[^"\\]|\\.)*" was not run: )/;

/** Returns what a verdict says of arguments that were not run; undefined if the value is none. */
function refusedBy(structured: string | undefined): "refused" | "unchecked" | undefined {
  const value: unknown = structured === undefined ? undefined : JSON.parse(structured);
  if (!isObject(value) || value["valid"] !== false || !Array.isArray(value["errors"])) return;
  return value["checked"] === false ? "unchecked" : "refused";
}

/**
 * Who stopped a call, told by the words and the shape of the response: HTTP has no other sign of it.
 * Undefined if the response is the tool's own, be it an error.
 */
export function stoppedBy(status: number, result: ResultView): Stopped | undefined {
  const { isError, content, structured } = result;
  const [first] = content;
  if (!isError || content.length !== 1 || first?.kind !== "text") return undefined;
  const { text } = first;
  const by = status === 200 && NOT_RUN.test(text) ? refusedBy(structured) : undefined;
  if (by !== undefined) return { by };
  const isBlocked = structured === undefined && (text.startsWith(OUTPUT) || INPUT.test(text));
  return isBlocked ? { by: "blocked", reason: text } : undefined;
}
