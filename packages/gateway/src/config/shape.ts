import type { Rule } from "@touchstone/core";
import { z } from "zod";
import { LOG_FORMATS, LOG_LEVELS } from "../log.ts";
import { DEFAULT_SETTINGS } from "../policy/settings.ts";
import { type ConfigFile, DEFAULT_ADDRESS, type ServerEntry } from "./config-file.ts";
import { DEFAULT_ACTIVITY, DEFAULT_LIMITS } from "./defaults.ts";

const TYPES = ["stdio", "http", "streamable-http", "streamableHttp"] as const;
const MODES = ["off", "warn", "strict"] as const;
const ALLOW_OR_BLOCK = ["allow", "block"] as const;
const TREATMENTS = ["violation", "warning", "ignore"] as const;
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_DEPTH = 10_000;
const MAX_SECONDS = 86_400;

/* Each error text is the end of a sentence that begins with the place: "… must be a string". */
const text = () => z.string("must be a string");
const list = () => z.array(text(), "must be an array of strings");
const map = () => z.record(z.string(), text(), "must be an object whose values are strings");
const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, "must be an object");
const whole = (minimum: number, maximum: number, standard: number, description: string) => {
  const error = `must be an integer from ${minimum} to ${maximum}`;
  const schema = z.int(error).min(minimum, error).max(maximum, error);
  return schema.optional().meta({ description, default: standard });
};
const limit = (description: string) => {
  const error = `must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`;
  return z.int(error).min(1, error).optional().meta({ description });
};
const seconds = (maximum: number, description: string) => {
  const error = `must be a number of seconds above 0, at most ${maximum}`;
  return z.number(error).positive(error).max(maximum, error).optional().meta({ description });
};
const oneOf = (values: readonly string[]) =>
  `must be one of ${values.map((value) => `"${value}"`).join(", ")}`;
const choice = <const Values extends readonly string[]>(
  values: Values,
  standard: Values[number],
  description: string,
) => {
  return z.enum(values, oneOf(values)).optional().meta({ description, default: standard });
};

const mode = (what: string) =>
  choice(MODES, "warn", `${what}: off checks nothing, warn records failures, strict blocks them`);
const rule = (name: Rule) =>
  choice(TREATMENTS, "violation", `How issues of the class "${name}" count`);
const input = {
  max_bytes: whole(
    1,
    MAX_BYTES,
    DEFAULT_SETTINGS.input.maxBytes,
    "Largest payload to judge, bytes",
  ),
  max_depth: whole(
    1,
    MAX_DEPTH,
    DEFAULT_SETTINGS.input.maxDepth,
    "Deepest payload to judge, levels",
  ),
  on_invalid_schema: choice(ALLOW_OR_BLOCK, "allow", "Strict only: tools whose schema is unusable"),
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
  } satisfies Record<Rule, unknown>).optional(),
};
const sections = {
  input_validation: section({ mode: mode("Arguments of calls"), ...input }).optional(),
  output_validation: section({
    mode: mode("Structured results of calls"),
    ...input,
    missing_structured_content: choice(
      ALLOW_OR_BLOCK,
      "allow",
      "Strict only: an output schema is declared and nothing structured is returned",
    ),
  }).optional(),
  protocol_validation: section({
    mode: mode("JSON-RPC and MCP messages"),
    max_bytes: whole(
      1,
      MAX_BYTES,
      DEFAULT_SETTINGS.protocol.maxBytes,
      "Beyond it only a message's envelope is judged, bytes",
    ),
  }).optional(),
};
const forwardAuthorization = () =>
  z.boolean("must be true or false").optional().meta({
    description: "A client's Authorization header goes on to servers that are reached by URL",
    default: false,
  });
const capability = () =>
  choice(["pass", "add"], "pass", "add: offer validation of calls for servers that do not");
const server = z
  .looseObject(
    {
      // The old transport is told apart from a typing error where the upstream is made.
      type: z
        .enum([...TYPES, "sse"], oneOf(TYPES))
        .optional()
        .meta({ enum: TYPES }),
      command: text().optional().meta({ description: "Program of a stdio server" }),
      args: list().optional(),
      env: map().optional().meta({ description: "Added to the safe part of the environment" }),
      cwd: text().optional(),
      url: text().optional().meta({ description: "URL of a Streamable HTTP server" }),
      headers: map().optional(),
      disabled: z.boolean("must be true or false").optional(),
      touchstone: section({
        ...sections,
        forward_authorization: forwardAuthorization(),
        capability: capability(),
        tools: z.record(z.string(), section(sections), "must be an object").optional(),
      }).optional(),
    },
    "must be an object",
  )
  .meta({ oneOf: [{ required: ["command"] }, { required: ["url"] }] });
