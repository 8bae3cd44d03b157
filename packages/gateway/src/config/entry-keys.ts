import { SERVER_SCHEMA } from "../settings/sections.ts";
import { didYouMean, foldedKey } from "./closest.ts";

/** The keys of an entry that hold the URL of a Streamable HTTP server: ours, Gemini CLI's, Windsurf's. */
export const URL_KEYS = ["url", "httpUrl", "serverUrl"] as const;

/**
 * The keys of an entry that turn it off, each with the value that does: ours, that of opencode, mcpproxy and others,
 * Cherry Studio's.
 */
export const DISABLING_KEYS: Readonly<Record<"disabled" | "enabled" | "isActive", boolean>> = {
  disabled: true,
  enabled: false,
  isActive: false,
};

/** The keys of a server's entry that are read; every other key belongs to some client. */
export const ENTRY_KEYS: readonly string[] = Object.keys(SERVER_SCHEMA.properties ?? {});

/** The keys of an entry that only running the server reads. */
export const RUN_KEYS: readonly string[] = ENTRY_KEYS.filter(
  (key) => key !== "touchstone" && !Object.hasOwn(DISABLING_KEYS, key),
);

/** Other clients' names for our keys, in {@link foldedKey} form: too different from ours to be typing errors. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["serverurl", "url"],
  ["httpurl", "url"],
  ["baseurl", "url"],
  ["uri", "url"],
  ["endpoint", "url"],
  ["cmd", "command"],
  ["executable", "command"],
  ["environment", "env"],
  ["workingdirectory", "cwd"],
  ["workingdir", "cwd"],
  ["transport", "type"],
  ["disable", "disabled"],
  ["isdisabled", "disabled"],
  ["isenabled", "enabled"],
  ["enable", "enabled"],
  ["active", "isActive"],
]);

/** Longer keys are not names for one of ours. */
const MAX_ALIAS = 32;

/**
 * Returns ` — did you mean "…"?` for an unread key of an entry, if other clients use it for one of our keys or it is
 * close to one; else nothing.
 *
 * @param wanted those of our keys that it may stand for
 */
export function entryKeyHint(key: string, wanted: readonly string[] = ENTRY_KEYS): string {
  if (ENTRY_KEYS.includes(key)) return "";
  const meant = key.length > MAX_ALIAS ? undefined : ALIASES.get(foldedKey(key));
  if (meant !== undefined && wanted.includes(meant)) return ` — did you mean "${meant}"?`;
  return didYouMean(key, wanted);
}
