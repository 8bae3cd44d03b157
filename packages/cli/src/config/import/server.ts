import { type ImportNote, isJsonObject, type Json, type JsonObject } from "./note.ts";
import { convertVariables } from "./variables.ts";

/** An mcpproxy server as an entry of `mcpServers`. */
export interface ImportedServer {
  readonly name: string;
  /** Absent if it cannot be served. */
  readonly entry?: JsonObject;
  readonly notes: readonly ImportNote[];
}

/** Other keys of a server, and what they mean to users who ran it with mcpproxy. */
const NOT_CARRIED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    isolation: "the server runs as it is, without a container: put docker run into its command",
    annotation_overrides: "what a tool declares is not changed",
    max_concurrent_requests: "limits.concurrent_calls applies to every server alike",
    auth_broker: "no credentials are stored or asked for",
    oauth:
      "no OAuth login is done for a server: let the client send its own Authorization " +
      "(touchstone.forward_authorization), or set a header",
  }),
);
/** Keys by which mcpproxy manages and approves servers. */
const MANAGEMENT: ReadonlySet<string> = new Set(
  (
    "created updated shared skip_quarantine auto_approve_tool_changes trust_mode reconnect_on_use " +
    "expose_prompts launcher_wait_timeout health_check_interval tool_discovery_interval init_timeout " +
    "queue_size queue_timeout toon_output source_registry_id source_registry_provenance"
  ).split(" "),
);
const CARRIED: ReadonlySet<string> = new Set(
  (
    "name url protocol command args working_dir env headers enabled quarantined enabled_tools " +
    "disabled_tools"
  ).split(" "),
);
/** For each list of tools: the member of `policy` with the same meaning. */
const TOOL_LISTS = { enabled_tools: "allow_tools", disabled_tools: "deny_tools" } as const;
const TYPES: ReadonlyMap<string, string> = new Map([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
]);

/**
 * Converts one server. Never throws.
 * @param key its index in the list, or its name if servers are keyed by name
 * @param variables collects the names of the environment variables that the entry references
 */
export function importServer(key: string, server: Json, variables: Set<string>): ImportedServer {
  if (!isJsonObject(server)) return left(key, key, "is not an object");
  const name = typeof server["name"] === "string" && server["name"] !== "" ? server["name"] : key;
  const { protocol, command, url } = server;
  if (protocol === "sse") {
    return left(name, `${name}/protocol`, "the old HTTP+SSE transport is not supported; skipped");
  }
  const hasCommand = typeof command === "string" && command !== "";
  const hasUrl = typeof url === "string" && url !== "";
  if (hasCommand === hasUrl) {
    const reason = hasUrl
      ? "a server is started or reached by URL, not both; skipped"
      : "has no command and no url; skipped";
    return left(name, name, reason);
  }
  const notes: ImportNote[] = [];
  const carry = (value: Json, path: string): Json =>
    convertVariables(value, variables, (reason) => notes.push({ path: `${name}/${path}`, reason }));
  const kept = (to: string, from: string): JsonObject => {
    const value = server[from];
    if (value === undefined || value === null || value === "") return {};
    return { [to]: carry(value, from) };
  };
  const off = server["enabled"] === false;
  const quarantined = server["quarantined"] === true;
  if (quarantined && !off) {
    const reason = "was in quarantine, so it is disabled here: review it and remove disabled";
    notes.push({ path: `${name}/quarantined`, reason });
  }
  const type = typeof protocol === "string" ? TYPES.get(protocol) : undefined;
  const fits = type === (hasUrl ? "http" : "stdio");
  for (const [member, value] of Object.entries(server)) {
    if (CARRIED.has(member) || value === null || MANAGEMENT.has(member)) continue;
    const reason = NOT_CARRIED.get(member) ?? "is not known to this import";
    notes.push({ path: `${name}/${member}`, reason });
  }
  const policy = toolLists(server, (path, reason) =>
    notes.push({ path: `${name}/${path}`, reason }),
  );
  const entry = {
    ...(fits && type !== undefined ? { type } : {}),
    ...(hasUrl
      ? { ...kept("url", "url"), ...kept("headers", "headers") }
      : {
          ...kept("command", "command"),
          ...kept("args", "args"),
          ...kept("env", "env"),
          ...kept("cwd", "working_dir"),
        }),
    ...(policy === undefined ? {} : { touchstone: { policy } }),
    ...(off || quarantined ? { disabled: true } : {}),
  };
  return { name, entry, notes };
}

/**
 * Returns the policy with the same meaning as the lists of a server's tools, if there is one. An empty list counts as
 * missing.
 */
function toolLists(
  server: JsonObject,
  note: (path: string, reason: string) => void,
): JsonObject | undefined {
  const lists = Object.entries(TOOL_LISTS).flatMap(([from, to]): [string, Json][] => {
    const list = server[from];
    if (list === undefined || list === null || (Array.isArray(list) && list.length === 0))
      return [];
    const isNames =
      Array.isArray(list) && list.every((tool) => typeof tool === "string" && tool !== "");
    if (isNames) return [[to, list]];
    note(from, "is not a list of names: no tool is left out");
    return [];
  });
  return lists.length === 0 ? undefined : Object.fromEntries(lists);
}

function left(name: string, path: string, reason: string): ImportedServer {
  return { name, notes: [{ path, reason }] };
}