const servers = z.record(z.string(), server, "must be an object");
const file = section({
  $schema: text().optional(),
  mcpServers: servers.optional(),
  ...sections,
  forward_authorization: forwardAuthorization(),
  capability: capability(),
  activity: section({
    sync: choice(["normal", "full"], DEFAULT_ACTIVITY.sync, "full also survives a loss of power"),
    store: text()
      .regex(/^postgres(?:ql)?:\/\/./, "must be a postgres:// or postgresql:// URL")
      .optional()
      .meta({ description: "A PostgreSQL URL; SQLite in the data directory without one" }),
    bodies: z
      .boolean("must be true or false")
      .optional()
      .meta({ description: "Keep arguments and results, redacted", default: false }),
    body_max_bytes: whole(
      1,
      MAX_BYTES,
      DEFAULT_ACTIVITY.bodyMaxBytes,
      "Longer bodies are cut, bytes",
    ),
    on_write_failure: choice(
      ["refuse", "continue"],
      DEFAULT_ACTIVITY.onWriteFailure,
      "What happens to a message whose record cannot be kept",
    ),
    drift: z.boolean("must be true or false").optional().meta({
      description: "Keep what structured results are like: names and types, never values",
      default: false,
    }),
    retention_days: whole(
      1,
      36_500,
      DEFAULT_ACTIVITY.retentionDays,
      "Older records are removed, days",
    ),
    max_records: limit("Beyond this many the oldest records are removed"),
    max_bytes: limit("Beyond this size the oldest records are removed, bytes"),
  }).optional(),
  limits: section({
    request_bytes: whole(1, MAX_BYTES, DEFAULT_LIMITS.requestBytes, "Largest request of a client"),
    upstream_frame_bytes: whole(
      1,
      MAX_BYTES,
      DEFAULT_LIMITS.upstreamFrameBytes,
      "Largest message of an upstream",
    ),
    sessions: whole(1, 100_000, DEFAULT_LIMITS.sessions, "Sessions of one server at a time"),
    children: whole(1, 100_000, DEFAULT_LIMITS.children, "Child processes at a time"),
    concurrent_calls: limit("Tool calls under way at one server"),
    call_timeout: seconds(MAX_SECONDS, "Longest wait for the answer to a tool call, seconds"),
  }).optional(),
  http: section({
    allow_execute: z
      .boolean("must be true or false")
      .optional()
      .meta({ description: "Let the HTTP tool API run tools", default: false }),
  }).optional(),
  listen: section({
    address: text()
      .optional()
      .meta({ description: "HOST:PORT or [IPV6]:PORT", default: DEFAULT_ADDRESS }),
    allowed_hosts: list().optional().meta({ description: "Host values besides loopback names" }),
    allowed_origins: list().optional().meta({ description: "Origins besides loopback origins" }),
  }).optional(),
  telemetry: section({
    metrics: z
      .boolean("must be true or false")
      .optional()
      .meta({ description: "Serve GET /metrics for Prometheus", default: false }),
    otlp: z.boolean("must be true or false").optional().meta({
      description:
        "Send traces and metrics by OTLP; without this key where OTEL_* variables ask for it",
    }),
  }).optional(),
  logging: section({
    format: choice(
      LOG_FORMATS,
      "text",
      "Form of the log on stderr: lines for people, or JSON Lines",
    ),
    level: choice(LOG_LEVELS, "info", "Least severe lines of the log"),
  }).optional(),
  auth: section({
    api_key: text().optional().meta({ description: "Required to listen beyond loopback" }),
  }).optional(),
});

/** A value that has the shape of a file or of a list of servers, or what is wrong with it. */
export type Shaped<T> = { readonly value: T } | { readonly issues: readonly z.core.$ZodIssue[] };

/** Types, allowed values and unknown keys of a whole file. Foreign keys of entries are let pass. */
export function shapeOfFile(value: unknown): Shaped<ConfigFile> {
  return shaped<ConfigFile>(file, value);
}

/** The same for a client's list of servers. */
export function shapeOfServers(value: unknown): Shaped<Readonly<Record<string, ServerEntry>>> {
  return shaped<Readonly<Record<string, ServerEntry>>>(servers, value);
}

function shaped<T>(schema: z.ZodType<T>, value: unknown): Shaped<T> {
  const result = schema.safeParse(value);
  return result.success ? { value: result.data } : { issues: result.error.issues };
}

/**
 * The JSON Schema (2020-12) of `touchstone.json`, for editors. It knows keys, types, allowed values
 * and defaults. It does not know `${NAME}`, addresses, URLs and what only holds between keys.
 */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(file, { target: "draft-2020-12", io: "input" });
  return { $schema, title: "touchstone.json", ...schema };
}

let editorSchema: unknown;

/** The keys that the object at a path of `touchstone.json` may have; none where any may stand. */
export function knownKeys(path: readonly (string | number)[]): readonly string[] {
  editorSchema ??= configJsonSchema();
  let schema = editorSchema;
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
