import { dirname } from "node:path";
import { CHECK_SECTIONS } from "../settings/schema.ts";
import { schemaPartAt } from "../settings/sections.ts";
import { DEFAULT_SETTINGS, type ValidationSettings } from "../settings/validation.ts";
import { checkServers, valueAt } from "./check.ts";
import type { SkippedServer } from "./config.ts";
import type { JsonObject, Path } from "./document.ts";
import { MAX_FAULTS } from "./fault-list.ts";
import { ConfigError, type ConfigFault, quote } from "./faults.ts";
import { readConfigFile } from "./file.ts";
import { expandSingleValues } from "./lists.ts";
import type { LoadOptions } from "./load.ts";
import { isClientKey, isPathWithin, readServers, type Servers } from "./servers.ts";
import { openSource } from "./source.ts";

/** {@link LoadOptions}, and the level above the entries of a client's file. */
export interface ServersSource extends LoadOptions {
  /** The level above the servers. Default: {@link DEFAULT_SETTINGS}. */
  readonly settings?: ValidationSettings;
}

/** The servers of a client's file. */
export interface ClientServers extends Servers {
  /** The entries that are missing in `servers`, in the order of the text. */
  readonly leftOut: readonly SkippedServer[];
  /** The files that references name; absent if there are none. */
  readonly secretFiles?: readonly string[];
}

/**
 * Reads only the servers of a client's file (Claude, Cursor, VS Code …), like {@link parseServers}.
 *
 * @throws {ConfigError} as that does, and if the file cannot be read
 */
export function loadServers(path: string, options: ServersSource = {}): ClientServers {
  return parseServers(readConfigFile(path), path, options);
}

/**
 * Reads only the servers of a client's file: `mcpServers`, or else VS Code's `servers` or `mcp.servers`. Other
 * top-level keys are ignored, except that checks set there are refused. The file belongs to the client, which may
 * support more than the gateway: an entry that cannot be served is left out. An entry's `touchstone`, which only
 * Touchstone reads, must be right.
 *
 * @throws {ConfigError} with all faults of the servers, if the list cannot be read, our own keys have faults, or no
 *   enabled server is left
 */
export function parseServers(
  text: string,
  file: string,
  options: ServersSource = {},
): ClientServers {
  const { env = process.env, overrides = {}, settings = DEFAULT_SETTINGS } = options;
  const foreign = (top: JsonObject) => {
    const at = rootOf(top);
    // Descends to the list and skips its siblings.
    const isOutside = (path: Path) =>
      path.some((step, index) => index < at.length && step !== at[index]);
    return (path: Path) => isOutside(path) || isClientKey(path, at);
  };
  const source = openSource(text, { file, env, editorForms: true, foreign });
  const { value, written, faults } = source;
  const root = rootOf(value);
  const entries = valueAt(value, root);
  if (entries === undefined) {
    const message =
      'has no servers: neither "mcpServers" nor "servers" is at the top, nor "servers" in "mcp"';
    faults.add("MISSING_KEY", [], message);
    return faults.fail();
  }
  for (const key of CHECK_SECTIONS.filter((section) => Object.hasOwn(value, section))) {
    const message = `${quote(key)} is not read from a client's file; read a touchstone.json with --config`;
    faults.add("MISPLACED_KEY", [key], message, "key");
  }
  const list = expandSingleValues(entries, schemaPartAt(FIRST_ROOT));
  const { misshapen } = checkServers(list, root, { value, written }, faults);
  const { servers, ignoredKeys } = readServers(list, faults, {
    root,
    settings,
    folder: dirname(file),
    overrides,
    misshapen,
    written,
  });
  const leftOut = faults.takeOut((path) => {
    const [name, key] = path.slice(root.length);
    return isPathWithin(path, root) && name !== undefined && key !== "touchstone"
      ? String(name)
      : undefined;
  });
  faults.throwIfAny();
  const left = servers.filter(({ name }) => !leftOut.has(name));
  if (leftOut.size > 0 && left.every(({ disabled }) => disabled)) throw refusedFor(leftOut);
  // Clients read one of the lists, and so does the gateway.
  const others = ROOTS.filter((other) => other !== root && valueAt(value, other) !== undefined);
  return {
    servers: left,
    ignoredKeys: [...ignoredKeys, ...others.map((other) => other.join("."))],
    leftOut: [...leftOut].map(([name, own]) => ({ name, faults: own })),
    ...(source.files.length === 0 ? {} : { secretFiles: source.files }),
  };
}

/**
 * Where clients keep their servers: most under `mcpServers`; VS Code under `servers` in `mcp.json`, and under `mcp`
 * in its settings (https://code.visualstudio.com/docs/agents/reference/mcp-configuration).
 */
const ROOTS: readonly Path[] = [["mcpServers"], ["servers"], ["mcp", "servers"], ["mcp.servers"]];
const FIRST_ROOT: Path = ["mcpServers"];

function rootOf(top: JsonObject): Path {
  return ROOTS.find((root) => valueAt(top, root) !== undefined) ?? FIRST_ROOT;
}

function refusedFor(leftOut: ReadonlyMap<string, readonly ConfigFault[]>): ConfigError {
  const all = [...leftOut.values()].flat();
  const told = all.slice(0, MAX_FAULTS);
  return new ConfigError(told, all.length - told.length);
}
