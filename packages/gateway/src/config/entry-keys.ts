import { didYouMean } from "./closest.ts";
import { ENTRY_KEYS } from "./config-file.ts";

/** What other clients name our keys, by {@link plain} form: too far from ours to be taken for a typing error. */
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

/** Longer keys are nobody's name for one of ours. */
const MAX_ALIAS = 32;

/** Without what tells apart `serverUrl`, `server_url` and `server-url`. */
function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, "");
}

/**
 * ` — did you mean "…"?` for a key of an entry that is not read, where other clients mean one of ours by it or
 * it comes close to one; or nothing.
 *
 * @param wanted those of our keys that it may stand for
 */
export function entryKeyHint(key: string, wanted: readonly string[] = ENTRY_KEYS): string {
  if (ENTRY_KEYS.includes(key)) return "";
  const meant = key.length > MAX_ALIAS ? undefined : ALIASES.get(plain(key));
  if (meant !== undefined && wanted.includes(meant)) return ` — did you mean "${meant}"?`;
  return didYouMean(key, wanted);
}
