import { runSteps } from "@touchstone/core/advanced";
import type { RedactedText } from "@touchstone/util";
import { characterStart, REDACTION_MARGIN_BYTES } from "../bounds.ts";
import { redactJson } from "./redact-json.ts";

/** The text of a body for a record. */
export interface BodyText extends RedactedText {
  /** Whether it is JSON, or the beginning of JSON, as far as it was read. */
  readonly isJson: boolean;
}

/**
 * Returns the JSON text of a body for a record, without what looks like a secret: {@link redactJson}. Then the text
 * is cut. All other text stays unchanged, digits included. Text that is not JSON is processed in the same way, token
 * by token. Never throws.
 *
 * @param maxBytes most bytes of UTF-8 to keep; a cut text ends in `…`
 */
export function bodyText(bytes: Uint8Array, maxBytes: number): BodyText {
  return runSteps(bodyTextSteps(bytes, maxBytes));
}

/** Does the same as {@link bodyText} in steps of some thousand characters; a longer string is one step. */
export function* bodyTextSteps(
  bytes: Uint8Array,
  maxBytes: number,
): Generator<void, BodyText, void> {
  const window = bytes.subarray(0, maxBytes + REDACTION_MARGIN_BYTES);
  const source = new TextDecoder("utf-8").decode(window).replaceAll("\u0000", "\uFFFD");
  const isAll = window.length === bytes.length;
  const { text, redactions, isJson, isWhole } = yield* redactJson(source, isAll);
  return { text: cut(text, maxBytes, isWhole), redactions, isJson };
}

function cut(text: string, maxBytes: number, isWhole: boolean): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return isWhole ? text : `${text}…`;
  return `${bytes.toString("utf8", 0, characterStart(bytes, maxBytes))}…`;
}
