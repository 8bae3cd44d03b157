import type { Rule } from "@touchstone/core";
import { LOG_FORMATS, LOG_LEVELS } from "../log.ts";
import { DEFAULT_SETTINGS } from "../policy/settings.ts";
import { type ConfigFile, DEFAULT_ADDRESS, type ServerEntry } from "./config-file.ts";
import { DEFAULT_ACTIVITY, DEFAULT_LIMITS } from "./defaults.ts";
import type { JsonValue } from "./document.ts";
import {
  choice,
  flag,
  list,
  map,
  type Shape,
  type ShapeIssue,
  seconds,
  section,
  text,
  whole,
} from "./shapes.ts";

const TYPES = ["stdio", "http", "streamable-http", "streamableHttp"] as const;
const MODES = ["off", "warn", "strict"] as const;
const ALLOW_OR_BLOCK = ["allow", "block"] as const;
const TREATMENTS = ["violation", "warning", "ignore"] as const;
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_DEPTH = 10_000;
const MAX_SECONDS = 86_400;

const texts = (description?: string) =>
  list(text(), description === undefined ? {} : { description }, "must be an array of strings");
const textMap = (description?: string) =>
  map(
    text(),
    description === undefined ? {} : { description },
    "must be an object whose values are strings",
  );
const size = (maximum: number, standard: number, description: string) =>
  whole(1, maximum, { description, default: standard });
const limit = (description: string) => whole(1, Number.MAX_SAFE_INTEGER, { description });
const oneOf = <const Values extends readonly string[]>(
  values: Values,
  standard: Values[number],
  description: string,
) => choice(values, { description, default: standard });

const mode = (what: string) =>
  oneOf(MODES, "warn", `${what}: off checks nothing, warn records failures, strict blocks them`);
const rule = (name: Rule) =>
  oneOf(TREATMENTS, "violation", `How issues of the class "${name}" count`);
const input = {
  max_bytes: size(MAX_BYTES, DEFAULT_SETTINGS.input.maxBytes, "Largest payload to judge, bytes"),
  max_depth: size(MAX_DEPTH, DEFAULT_SETTINGS.input.maxDepth, "Deepest payload to judge, levels"),
  on_invalid_schema: oneOf(ALLOW_OR_BLOCK, "allow", "Strict only: tools whose schema is unusable"),
  rules: section({
    type: rule("type"),
    required: rule("required"),
    extra: rule("extra"),
    value: rule("value"),
    format: rule("format"),
    number: rule("number"),
    duplicate: rule("duplicate"),
    guard: rule("guard"),
    schema: rule("schema"),
    protocol: rule("protocol"),
  } satisfies Record<Rule, unknown>),
};
const sections = {
  input_validation: section({ mode: mode("Arguments of calls"), ...input }),
  output_validation: section({
    mode: mode("Structured results of calls"),
    ...input,
    missing_structured_content: oneOf(
      ALLOW_OR_BLOCK,
      "allow",
      "Strict only: an output schema is declared and nothing structured is returned",
    ),
  }),
  protocol_validation: section({
    mode: mode("JSON-RPC and MCP messages"),
    max_bytes: size(
      MAX_BYTES,
      DEFAULT_SETTINGS.protocol.maxBytes,
      "Beyond it only a message's envelope is judged, bytes",
    ),
  }),
};
const forwardAuthorization = () =>
  flag({
    description: "A client's Authorization header goes on to servers that are reached by URL",
    default: false,
  });
const capability = () =>
  oneOf(["pass", "add"], "pass", "add: offer validation of calls for servers that do not");
