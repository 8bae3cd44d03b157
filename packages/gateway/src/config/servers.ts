import type { ServerEntry } from "../settings/schema.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { valueAt } from "./check.ts";
import type { ServerConfig } from "./config.ts";
import { disabledServerOf, isDisabled, upstreamOfFaultyEntry } from "./disabled.ts";
import { isJsonObject, type JsonObject, type JsonValue, type Path, pathKey } from "./document.ts";
import { ENTRY_KEYS, entryKeyHint, URL_KEYS } from "./entry-keys.ts";
import type { FaultList } from "./fault-list.ts";
import type { ConfigFault } from "./faults.ts";
import { addLevelFaults, mergeLevel } from "./merge.ts";
import { findMisplacedKey } from "./misplaced-keys.ts";
import { applyOverrides, type Overrides, withoutOverriddenPreset } from "./overrides.ts";
import { upstreamOf } from "./upstream.ts";
import { writtenUpstream } from "./written-upstream.ts";

export interface ServersOptions {
  /** Where the servers are: under `mcpServers`, VS Code's `servers`, or `mcp` and `servers` of its older settings. */
  readonly root: Path;
  /** The level above, without command-line options. */
  readonly settings: ValidationSettings;
  /** The folder of the file, the base of lock files' names. */
  readonly folder: string;
  /** For entries that do not set it. */
  readonly forwardAuthorization?: boolean;
  readonly overrides: Overrides;
  /** Whether an entry with only `touchstone` holds the settings of a wrapped server. If not, it is a fault. */
  readonly takesWrapped?: boolean;
  /** The file as written, before variables are substituted. */
  readonly written: JsonValue;
  /** {@link pathKey}s of values with the wrong shape, and of their ancestors. */
  readonly misshapen: ReadonlySet<string>;
}

/** The servers of a file, and the ignored keys. */
export interface Servers {
  readonly servers: readonly ServerConfig[];
  /** `ROOT.NAME.KEY` of each key that is not read. */
  readonly ignoredKeys: readonly string[];
}

const MAX_NAME = 128;

/** Returns whether a path is inside a client's key of an entry. */
export function isClientKey(path: Path, root: Path): boolean {
  const key = path[root.length + 1];
  return isPathWithin(path, root) && key !== undefined && !ENTRY_KEYS.includes(String(key));
}

/** Returns whether a path leads to a value or into it. */
export function isPathWithin(path: Path, root: Path): boolean {
  return root.every((step, index) => path[index] === step);
}

/**
 * Checks what JSON Schema cannot express about the entries, and makes each server's configuration. Entries with
 * faults are left out; the faults are in `faults`. Faults about what a disabled entry needs to run are moved from
 * `faults` to its configuration.
 */
export function readServers(
  value: JsonValue | undefined,
  faults: FaultList,
  options: ServersOptions,
): Servers {
  const servers: ServerConfig[] = [];
  const ignoredKeys: string[] = [];
  for (const [name, entry] of Object.entries(isJsonObject(value) ? value : {})) {
    const path = [...options.root, name];
    const fault = serverNameFault(name);
    if (fault !== undefined) faults.add("INVALID_NAME", path, fault, "key");
    if (!isJsonObject(entry)) continue;
    const unread = unreadKeys(entry);
    const misplaced = unread.flatMap((key) => findMisplacedKey(key, entry[key] ?? null) ?? []);
    for (const { path: inside, message } of misplaced) {
      faults.add("MISPLACED_KEY", [...path, ...inside], message, "key");
    }
    const ignored = unread.filter((key) => !misplaced.some((found) => found.path[0] === key));
    ignoredKeys.push(...ignored.map((key) => [...path, key].join(".")));
    const isWrapped = options.takesWrapped === true && Object.keys(entry).join() === "touchstone";
    const disabled = isWrapped || isDisabled(entry);
    const broken = ENTRY_KEYS.filter((key) => options.misshapen.has(pathKey([...path, key])));
    const canRun = broken.every((key) => key === "touchstone");
    if (!canRun && !disabled) continue;
    const typed = entry as ServerEntry;
    const own = withoutOverriddenPreset(options.overrides, typed.touchstone ?? {});
    const upstream = isWrapped
      ? ({ type: "wrap" } as const)
      : canRun
        ? upstreamOf(typed, path, faults, options.forwardAuthorization)
        : undefined;
    const known = upstream ?? (disabled ? upstreamOfFaultyEntry(entry) : undefined);
    if (known === undefined || broken.includes("touchstone")) continue;
    const made = settingsOf(own, path, faults, options);
    const at = { level: "server", path: [...path, "touchstone"], faults } as const;
    addLevelFaults(made.settings, own, at);
    servers.push({
      name,
      upstream: known,
      ...writtenUpstream(valueAt(options.written, path)),
      disabled,
      ...(own.preset === undefined ? {} : { preset: own.preset }),
      ...made,
    });
  }
  const taken = faults.takeOut(disabledServerOf(value, options.root));
  return { servers: servers.map((server) => withFaults(server, taken, value)), ignoredKeys };
}

/** Returns a disabled server with what it would need to run. */
function withFaults(
  server: ServerConfig,
  taken: ReadonlyMap<string, readonly ConfigFault[]>,
  list: JsonValue | undefined,
): ServerConfig {
  const faults = taken.get(server.name);
  const entry = isJsonObject(list) ? list[server.name] : undefined;
  if (faults === undefined || !isJsonObject(entry)) return server;
  return { ...server, upstream: upstreamOfFaultyEntry(entry), faults };
}

/** {@link entryKeyHint} for the path of a key that is not read. */
export function ignoredKeyHint(ignored: string): string {
  return entryKeyHint(ignored.slice(ignored.lastIndexOf(".") + 1));
}

/** Client keys, and keys that only the other transport reads. */
function unreadKeys(entry: JsonObject): string[] {
  const idle = URL_KEYS.some((key) => Object.hasOwn(entry, key))
    ? ["args", "env", "cwd"]
    : ["headers"];
  return Object.keys(entry).filter((key) => !ENTRY_KEYS.includes(key) || idle.includes(key));
}

type OwnSettings = NonNullable<ServerEntry["touchstone"]>;

function settingsOf(
  touchstone: OwnSettings,
  path: Path,
  faults: FaultList,
  { settings: above, overrides, folder, written }: ServersOptions,
): Pick<ServerConfig, "settings" | "tools"> {
  const at = { path: [...path, "touchstone"], folder, written, faults };
  const own = mergeLevel(above, touchstone, { ...at, level: "server" });
  const tools = Object.entries(touchstone.tools ?? {}).map(([tool, sections]) => {
    const ofTool = { ...at, level: "tool", path: [...at.path, "tools", tool] } as const;
    return [tool, applyOverrides(mergeLevel(own, sections, ofTool), overrides)] as const;
  });
  return { settings: applyOverrides(own, overrides), tools: new Map(tools) };
}

/**
 * Returns what is wrong with a server's name, which is part of a URL's path (RFC 3986, section 3.3) and of records.
 */
export function serverNameFault(name: string): string | undefined {
  const length = [...name].length;
  if (length < 1 || length > MAX_NAME) {
    return `a server's name has 1 to ${MAX_NAME} characters, this one has ${length}`;
  }
  if (name.includes("/"))
    return 'a server\'s name must not contain "/": it is one segment of a URL';
  if (name === "." || name === "..")
    return 'a server must not be named "." or "..": URLs drop them';
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return "a server's name must not contain control characters";
  return undefined;
}
