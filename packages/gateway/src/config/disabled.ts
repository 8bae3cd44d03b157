import { parseUrl } from "@touchstone/util";
import type { HttpUpstream, StdioUpstream } from "./config.ts";
import { isJsonObject, type JsonObject, type JsonValue, type Path } from "./document.ts";
import { DISABLING_KEYS, RUN_KEYS, URL_KEYS } from "./entry-keys.ts";
import type { ConfigFaultCode } from "./faults.ts";

/** Returns whether one of the keys that can turn an entry off does so. */
export function isDisabled(entry: JsonValue | undefined): entry is JsonObject {
  return (
    isJsonObject(entry) && Object.entries(DISABLING_KEYS).some(([key, off]) => entry[key] === off)
  );
}

/**
 * Assigns faults to the disabled server in whose entry they are, if they only concern what the server needs to run:
 * that does not matter while it is disabled.
 *
 * @param list the servers, which are at the path `root`
 */
export function disabledServerOf(
  list: JsonValue | undefined,
  root: Path,
): (path: Path, code: ConfigFaultCode) => string | undefined {
  const entries = new Map(isJsonObject(list) ? Object.entries(list) : []);
  return (path, code) => {
    const [name, key] = path.slice(root.length).map(String);
    const isHere = root.every((step, index) => path[index] === step);
    if (!isHere || name === undefined || !isDisabled(entries.get(name))) return undefined;
    const isRun = key === undefined ? code === "MISSING_KEY" : RUN_KEYS.includes(key);
    return isRun ? name : undefined;
  };
}

/**
 * Returns what an entry with faults says about reaching its server: its texts unchanged. An invalid URL may contain a
 * secret anywhere, and is left out.
 */
export function upstreamOfFaultyEntry(entry: JsonObject): StdioUpstream | HttpUpstream {
  const { command, cwd, args } = entry;
  const url = URL_KEYS.map((key) => entry[key]).find((value) => value !== undefined);
  if (url !== undefined && typeof command !== "string") {
    return { type: "http", url: httpUrl(url), headers: textsOf(entry["headers"]) };
  }
  return {
    type: "stdio",
    command: typeof command === "string" ? command : "",
    args: Array.isArray(args) ? args.filter((arg) => typeof arg === "string") : [],
    env: textsOf(entry["env"]),
    ...(typeof cwd === "string" ? { cwd } : {}),
  };
}

function httpUrl(value: JsonValue): string {
  const isUrl =
    typeof value === "string" && /^https?:/i.test(value) && parseUrl(value) !== undefined;
  return isUrl ? value : "";
}

function textsOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    members.filter((member): member is [string, string] => typeof member[1] === "string"),
  );
}
