import { LOG_FORMATS, LOG_LEVELS } from "../../util/log.ts";
import {
  ALERT_EVENTS,
  type ConfigFile,
  DEFAULT_ADDRESS,
  type ServerEntry,
} from "../config-file.ts";
import { DEFAULT_ACTIVITY, DEFAULT_LIMITS } from "../defaults.ts";
import { choice, flag, list, map, type Shape, seconds, section, text } from "./kinds.ts";
import { SECTIONS } from "./validation.ts";
import { limit, MAX_BYTES, oneOf, size, textMap, texts } from "./values.ts";

const TYPES = ["stdio", "http", "streamable-http", "streamableHttp"] as const;
const MAX_SECONDS = 86_400;
const MAX_TOOLS_LIMIT = 1_000_000;
const MAX_KEYS = 100_000_000;

const forwardAuthorization = () =>
  flag({
    description: "A client's Authorization header goes on to servers that are reached by URL",
    default: false,
  });
const capability = () =>
  oneOf(["pass", "add"], "pass", "add: offer validation of calls for servers that do not");
/** A server's entry, but for what only holds between its keys. */
export const SERVER: Shape<ServerEntry> = section(
  {
    // The old transport is told apart from a typing error where the upstream is made.
    type: choice([...TYPES, "sse"], {}, TYPES),
    command: text({ description: "Program of a stdio server" }),
    args: texts(),
    env: textMap("Added to the safe part of the environment"),
    cwd: text(),
    url: text({ description: "URL of a Streamable HTTP server" }),
    httpUrl: text({ description: "Gemini CLI's name for url" }),
    serverUrl: text({ description: "Windsurf's name for url" }),
    headers: textMap(),
    disabled: flag(),
    enabled: flag({ description: "false: the same as disabled" }),
    isActive: flag({ description: "false: the same as disabled" }),
    touchstone: section({
      ...SECTIONS,
      forward_authorization: forwardAuthorization(),
      capability: capability(),
      tools: map(section(SECTIONS)),
    }),
  },
  "others",
);
/** A list of servers, as clients have it. Foreign keys of its entries are let pass. */
export const SERVERS: Shape<Readonly<Record<string, ServerEntry>>> = map(SERVER);
/** Every key of `touchstone.json`. */
export const FILE: Shape<ConfigFile> = section({
  $schema: text(),
  mcpServers: SERVERS,
  ...SECTIONS,
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
    object_keys: size(MAX_KEYS, DEFAULT_LIMITS.objectKeys, "Most keys of one object in a message"),
    message_keys: size(MAX_KEYS, DEFAULT_LIMITS.messageKeys, "Most keys of one message"),
    concurrent_calls: limit("Tool calls under way at one server"),
    tools: size(MAX_TOOLS_LIMIT, DEFAULT_LIMITS.tools, "Tools that are read of a server's list"),
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
  alerts: list(
    section({
      when: choice(ALERT_EVENTS, { description: "Which records are alerts" }),
      server: text({ description: "Only records of this server" }),
      tool: text({ description: "Only records of this tool" }),
      webhook: section({
        url: text({ description: "Where each alert is sent to" }),
        secret: text({ description: "Key of the signature of each request" }),
        format: oneOf(["json", "slack"], "json", "The record, or a text for Slack"),
      }),
      command: texts("A program and its arguments; the record is on its stdin"),
      min_interval: seconds(MAX_SECONDS, {
        description: "Least time between two alerts of this entry, seconds",
      }),
    }),
    { description: "Who hears of which records" },
    "must be an array",
  ),
  auth: section({
    api_key: text({ description: "Required to listen beyond loopback" }),
  }),
});
