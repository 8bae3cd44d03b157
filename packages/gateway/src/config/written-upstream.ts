import type { ServerConfig } from "./config.ts";
import { isJsonObject, type JsonValue } from "./document.ts";
import { URL_KEYS } from "./entry-keys.ts";
import { withReferences } from "./variables.ts";

/** The parts of an upstream whose text has references to variables or files, with the references instead of their values. */
export type WrittenUpstream = Pick<ServerConfig, "written">;

/**
 * Returns the command line or URL of an entry as written, if it has references to variables or files: people who may
 * read settings must not see the values of these.
 * @param entry before variables are substituted
 */
export function writtenUpstream(entry: JsonValue | undefined): WrittenUpstream {
  if (!isJsonObject(entry)) return {};
  const { command, args } = entry;
  if (typeof command === "string") {
    const list = Array.isArray(args) ? args : [];
    const words = [command, ...list.filter((arg) => typeof arg === "string")].map(withReferences);
    if (!words.some(({ refers }) => refers)) return {};
    return { written: { words: words.map(({ text }) => text) } };
  }
  const url = URL_KEYS.map((key) => entry[key]).find((value) => typeof value === "string");
  const { text, refers } = withReferences(typeof url === "string" ? url : "");
  return refers ? { written: { url: text } } : {};
}
