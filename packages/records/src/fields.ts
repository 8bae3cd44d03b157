/**
 * The fields of a record, each declared once, in the order of tables and exports. Everything else is derived from
 * this table: the types `ActivityRecord` and `ActivityEntry`, how an entry becomes a record, the columns of both
 * databases, filters, exports, the description of the HTTP API, and the views of the command and the console.
 *
 * A field that declares only its `schema` is absent from the record, and so from its hash, if unset. Such a field
 * does not have a separate column: column `extra` holds it, so it needs no migration. Declare new fields before
 * `prev_hash`.
 */
export const FIELDS = {
  id: {
    schema: { type: "string", description: "ULID: sorts by time." },
    unset: "never",
    from: "log",
    column: "text",
    list: "always",
    ecs: ["event.id"],
    ocsf: ["metadata.uid"],
    otlp: "log.record.uid",
  },
  time: {
    schema: { type: "string", format: "date-time" },
    unset: "never",
    from: "log",
    column: "text",
    list: "always",
    ecs: ["@timestamp"],
    ocsf: ["metadata.original_time"],
  },
  type: {
    schema: {
      type: "string",
      enum: [
        "tool_call",
        "policy_decision",
        "schema_change",
        "list_change",
        "server_change",
        "config_change",
        "system_start",
        "system_stop",
      ],
    },
    unset: "never",
    column: "text",
    filter: {
      name: "type",
      scope: "types",
      option: "-t, --type <types>",
      help: "types, as a comma list (tool_call, policy_decision, ...)",
    },
    list: "always",
    ecs: ["event.action"],
    ocsf: ["activity_name", "metadata.event_code"],
  },
  source: {
    schema: { type: "string", enum: ["gateway", "http", "cli", "runner"] },
    unset: "never",
    column: "text",
    list: "wide",
    ecs: ["event.provider"],
  },
  /** The server's name in the configuration, or `--name`. */
  server: {
    schema: { type: "string" },
    unset: "null",
    column: "text",
    filter: {
      name: "server",
      scope: "server",
      option: "-s, --server <name>",
      help: "name of the server",
    },
    list: "always",
    ecs: ["service.name"],
    ocsf: ["api.service.name"],
    otlp: "touchstone.server.name",
  },
  tool: {
    schema: { type: "string" },
    unset: "null",
    column: "text",
    filter: { name: "tool", scope: "tool", option: "--tool <name>", help: "name of the tool" },
    list: "always",
    ocsf: ["api.operation"],
    otlp: "gen_ai.tool.name",
  },
  direction: {
    schema: { type: "string", enum: ["input", "output", "protocol"] },
    unset: "null",
    column: "text",
    filter: { name: "direction", scope: "directions", option: "--direction <directions>" },
    list: "always",
  },
  mode: {
    schema: { type: "string", enum: ["off", "warn", "strict"] },
    unset: "null",
    column: "text",
    list: "always",
  },
  decision: {
    schema: { type: "string", enum: ["allowed", "warning", "repaired", "blocked"] },
    unset: "null",
    column: "text",
    filter: { name: "decision", scope: "decisions", option: "--decision <decisions>" },
    list: "always",
  },
  /**
   * How a call ended; for a decision, the decision itself. `error`: the server failed. `denied`, `held` and
   * `out_of_bounds`: policy, pins and narrow blocked it. `limited`: it was over a configured limit. `rejected`: the
   * gateway had no capacity for it.
   */
  status: {
    schema: {
      type: "string",
      enum: [
        "success",
        "error",
        "blocked",
        "warning",
        "repaired",
        "denied",
        "held",
        "out_of_bounds",
        "limited",
        "rejected",
      ],
    },
    unset: "null",
    column: "text",
    filter: { name: "status", scope: "statuses", option: "--status <statuses>" },
    list: "always",
  },
  outcome: {
    schema: {
      type: "string",
      enum: [
        "pass",
        "violation",
        "guard",
        "budget",
        "missing",
        "uncompilable",
        "unknown",
        "skipped",
      ],
    },
    unset: "null",
    column: "text",
    filter: { name: "outcome", scope: "outcomes", option: "--outcome <outcomes>" },
    list: "wide",
  },
  reason: {
    personal: true,
    schema: { type: "string", description: "One line for people." },
    unset: "null",
    from: "prose",
    column: "text",
    list: "always",
    ecs: ["event.reason"],
    ocsf: ["status_detail"],
  },
  issues: {
    personal: true,
    schema: { type: "array", items: { $ref: "#/components/schemas/Issue" } },
    unset: "never",
    column: "json",
    list: "wide",
  },
  /** Absent if no guard tripped. */
  guard: {
    schema: {
      type: "object",
      required: ["guard", "limit", "actual"],
      properties: {
        guard: { type: "string", enum: ["maxBytes", "maxDepth", "maxKeys", "maxBatch"] },
        limit: { type: "number" },
        actual: { type: "number" },
      },
      additionalProperties: false,
    },
    column: "json",
  },
  schema_hash: {
    schema: {
      type: "string",
      description: "sha256: and a hex digest, of the schema that was applied.",
    },
    unset: "null",
    column: "text",
  },
  client: {
    personal: true,
    schema: { type: "string", description: "name/version as the client introduced itself." },
    unset: "null",
    column: "text",
    filter: {
      name: "client",
      scope: "client",
      option: "--client <name>",
      help: "client, as name/version",
    },
    list: "wide",
    ecs: ["user_agent.original"],
    // Split into name and version in `export/ocsf.ts`.
    ocsf: [],
  },
  /** Absent if the gateway does not identify callers. */
  caller: {
    personal: true,
    schema: {
      type: "string",
      description:
        "Who called, as the gateway identified it: the name of a key, a token, or --caller.",
    },
    column: "text",
    filter: {
      name: "caller",
      scope: "caller",
      option: "--caller <name>",
      help: "who called, by the name of a key or token",
    },
    list: "wide",
    ecs: ["user.name"],
    ocsf: ["actor.user.name"],
    otlp: "enduser.id",
  },
  /** The id itself is never stored. */
  session: {
    personal: true,
    schema: { type: "string", description: "sha256: and a hex digest, of the session's id." },
    unset: "null",
    column: "text",
    filter: {
      name: "session",
      scope: "session",
      option: "--session <id>",
      help: "session id, or its stored hash",
    },
    ocsf: ["actor.session.uid"],
    otlp: "mcp.session.id",
  },
  request_id: {
    schema: { type: "string", description: "Links the records of one request." },
    unset: "null",
    column: "text",
    filter: {
      name: "request",
      scope: "request",
      option: "--request <id>",
      help: "id that links the records of one request",
    },
    label: "request",
    list: "wide",
    ocsf: ["metadata.correlation_uid", "api.request.uid"],
  },
  /** Size of the request's frame. */
  bytes_in: {
    schema: { type: "integer", minimum: 0 },
    unset: "null",
    column: "integer",
    list: "wide",
    ecs: ["http.request.bytes"],
  },
  /** Size of the response's frame. */
  bytes_out: {
    schema: { type: "integer", minimum: 0 },
    unset: "null",
    column: "integer",
    list: "wide",
    ecs: ["http.response.bytes"],
  },
  duration_ms: {
    schema: { type: "number", minimum: 0 },
    unset: "null",
    column: "real",
    label: "duration",
    unit: "ms",
    list: "wide",
    ecs: ["event.duration"],
    ocsf: ["duration"],
  },
  /** Kept only if the store keeps bodies, like `result`. */
  arguments: {
    personal: true,
    schema: {
      type: "string",
      description: "JSON text, without what looks like a secret; cut text ends in an ellipsis.",
    },
    from: "body",
    column: "text",
  },
  result: {
    personal: true,
    schema: { type: "string", description: "Kept like arguments." },
    from: "body",
    column: "text",
  },
  /** Absent if there were none and no body was kept. */
  redactions: {
    schema: { type: "integer", minimum: 0, description: "How many secrets were removed." },
    from: "log",
    column: "integer",
  },
  /** Absent if `issues` is complete. */
  truncated: {
    schema: {
      type: "integer",
      minimum: 0,
      description: "How many issues there were besides those in issues.",
    },
    column: "integer",
    label: "issues left out",
  },
  previous_schema_hash: {
    schema: {
      type: "string",
      description: "Of a changed tool: digest of the previous schema (sha256: and hex).",
    },
    column: "text",
    label: "schema before",
  },
  repairs: {
    personal: true,
    schema: { type: "string", description: "Which arguments were repaired, and how." },
    from: "prose",
  },
  adapt: {
    personal: true,
    schema: {
      type: "string",
      description: "What adapt changed in arguments and result.",
    },
    from: "prose",
  },
  bridged: {
    schema: {
      type: "string",
      description:
        "Of a call that crossed a bridge: the client's revision and the server's, such as 2025-11-25>2026-07-28.",
    },
  },
  /** Kept like arguments. */
  patch: {
    personal: true,
    schema: {
      type: "string",
      description: "JSON Patch (RFC 6902) of the received arguments. Kept like arguments.",
    },
    from: "body",
  },
  /** For a decision that blocked: a text without values of the payload, kept even without bodies. */
  response_text: {
    personal: true,
    schema: {
      type: "string",
      description: "The text that the client received instead; cut text ends in an ellipsis.",
    },
    from: "prose",
    maxBytes: 4_096,
    label: "received",
  },
  /** The evidence for rows of table `pins`: `approval-digest.ts`. */
  approvals: {
    schema: {
      type: "string",
      description: "Digests of the approvals that the record made, withdrew or carries on.",
    },
    from: "digests",
  },
  /** Absent unless both schemas of a tool changed, like the hashes of the second one. */
  both_schemas: {
    schema: {
      type: "boolean",
      description: "Of a schema_change: true if the input and the output schema changed.",
    },
  },
  output_schema_hash: {
    schema: {
      type: "string",
      description: "Of a schema_change of both schemas: SHA-256 of the output schema.",
    },
  },
  previous_output_schema_hash: {
    schema: {
      type: "string",
      description: "Of a schema_change of both schemas: SHA-256 of the previous output schema.",
    },
  },
  /** Absent from records of other types, and from those of earlier builds: what they checked is unknown. */
  checks: {
    schema: {
      type: "string",
      description:
        "Of a call: each direction that was checked, in which mode, and the outcome, such as input warn pass, output strict violation, output warn uncompilable external_reference, output warn missing block (strict blocks results without structured content); none if no direction was. After the outcome, less, more or mixed with a digest of the settings if a check looked for something else than by default, and the kinds of repairs that were made.",
    },
  },
  /** Set for a change of the configuration or of an approval, like the four fields below it. */
  actor: {
    personal: true,
    schema: {
      type: "string",
      description:
        "How the person who made a change was identified: auth.admin_key, auth.keys, access token, operator token, file PATH, user NAME.",
    },
  },
  role: {
    schema: {
      type: "string",
      enum: ["caller", "viewer", "admin"],
      description: "The role of the person who made a change over HTTP.",
    },
  },
  address: {
    personal: true,
    schema: { type: "string", description: "The IP address that a change over HTTP came from." },
  },
  changes: {
    schema: {
      type: "string",
      description:
        "The changed settings, each as SETTING: BEFORE → AFTER, without secrets; cut text ends in an ellipsis.",
    },
    from: "prose",
    maxBytes: 4_096,
  },
  given_reason: {
    personal: true,
    schema: { type: "string", description: "The reason that was given for the change." },
    from: "prose",
    label: "reason given",
  },
  /** Absent from records of earlier builds. */
  revision: {
    schema: {
      type: "string",
      description: "Of a schema_change: the MCP revision in which the server listed its tools.",
    },
  },
  /** The evidence for erased records: `erased-record.ts`. */
  erasures: {
    schema: {
      type: "string",
      description: "Digests of what is left of the records that the record erased.",
    },
    from: "digests",
  },
  /** Absent if the record names nobody and has no bodies. Without it, nobody can confirm a guessed name by the hash. */
  salt: {
    personal: true,
    schema: {
      type: "string",
      description: "Random text that keeps others from guessing what was hashed.",
    },
    from: "log",
    // Not sent, because data that has left the gateway cannot be erased.
    otlp: false,
  },
  /** Absent unless the record's content about a person was erased. */
  erased: {
    schema: { type: "boolean", description: "Whether its content about a person was erased." },
    from: "log",
  },
  /** Hash of the previous record of the chain; 64 zeros for a chain's first record. */
  prev_hash: {
    schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
    unset: "never",
    from: "log",
    column: "text",
  },
  /** SHA-256 over the record without `hash`, in canonical JSON (RFC 8785), in hex. */
  hash: {
    schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
    unset: "never",
    from: "log",
    column: "text",
    ecs: ["event.hash"],
  },
} as const;

