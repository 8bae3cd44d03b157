import { loadServers } from "@touchstone/gateway/config";
import { getNodeValue } from "jsonc-parser";
import { firstFault } from "../config-file/first-fault.ts";
import { skipReason } from "../config-file/skipped-servers.ts";
import { readClientFile } from "../install/client-file.ts";
import { type ClientPlaces, existingFiles } from "../install/clients.ts";
import { type Entry, readEntries } from "../install/entries.ts";
import { readWrappedEntry } from "../install/wrapped.ts";

/** A server of a client that Touchstone can serve. */
export interface FoundServer {
  /** Its name in the configuration; unique among the servers found. */
  readonly name: string;
  /** The program that owns the file. */
  readonly client: string;
  /** Its settings for the configuration. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** The servers in the clients' files. */
export interface FoundServers {
  /** A program and its file, one line each. */
  readonly clients: readonly string[];
  readonly servers: readonly FoundServer[];
  /** Why other servers are skipped, one line each. */
  readonly leftOut: readonly string[];
  /** The names of servers that clients start through `touchstone wrap`. */
  readonly wrapped: readonly string[];
}

/** The keys that define how to reach a server; all other keys belong to the client. */
const TAKEN = ["type", "command", "args", "env", "cwd", "url", "httpUrl", "serverUrl", "headers"];

/**
 * Finds the servers in the user's and the directory's files of the clients that `install` knows. Skips entries that
 * already start `touchstone wrap`.
 */
export function findServers(place: ClientPlaces): FoundServers {
  const clients: string[] = [];
  const leftOut: string[] = [];
  const wrapped = new Set<string>();
  const servers = new Map<string, FoundServer>();
  for (const { program, path } of existingFiles(place)) {
    const { entries, out, wraps } = read(path, place);
    for (const name of wraps) wrapped.add(name);
    clients.push(`${program}: ${path}`);
    leftOut.push(...out.map((why) => `${path}: ${why}`));
    for (const [name, entry] of entries) {
      const same = servers.get(name);
      if (same !== undefined && JSON.stringify(same.entry) === JSON.stringify(entry)) continue;
      const own = same === undefined ? name : freeName(name, program, servers);
      servers.set(own, { name: own, client: program, entry });
    }
  }
  return { clients, servers: [...servers.values()], leftOut, wrapped: [...wrapped] };
}

/** Returns the name for a server; a second server with the same name gets its client's name added. */
function freeName(name: string, program: string, taken: ReadonlyMap<string, unknown>): string {
  const base = `${name}-${program.toLowerCase().replaceAll(" ", "-")}`;
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}

const OTHER_FORMAT = "init reads JSON only; touchstone install puts wrap in front of its servers";

interface ReadFile {
  readonly entries: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
  readonly out: readonly string[];
  /** The names of wrapped servers. */
  readonly wraps: readonly string[];
}

function read(path: string, { env }: ClientPlaces): ReadFile {
  if (!/\.jsonc?$/i.test(path)) return { entries: [], out: [OTHER_FORMAT], wraps: [] };
  try {
    const { servers, leftOut } = loadServers(path, { env });
    const canRun = new Set(servers.map(({ name }) => name));
    const all = readEntries(readClientFile(path).text);
    const wraps = all.flatMap((entry) => readWrappedEntry(entry)?.name ?? []);
    const entries = all
      .filter((entry) => entry.project === undefined && canRun.has(entry.name))
      .filter((entry) => readWrappedEntry(entry) === undefined)
      .map((entry) => [entry.name, ownEntry(entry)] as const);
    const out = leftOut.map((server) => `${server.name}: ${skipReason(server)}`);
    return { entries, out, wraps };
  } catch (error) {
    return { entries: [], out: [firstFault(error)], wraps: [] };
  }
}

/**
 * Returns the keys that define how to reach a server, with variables in Touchstone's syntax: `${env:NAME}` becomes
 * `${NAME}`.
 */
function ownEntry({ members }: Entry): Readonly<Record<string, unknown>> {
  const kept = TAKEN.flatMap((key) => {
    const value = members.get(key)?.value;
    return value === undefined ? [] : [[key, getNodeValue(value)] as const];
  });
  return JSON.parse(JSON.stringify(Object.fromEntries(kept)).replaceAll("${env:", "${"));
}
