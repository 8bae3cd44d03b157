import { isObject } from "@touchstone/core";
import { visible } from "../../log.ts";

const MAX_SHOWN = 200;
/** Longer bodies are pages, and not read for a sentence. */
const MAX_BYTES = 65_536;
/** Where servers say in words what is wrong: RFC 6750 and 6749, RFC 9457, and what frameworks do. */
const WORDS = ["error_description", "message", "detail", "title", "error"];

/**
 * What the body of an HTTP error says in words: its text, or a member of its JSON (`error_description` of OAuth,
 * `detail` of RFC 9457, …). On one line of at most 200 characters, without control characters; empty where there
 * is nothing to show, as of a page in HTML. Never throws.
 *
 * @param type the body's media type; empty where it has none
 */
export function saidIn(body: Uint8Array, type: string): string {
  if (body.length === 0 || body.length > MAX_BYTES) return "";
  const text = Buffer.from(body).toString("utf8");
  if (type === "text/plain") return shown(text);
  if (type !== "application/json" && !type.endsWith("+json")) return "";
  try {
    return shown(wordsIn(JSON.parse(text)));
  } catch {
    return "";
  }
}

function wordsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  for (const name of WORDS) {
    const words = Object.hasOwn(value, name) ? wordsIn(value[name]) : "";
    if (words !== "") return words;
  }
  return "";
}

function shown(words: string): string {
  return visible(words.trim().replace(/\s+/g, " "), MAX_SHOWN);
}
