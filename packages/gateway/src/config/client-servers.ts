import { DEFAULT_SETTINGS, type ValidationSettings } from "../policy/settings.ts";
import type { CapabilityMode, LeftOut } from "./config.ts";
import type { JsonObject, Path } from "./document.ts";
import { MAX_FAULTS } from "./fault-list.ts";
import { ConfigError, type ConfigFault } from "./faults.ts";
import { readConfigFile } from "./file.ts";
import type { LoadOptions } from "./load.ts";
import { isForeignKey, readServers, type Servers } from "./servers.ts";
import { addShapeFaults } from "./shape/faults.ts";
import { misshapenPaths, shapeOfServers } from "./shape/shape.ts";
import { openSource } from "./source.ts";

/** {@link LoadOptions}, and what the entries of a client's file stand below. */
export interface ServersSource extends LoadOptions {
  /** The level above the servers' own. Default: {@link DEFAULT_SETTINGS}. */
  readonly settings?: ValidationSettings;
  /** Where an entry does not say itself. Default `pass`. */
  readonly capability?: CapabilityMode;
}

/** The servers of a client's file. */
export interface ClientServers extends Servers {
  /** The entries that are not among `servers`, in the order of the text. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Reads only the servers of a client's file (Claude, Cursor, VS Code …), as {@link parseServers} does.
 *
 * @throws {ConfigError} as that does, and where the file cannot be read; nothing else
 */
export function loadServers(path: string, options: ServersSource = {}): ClientServers {
  return parseServers(readConfigFile(path), path, options);
}

/**
 * Reads only the servers of a client's file: `mcpServers`, or else VS Code's `servers`. Everything
 * else at the top is let pass unread. The file is made for the client, which knows more than we do: an entry that
 * cannot be served is left out, while an entry's `touchstone`, which nobody but us reads, has to be right.
 *
 * @throws {ConfigError} with all faults that concern the servers, where the list cannot be read, our own keys have
 *   faults, or no server is left that is enabled; nothing else
 */
export function parseServers(
  text: string,
  file: string,
  options: ServersSource = {},
): ClientServers {
  const { env = process.env, overrides = {}, settings = DEFAULT_SETTINGS } = options;
  const memberOf = (top: JsonObject) =>
    Object.hasOwn(top, "mcpServers") ? "mcpServers" : "servers";
  const foreign = (top: JsonObject) => (path: Path) =>
    path[0] !== memberOf(top) || isForeignKey(path, memberOf(top));
  const source = openSource(text, { file, env, editorForms: true, foreign });
  const { value, written, faults } = source;
  const member = memberOf(value);
  const list = Object.hasOwn(value, member) ? value[member] : undefined;
  if (list === undefined) {
    const message = 'has no servers: neither "mcpServers" nor "servers" stands at the top';
    faults.add("MISSING_KEY", [], message);
    return faults.fail();
  }
  const shaped = shapeOfServers(list);
  if ("issues" in shaped) addShapeFaults(shaped.issues, [member], value, written, faults);
  const misshapen = misshapenPaths(shaped, [member]);
  const { servers, ignoredKeys } = readServers(list, faults, {
    root: member,
    settings,
    overrides,
    misshapen,
    ...(options.capability === undefined ? {} : { capability: options.capability }),
  });
  const leftOut = faults.takeOut(([at, name, key]) =>
    at === member && name !== undefined && key !== "touchstone" ? String(name) : undefined,
  );
  faults.throwIfAny();
  const left = servers.filter(({ name }) => !leftOut.has(name));
  if (leftOut.size > 0 && left.every(({ disabled }) => disabled)) throw refusedFor(leftOut);
  // Clients read one of the two lists, and so do we.
  const other = Object.hasOwn(value, "mcpServers") && Object.hasOwn(value, "servers");
  return {
    servers: left,
    ignoredKeys: other ? [...ignoredKeys, "servers"] : ignoredKeys,
    leftOut: [...leftOut].map(([name, own]) => ({ name, faults: own })),
  };
}

function refusedFor(leftOut: ReadonlyMap<string, readonly ConfigFault[]>): ConfigError {
  const all = [...leftOut.values()].flat();
  const told = all.slice(0, MAX_FAULTS);
  return new ConfigError(told, all.length - told.length);
}
