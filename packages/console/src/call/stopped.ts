import { isObject } from "../json/object.ts";
import type { ResultView } from "./result.ts";

/**
 * A call that did not end with what the tool answers.
 *
 * - `refused`: its arguments break the schema, and nothing was run
 * - `blocked`: Touchstone held it, or its result, back; `reason` says why
 */
export type Stopped =
  | { readonly by: "refused" }
  | { readonly by: "blocked"; readonly reason: string };

/** How a gateway begins what stands in the place of a result that it holds back. */
const OUTPUT = "output schema validation failed: ";
/** And what it says where a call did not reach the server. */
const INPUT = /^The call of "(?:[^"\\]|\\.)*" was blocked before it reached the server: /;
/** How the tool API begins where it has not called its handler. */
const NOT_RUN = /^The tool (?:was not run\. |"(?:[^"\\]|\\.)*" was not run: )/;

function saysInvalid(structured: string | undefined): boolean {
  const value: unknown = structured === undefined ? undefined : JSON.parse(structured);
  return isObject(value) && value["valid"] === false && Array.isArray(value["errors"]);
}

/**
 * Who stopped a call, told by the words and the shape of the answer: HTTP has no other sign of it.
 * Undefined where the answer is the tool's own, be it an error.
 */
export function stoppedBy(status: number, result: ResultView): Stopped | undefined {
  const { isError, content, structured } = result;
  const [first] = content;
  if (!isError || content.length !== 1 || first?.kind !== "text") return undefined;
  const { text } = first;
  if (status === 200 && NOT_RUN.test(text) && saysInvalid(structured)) return { by: "refused" };
  const isBlocked = structured === undefined && (text.startsWith(OUTPUT) || INPUT.test(text));
  return isBlocked ? { by: "blocked", reason: text } : undefined;
}
