import { readListenSetting } from "./listen.ts";
import { type ImportNote, isJsonObject, type Json, type JsonObject } from "./note.ts";
import { importServer } from "./server.ts";
import { IRRELEVANT_KEYS, SKIPPED_KEYS } from "./unsupported-keys.ts";

/** An mcpproxy configuration in Touchstone's format. */
export interface ImportedConfig {
  /** The contents for `touchstone.json`. */
  readonly config: JsonObject;
  /** Everything that was dropped or changed. */
  readonly notes: readonly ImportNote[];
  /** The environment variables that it references. */
  readonly variables: ReadonlySet<string>;
}

const MEBIBYTE = 1_048_576;
/** A duration in Go syntax: `2m`, `1m30s`, `500ms`. */
const DURATION = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/;

function seconds(text: Json): number | undefined {
  const match = typeof text === "string" && text !== "" ? DURATION.exec(text) : null;
  if (match === null) return undefined;
  const [hours = 0, minutes = 0, whole = 0, thousandths = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return hours * 3600 + minutes * 60 + whole + thousandths / 1000;
}

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;
const isString = (value: Json): boolean => typeof value === "string";
const isPositive = (value: Json): boolean => typeof value === "number" && value > 0;

/** The accepted values of each member of `output_validation`, and the values in Touchstone. */
const OUTPUT_VALIDATION: ReadonlyMap<string, readonly [(value: Json) => boolean, string]> = new Map(
  [
    ["mode", [isString, "a string"]],
    ["max_bytes", [isPositive, "a positive number"]],
    ["max_depth", [isPositive, "a positive number"]],
    ["missing_structured_content", [isString, "a string"]],
  ],
);

/** Reads the parts of a configuration one after another. */
class Import {
  readonly notes: ImportNote[] = [];
  readonly variables: Set<string> = new Set();
  readonly #from: JsonObject;
  readonly #read: Set<string> = new Set();

  constructor(from: JsonObject) {
    this.#from = from;
  }

  run(): JsonObject {
    const parts = { ...this.#listen(), ...this.#outputValidation(), ...this.#activity() };
    const limits = this.#limits();
    const mcpServers = this.#servers();
    for (const [key, value] of Object.entries(this.#from)) {
      if (this.#read.has(key) || value === null) continue;
      this.#note(key, SKIPPED_KEYS.get(key) ?? (IRRELEVANT_KEYS.has(key) ? OWN : UNKNOWN));
    }
    return { ...parts, ...limits, ...(mcpServers === undefined ? {} : { mcpServers }) };
  }

  #take(key: string): Json | undefined {
    this.#read.add(key);
    return Object.hasOwn(this.#from, key) ? this.#from[key] : undefined;
  }

  #note(path: string, reason: string): void {
    this.notes.push({ path, reason });
  }

  #positive(key: string): number | undefined {
    const value = this.#take(key);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    this.#note(key, "is not a number of at least 1: the default applies");
    return undefined;
  }

  #listen(): JsonObject {
    const { address, isBeyond: beyond, fault } = readListenSetting(this.#take("listen"));
    const key = this.#take("api_key");
    const required = this.#take("require_mcp_auth") === true;
    const hosts = this.#hosts();
    if (fault !== undefined) this.#note("listen", `${fault}; the default applies`);
    const asked = typeof key === "string" && key !== "";
    if (beyond && !asked) {
      this.#note(
        "listen",
        `${address} is not loopback, which needs auth.api_key: set one to listen there`,
      );
    } else if (asked && !beyond && !required) {
      this.#note(
        "api_key",
        "guards only mcpproxy's own REST API; here every client would have to send it",
      );
    }
    const withKey = asked && (beyond || required);
    const where = address !== undefined && (!beyond || asked) ? { address } : {};
    const section = { ...where, ...(hosts.length === 0 ? {} : { allowed_hosts: hosts }) };
    return {
      ...(Object.keys(section).length === 0 ? {} : { listen: section }),
      ...(withKey ? { auth: { api_key: key } } : {}),
    };
  }

  #hosts(): string[] {
    const hosts = this.#take("trusted_hosts");
    if (!Array.isArray(hosts)) {
      if (isGiven(hosts)) this.#note("trusted_hosts", "is not a list: no host is added");
      return [];
    }
    return hosts.flatMap((host, index) => {
      if (typeof host === "string" && /^[^*.][^*]*$/.test(host)) return [host];
      this.#note(`trusted_hosts/${index}`, "hosts are named one by one, without wildcards");
      return [];
    });
  }

  #outputValidation(): JsonObject {
    const section = this.#section("output_validation");
    if (section === undefined) return {};
    const read = Object.entries(section).filter(([name, value]) => {
      if (!isGiven(value) || value === "" || value === 0) return false;
      const [is, kind] = OUTPUT_VALIDATION.get(name) ?? [];
      if (is?.(value) === true) return true;
      const reason = kind === undefined ? UNKNOWN : `is not ${kind}: the default applies`;
      this.#note(`output_validation/${name}`, reason);
      return false;
    });
    return { output_validation: Object.fromEntries(read) };
  }

  /** Returns an object of the configuration; undefined if it is absent or, with a note, if it is not an object. */
  #section(key: string): JsonObject | undefined {
    const section = this.#take(key);
    if (isJsonObject(section)) return section;
    if (isGiven(section)) this.#note(key, "is not an object: the defaults apply");
    return undefined;
  }

  #activity(): JsonObject {
    const days = this.#positive("activity_retention_days");
    const records = this.#positive("activity_max_records");
    const size = this.#positive("activity_max_size_mb");
    const body = this.#positive("activity_max_response_size");
    if (body !== undefined) {
      this.#note(
        "activity_max_response_size",
        "limits bodies; activity.bodies sets which are kept, and activity.body_max_bytes how long they may be",
      );
    }
    const activity = {
      ...(days === undefined ? {} : { retention_days: days }),
      ...(records === undefined ? {} : { max_records: records }),
      ...(size === undefined ? {} : { max_bytes: size * MEBIBYTE }),
      ...(body === undefined ? {} : { body_max_bytes: body }),
    };
    return Object.keys(activity).length === 0 ? {} : { activity };
  }

  #limits(): JsonObject {
    const timeout = this.#take("call_tool_timeout");
    const time = timeout === undefined ? undefined : seconds(timeout);
    if (timeout !== undefined && time === undefined) {
      this.#note("call_tool_timeout", "is not a duration: calls have no time limit");
    }
    const defaults = this.#section("server_concurrency_defaults");
    const calls = defaults?.["max_concurrent_requests"];
    if (isGiven(calls) && typeof calls !== "number") {
      this.#note(
        "server_concurrency_defaults/max_concurrent_requests",
        "is not a number: calls have no such limit",
      );
    }
    if (Object.keys(defaults ?? {}).some((key) => key.startsWith("queue_"))) {
      this.#note("server_concurrency_defaults", "calls beyond the limit are refused, not queued");
    }
    const limits = {
      ...(time === undefined || time <= 0 ? {} : { call_timeout: time }),
      ...(typeof calls === "number" && calls > 0 ? { concurrent_calls: calls } : {}),
    };
    return Object.keys(limits).length === 0 ? {} : { limits };
  }

  #servers(): JsonObject | undefined {
    const servers = this.#take("mcpServers");
    if (servers === undefined || servers === null) return undefined;
    if (typeof servers !== "object") {
      this.#note("mcpServers", "is neither a list nor an object: no server is imported");
    }
    const listed: [string, Json][] = Array.isArray(servers)
      ? servers.map((server, index) => [String(index), server])
      : isJsonObject(servers)
        ? Object.entries(servers)
        : [];
    const entries: [string, JsonObject][] = [];
    for (const [key, server] of listed) {
      const imported = importServer(key, server, this.variables);
      for (const { path, reason } of imported.notes) this.#note(`mcpServers/${path}`, reason);
      if (imported.entry === undefined) continue;
      if (entries.some(([name]) => name === imported.name)) {
        this.#note(`mcpServers/${imported.name}`, "occurs twice; the first one is used");
      } else {
        entries.push([imported.name, imported.entry]);
      }
    }
    return Object.fromEntries(entries);
  }
}

const OWN = "is specific to mcpproxy and has no counterpart";
const UNKNOWN = "is not known to this import";

/** Converts an mcpproxy configuration. Never throws. */
export function importMcpproxy(from: JsonObject): ImportedConfig {
  const work = new Import(from);
  const config = work.run();
  return { config, notes: work.notes, variables: work.variables };
}