/** The declaration of a field. */
export interface Field {
  /** JSON Schema of its values. Types, bounds and the HTTP API's description follow from it. */
  readonly schema: FieldSchema;
  /**
   * The value of an unset field; default: absent. The original fields are `null` if unset, because the hash covers
   * that.
   */
  readonly unset?: "null" | "never";
  /**
   * Where its value comes from. Default: from the entry, with names cut to their bound, without secrets of the
   * configuration, and counts and numbers checked. `prose` is text for people, without secrets. `body` is JSON text
   * as bytes, kept if the store keeps bodies. `digests` is a text in the format of `approval-digest.ts`. `log` is set
   * by the log itself, not by an entry.
   */
  readonly from?: "prose" | "body" | "digests" | "log";
  /** Whether it may contain something about a person, and is erased for that person: `erased-record.ts`. */
  readonly personal?: true;
  /** Most bytes of UTF-8 of its prose; by default prose is cut to 2,048 UTF-16 code units. */
  readonly maxBytes?: number;
  /** Its own column in table `activity`, which raises `LAYOUT_VERSION`. If absent, column `extra` holds it. */
  readonly column?: "text" | "integer" | "real" | "json";
  /** How listings filter by it, which needs a column: a comma list if its values are an enumeration. */
  readonly filter?: {
    /** The name of the parameter in a query string. */
    readonly name: string;
    /** The command's option. */
    readonly option: string;
    /** The member of `ActivityScope`. */
    readonly scope: string;
    /** Its text in the command's help; default: the allowed values. */
    readonly help?: string;
  };
  /** Its label for people; default: the name with spaces. */
  readonly label?: string;
  readonly unit?: string;
  /** Whether the command's lists have a column for it: `always`, or only with `--wide`. Absent: no column. */
  readonly list?: "always" | "wide";
  /** Its places in the Elastic Common Schema; default: its name under `touchstone`. */
  readonly ecs?: readonly string[];
  /** Its places in OCSF's API Activity; default: its name under `unmapped`. */
  readonly ocsf?: readonly string[];
  /** Its attribute in OpenTelemetry's log records; default: its name after `touchstone.`. False: it is not sent. */
  readonly otlp?: string | false;
}

/** A JSON Schema, as in the HTTP API's description. */
export interface FieldSchema {
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly [keyword: string]: unknown;
}