const server = section(
  {
    // The old transport is told apart from a typing error where the upstream is made.
    type: choice([...TYPES, "sse"], {}, TYPES),
    command: text({ description: "Program of a stdio server" }),
    args: texts(),
    env: textMap("Added to the safe part of the environment"),
    cwd: text(),
    url: text({ description: "URL of a Streamable HTTP server" }),
    headers: textMap(),
    disabled: flag(),
    touchstone: section({
      ...sections,
      forward_authorization: forwardAuthorization(),
      capability: capability(),
      tools: map(section(sections)),
    }),
  },
  "others",
  { oneOf: [{ required: ["command"] }, { required: ["url"] }] },
);
const servers = map(server);
const file = section({
  $schema: text(),
  mcpServers: servers,
  ...sections,
  forward_authorization: forwardAuthorization(),
  capability: capability(),
  activity: section({
    sync: oneOf(["normal", "full"], DEFAULT_ACTIVITY.sync, "full also survives a loss of power"),
    store: text(
      { description: "A PostgreSQL URL; SQLite in the data directory without one" },
      /^postgres(?:ql)?:\/\/./,
      "must be a postgres:// or postgresql:// URL",
    ),
    bodies: flag({ description: "Keep arguments and results, redacted", default: false }),
    body_max_bytes: size(MAX_BYTES, DEFAULT_ACTIVITY.bodyMaxBytes, "Longer bodies are cut, bytes"),
    on_write_failure: oneOf(
      ["refuse", "continue"],
      DEFAULT_ACTIVITY.onWriteFailure,
      "What happens to a message whose record cannot be kept",
    ),
    drift: flag({
      description: "Keep what structured results are like: names and types, never values",
      default: false,
    }),
    retention_days: size(36_500, DEFAULT_ACTIVITY.retentionDays, "Older records are removed, days"),
    max_records: limit("Beyond this many the oldest records are removed"),
    max_bytes: limit("Beyond this size the oldest records are removed, bytes"),
  }),
  limits: section({
    request_bytes: size(MAX_BYTES, DEFAULT_LIMITS.requestBytes, "Largest request of a client"),
    upstream_frame_bytes: size(
      MAX_BYTES,
      DEFAULT_LIMITS.upstreamFrameBytes,
      "Largest message of an upstream",
    ),
    sessions: size(100_000, DEFAULT_LIMITS.sessions, "Sessions of one server at a time"),
    children: size(100_000, DEFAULT_LIMITS.children, "Child processes at a time"),
    concurrent_calls: limit("Tool calls under way at one server"),
    call_timeout: seconds(MAX_SECONDS, {
      description: "Longest wait for the answer to a tool call, seconds",
    }),
  }),
  http: section({
    allow_execute: flag({ description: "Let the HTTP tool API run tools", default: false }),
  }),
  listen: section({
    address: text({ description: "HOST:PORT or [IPV6]:PORT", default: DEFAULT_ADDRESS }),
    allowed_hosts: texts("Host values besides loopback names"),
    allowed_origins: texts("Origins besides loopback origins"),
  }),
  telemetry: section({
    metrics: flag({ description: "Serve GET /metrics for Prometheus", default: false }),
    otlp: flag({
      description:
        "Send traces and metrics by OTLP; without this key where OTEL_* variables ask for it",
    }),
  }),
  logging: section({
    format: oneOf(
      LOG_FORMATS,
      "text",
      "Form of the log on stderr: lines for people, or JSON Lines",
    ),
    level: oneOf(LOG_LEVELS, "info", "Least severe lines of the log"),
  }),
  auth: section({
    api_key: text({ description: "Required to listen beyond loopback" }),
  }),
});

/** A value that has the shape of a file or of a list of servers, or what is wrong with it. */
export type Shaped<T> = { readonly value: T } | { readonly issues: readonly ShapeIssue[] };

/** Types, allowed values and unknown keys of a whole file. Foreign keys of entries are let pass. */
export function shapeOfFile(value: JsonValue): Shaped<ConfigFile> {
  return shaped<ConfigFile>(file, value);
}

/** The same for a client's list of servers. */
export function shapeOfServers(value: JsonValue): Shaped<Readonly<Record<string, ServerEntry>>> {
  return shaped<Readonly<Record<string, ServerEntry>>>(servers, value);
}

function shaped<T>({ check }: Shape<T>, value: JsonValue): Shaped<T> {
  const issues: ShapeIssue[] = [];
  check(value, [], (issue) => issues.push(issue));
  return issues.length === 0 ? { value: value as T } : { issues };
}

/**
 * The JSON Schema (2020-12) of `touchstone.json`, for editors. It knows keys, types, allowed values
 * and defaults. It does not know `${NAME}`, addresses, URLs and what only holds between keys.
 */
export function configJsonSchema(): Record<string, unknown> {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return { $schema, title: "touchstone.json", ...file.schema };
}

/** The keys that the object at a path of `touchstone.json` may have; none where any may stand. */
export function knownKeys(path: readonly (string | number)[]): readonly string[] {
  let schema: unknown = file.schema;
  for (const step of path) {
    schema = member(member(schema, "properties"), step) ?? member(schema, "additionalProperties");
  }
  const properties = member(schema, "properties");
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

function member(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key];
}
