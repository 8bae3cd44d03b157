import { DIRECTIONS, MODES, type Modes } from "../../config/edit/modes.ts";
import type { ConfigFault } from "../../config/faults.ts";
import type { PinSettings } from "../../contracts/pin-store.ts";
import type { ComparedGateway } from "../../fleet/gateways.ts";
import { LIST_STEPS } from "../../pipeline/stages/view.ts";
import type { CallLimit } from "../../policy/rate.ts";
import type { ResultLimit } from "../../policy/result-size.ts";
import type {
  AdaptSettings,
  Decision,
  InputCheckSettings,
  OutputCheckSettings,
  PolicySettings,
  ProtocolCheckSettings,
  SchemaCheckSettings,
  ToolRules,
  ValidationSettings,
} from "../../policy/settings.ts";
import type { ShownPin } from "../../records/approvals.ts";
import type { Erasure } from "../../records/erase/eraser.ts";
import { ROLES } from "../../transport/http/identity.ts";
import type { UpstreamState } from "../../upstreams/upstream-status.ts";
import type { ConfigAction, ServerEdit } from "../admin/actions.ts";
import type { ClientView, SeenStep, SeenTool } from "../admin/client-view.ts";
import type { Applied, Proposal } from "../admin/config-editor.ts";
import type { ContractFault } from "../admin/contract-faults.ts";
import type { ModesChanged } from "../admin/modes.ts";
import type { ServerDetail, ServerSummary, ShownContract, ShownPolicy } from "../admin/servers.ts";
import type { ShownCaller, ShownJwt, ShownLeftOut, ShownSettings } from "../admin/settings.ts";
import type { UnlistedTool } from "../admin/unlisted-tools.ts";
import type { CheckedCall, CheckedPart } from "../check-call.ts";
import {
  count,
  flag,
  type Json,
  list,
  members,
  moment,
  oneOf,
  orNull,
  ref,
  text,
} from "./json-schema.ts";
import { RECORD_SCHEMAS } from "./records.ts";

const mode = oneOf(MODES);
const DECISIONS = Object.keys({
  allowed: true,
  warning: true,
  repaired: true,
  blocked: true,
} satisfies Record<Decision, true>);
const hash = orNull(text("sha256: and a hex digest."));
const capability = oneOf(["pass", "add"]);
const STATES: Readonly<Record<UpstreamState, true>> = {
  idle: true,
  starting: true,
  running: true,
  failed: true,
  stopped: true,
};
const state = oneOf(Object.keys(STATES));
/** What a caller may do. */
const rights = {
  role: oneOf(ROLES),
  servers: list(text()),
  tools: list(text()),
  readOnly: flag,
};
const scalars: Json = {
  type: "object",
  additionalProperties: { type: ["string", "number", "boolean"] },
};

const checked = {
  mode,
  maxBytes: count(),
  maxDepth: count(),
  onInvalidSchema: oneOf(["allow", "block"]),
  onUnknownSchema: oneOf(["allow", "block"]),
  rules: { type: "object", additionalProperties: oneOf(["violation", "warning", "ignore"]) },
} satisfies { readonly [K in keyof SchemaCheckSettings]: Json };

/** The members of every server, however it is reached. */
const summary: Readonly<Record<Exclude<keyof ServerSummary, "transport">, Json>> = {
  name: text(),
  disabled: flag,
  state: oneOf([...Object.keys(STATES), "disabled", "wrapped"]),
  error: text("Why it failed; of a disabled one, why it could not be served."),
  since: moment("When the state began."),
  pausedUntil: moment("Until when its modes only warn; absent if its checks are not paused."),
  endpoint: text("Path of the MCP endpoint, relative to the gateway's root."),
  revisions: list(text()),
  sessions: count(),
  children: count("Child processes that run."),
  modes: ref("Modes"),
  capability,
  tools: orNull(count("How many tools are known; null before any list was seen.")),
  schemaFaults: orNull(count("How many of their schemas cannot be used.")),
};

/** How a server is reached: two forms. */
const UPSTREAMS: readonly Readonly<Record<string, Json>>[] = [
  { transport: { const: "stdio" }, command: text(), env: list(text("A variable's name.")) },
  { transport: { const: "http" }, url: text(), headers: list(text("A header's name.")) },
  { transport: { const: "wrap" } },
];

function server(more: Readonly<Record<string, Json>>): Json {
  const always = Object.keys({ ...summary, ...more }).filter(
    (name) => !["error", "since", "pausedUntil", "policy"].includes(name),
  );
  return {
    oneOf: UPSTREAMS.map((upstream) => ({
      type: "object",
      required: [...Object.keys(upstream), ...always],
      properties: { ...upstream, ...summary, ...more },
      additionalProperties: false,
    })),
  };
}

const callLimit = members<CallLimit>({
  level: oneOf(["top", "server", "tool", "caller"]),
  callsPerMinute: count(),
});
const resultLimit = members<ResultLimit>({
  level: oneOf(["top", "server", "tool", "caller"]),
  bytes: count(),
});
const toolRules = members<ToolRules>(
  {
    level: oneOf(["top", "server", "caller"]),
    allowTools: list(text()),
    denyTools: list(text()),
    readOnly: flag,
  },
  "allowTools",
  "denyTools",
  "readOnly",
);
const detail: Readonly<Record<Exclude<keyof ServerDetail, keyof ServerSummary>, Json>> = {
  own: ref("SomeModes"),
  contracts: list(ref("Contract")),
  unlisted: list(ref("UnlistedTool")),
  policy: members<ShownPolicy>(
    {
      mode,
      levels: list(toolRules),
      rates: list(callLimit),
      resultLimit,
      tools: list(
        members<ShownPolicy["tools"][number]>(
          {
            tool: text(),
            narrow: {
              type: "object",
              description: "As the file has it, with the names of variables.",
            },
            callsPerMinute: count(),
            resultBytes: count(),
          },
          "narrow",
          "callsPerMinute",
          "resultBytes",
        ),
      ),
    },
    "resultLimit",
  ),
};

/** Schemas of what the gateway returns and accepts besides its records, by name. */
const PIN = {
  server: text(),
  kind: oneOf(["tool", "instructions", "prompt", "resource_template"]),
  name: text("Empty for instructions."),
  hash: text("Of the whole declaration in canonical form."),
  state: oneOf(["approved", "held", "revoked"]),
  since: moment(),
  decided: orNull(text("When it was approved or revoked last, RFC 3339.")),
  caller: orNull(text("Who did that, if it is known.")),
  previous: orNull(text("Hash of what was approved under this name last.")),
};

const GATEWAY_SCHEMAS: Readonly<Record<string, Json>> = {
  Health: members<{ status: string }>({ status: { const: "ok" } }),
  Readiness: {
    type: "object",
    required: ["status"],
    properties: {
      status: oneOf(["ready", "stopping", "records cannot be kept", "records cannot be read"]),
      records: oneOf(["kept", "unreadable", "failing"]),
      servers: { type: "object", additionalProperties: state },
    },
    description: "records and servers only for those who may use the gateway.",
    additionalProperties: false,
  },
  Modes: members<Modes>({ input: mode, output: mode, protocol: mode }),
  SomeModes: members<Partial<Modes>>({ input: mode, output: mode, protocol: mode }, ...DIRECTIONS),
  Erasure: members<Erasure>({
    erasure: orNull(text("The label of the erasure in its records; null after a dry run.")),
    records: count("Records whose content was erased."),
    edited: count("Those of them that were changed before: verification still reports them."),
    unsalted: count("Those of them from before records had a salt."),
    approvals: count("Names of who approved."),
    requests: count("Open requests of the session, in PostgreSQL."),
    remains: list(text("What the store may still have, and what to do.")),
  }),
  ModeChange: {
    ...members<Partial<Modes> & { readonly reason?: string }>(
      {
        ...{ input: ref("NewMode"), output: ref("NewMode"), protocol: ref("NewMode") },
        reason: { ...text("Why, for the record of the change."), maxLength: 1000 },
      },
      ...DIRECTIONS,
      "reason",
    ),
    minProperties: 1,
    // A reason alone changes nothing.
    not: { type: "object", required: ["reason"], maxProperties: 1 },
  },
  NewMode: { enum: [...MODES, null], description: "null: the level above decides." },
  ModesChanged: members<ModesChanged>(
    {
      modes: ref("Modes"),
      overridden: list(oneOf(DIRECTIONS)),
      changes: list(text()),
      warning: text("That the server has not listed the tool, and which one may be meant."),
    },
    "warning",
  ),
  CheckedCall: members<CheckedCall>(
    {
      decision: oneOf(DECISIONS),
      input: ref("CheckedPart"),
      output: ref("CheckedPart"),
      arguments: { type: "object", description: "The repaired arguments, to be sent instead." },
      result: { type: "object", description: "The result as it was changed, to be used instead." },
    },
    "input",
    "output",
    "arguments",
    "result",
  ),
  CheckedPart: members<CheckedPart>(
    {
      decision: oneOf(DECISIONS),
      outcome: text("How the check ended; absent if policy allowed it."),
      reason: text("What is wrong in one line; absent if policy allowed it."),
      issues: list(ref("Issue")),
      text: text("What the model should read instead; absent unless it is blocked."),
      records: list(text("The id of a record.")),
    },
    "outcome",
    "reason",
    "text",
  ),
  ConfigAction: {
    oneOf: [
      members<Extract<ConfigAction, { readonly kind: "allow" }>>({
        kind: { const: "allow" },
        record: text("Id of a decision, or of its call."),
      }),
      members<Extract<ConfigAction, { readonly kind: "strict" }>>(
        {
          kind: { const: "strict" },
          server: text(),
          tool: text(),
          directions: list(oneOf(DIRECTIONS)),
        },
        "tool",
        "directions",
      ),
      members<Extract<ConfigAction, { readonly kind: "settings" }>>(
        {
          kind: { const: "settings" },
          server: text(),
          tool: text(),
          set: {
            type: "object",
            minProperties: 1,
            description: "By names such as activity.bodies; null removes a setting.",
          },
        },
        "server",
        "tool",
      ),
      members<Extract<ConfigAction, { readonly kind: "rules" }>>({
        kind: { const: "rules" },
        mcpServers: ref("SuggestedServers"),
      }),
      members<Extract<ConfigAction, { readonly kind: "server" }>>({
        kind: { const: "server" },
        name: { ...text(), minLength: 1 },
        entry: {
          ...members<ServerEdit>(
            {
              type: orNull(text()),
              command: orNull(text()),
              args: orNull(list(text())),
              cwd: orNull(text()),
              url: orNull(text()),
              env: orNull({ type: "object", additionalProperties: orNull(text()) }),
              headers: orNull({ type: "object", additionalProperties: orNull(text()) }),
              disabled: orNull(flag),
            },
            ...(["type", "command", "args", "cwd", "url", "env", "headers", "disabled"] as const),
          ),
          minProperties: 1,
          description: "What is absent keeps its value; null removes it.",
        },
      }),
    ],
  },
  ConfigProposal: members<Proposal>(
    {
      file: orNull(text("The name of the file, without its directory.")),
      hash: orNull(text("Of its text. An edit is made only if it is still the same.")),
      diff: text("In the unified format of diff, without secrets."),
      writable: flag,
      reason: text("Why it is not."),
      paste: ref("Paste"),
    },
    "reason",
    "paste",
  ),
  Paste: members<NonNullable<Proposal["paste"]>>({
    file: text("Where the lines belong."),
    text: text("JSON, to be added by hand."),
  }),
  ConfigEdit: members<Applied>({
    id: text("For undoing it."),
    hash: text(),
    diff: text(),
    changes: list(text("What took effect.")),
  }),
  ServerSummary: server({}),
  ServerDetail: server(detail),
  Contract: members<ShownContract>({
    tool: text(),
    revision: text("The MCP revision in which it was listed."),
    inputHash: hash,
    outputHash: hash,
    faults: list(
      members<ContractFault>({
        direction: oneOf(["input", "output"]),
        code: text(),
        message: text(),
        hint: text("What the server's author can do."),
      }),
    ),
    modes: ref("Modes"),
    own: ref("SomeModes"),
    refusedBy: orNull(oneOf(["allow_tools", "deny_tools", "read_only"])),
    repeated: {
      ...flag,
      description: "Whether the tool is listed more than once; this is the last declaration.",
    },
    learnedAt: moment(),
  }),
  UnlistedTool: members<UnlistedTool>(
    {
      tool: text("Has settings, but the server does not list it."),
      closest: text("The listed tool that was probably meant."),
      modes: ref("Modes"),
      own: ref("SomeModes"),
    },
    "closest",
  ),
  Settings: members<ShownSettings>({
    version: text("Of Touchstone."),
    node: text("Of Node.js."),
    startedAt: moment(),
    uptimeSeconds: count(),
    configuration: members<ShownSettings["configuration"]>(
      {
        file: orNull(text("The file's name without its directory.")),
        editable: flag,
        reason: text("Why it cannot be edited."),
        hash: text(),
        ignoredKeys: list(text()),
        leftOut: list(
          members<ShownLeftOut>({ server: text(), reason: text("Each fault with its place.") }),
        ),
      },
      "reason",
    ),
    writes: oneOf(["admin", "token", "off"]),
    listen: members<ShownSettings["listen"]>({
      host: text(),
      port: count(),
      allowedHosts: list(text()),
      allowedOrigins: list(text()),
    }),
    auth: members<ShownSettings["auth"]>(
      {
        apiKey: oneOf(["set", "unset"]),
        adminKey: oneOf(["set", "unset"]),
        callers: list(
          members<ShownCaller>(
            {
              name: text(),
              keys: count("How many keys it has."),
              ...rights,
              callsPerMinute: count(),
              resultBytes: count(),
            },
            "servers",
            "tools",
            "readOnly",
            "callsPerMinute",
            "resultBytes",
          ),
        ),
        jwt: members<ShownJwt>(
          { issuer: text(), audience: text(), nameClaim: text(), ...rights },
          "servers",
          "tools",
          "readOnly",
        ),
      },
      "jwt",
    ),
    http: members<ShownSettings["http"]>({ allowExecute: flag, editServers: flag }),
    capability,
    limits: scalars,
    activity: scalars,
    validation: members<ValidationSettings>(
      {
        pin: members<PinSettings>({ mode, lock: text() }, "lock"),
        input: members<Omit<InputCheckSettings, "repairOfTool">>({
          ...checked,
          repair: list(text("A kind of repair, or a name for several.")),
          undeclared: oneOf(["allow", "warning", "violation"]),
          undeclaredAt: oneOf(["root", "deep"]),
          showSchema: oneOf(["never", "small"]),
        }),
        output: members<OutputCheckSettings>({
          ...checked,
          missingStructuredContent: oneOf(["allow", "block"]),
        }),
        protocol: members<ProtocolCheckSettings>({ mode, maxBytes: count() }),
        rates: list(callLimit),
        resultLimit,
        policy: members<Omit<PolicySettings, "narrow">>(
          { mode, advertise: flag, levels: list(toolRules) },
          "advertise",
        ),
        adapt: members<AdaptSettings>(
          {
            unusableTools: oneOf(["pass", "leave_out"]),
            outputSchema: oneOf(["pass", "drop_unusable", "drop"]),
            pages: oneOf(["pass", "merge"]),
            for: list(text("A client or model provider, or auto.")),
            mirrorContent: flag,
            names: members<NonNullable<AdaptSettings["names"]>>({
              max: count(),
              prefixLength: count(),
            }),
            descriptions: members<AdaptSettings["descriptions"]>(
              { max: count(), stripHidden: flag },
              "max",
            ),
          },
          "names",
        ),
      },
      "pin",
      "rates",
      "resultLimit",
      "policy",
      "adapt",
    ),
    own: ref("SomeModes"),
  }),
  ClientView: members<ClientView>({
    server: text(),
    client: orNull(text()),
    caller: orNull(text()),
    listedAt: orNull(moment("When the server sent the list; null if it has sent none.")),
    partial: { type: "boolean", description: "The list has more than is kept of it." },
    tools: list(ref("SeenTool")),
  }),
  SeenTool: members<SeenTool>({
    name: orNull(text("The server's name for it.")),
    listedAs: orNull(text("The name that the client sees; null if it does not get the tool.")),
    state: oneOf(["same", "changed", "left_out"]),
    steps: list(ref("SeenStep")),
    diff: orNull(
      text("Lines as of diff -u, from the server's definition; null unless tool names it."),
    ),
  }),
  SeenStep: members<SeenStep>({
    step: oneOf(LIST_STEPS.map(({ name }) => name)),
    kind: oneOf(["left_out", "changed", "noted"]),
    setting: text(),
    reason: text(),
  }),
  Pin: members<ShownPin>(PIN),
  PinWithDiff: members<ShownPin & { readonly diff: string | null }>({
    ...PIN,
    diff: orNull(
      text(
        "Lines with - were approved, lines with + are declared now; null if a text is not kept.",
      ),
    ),
  }),
  Gateways: {
    type: "object",
    required: ["shared", "gateways"],
    properties: {
      shared: { type: "boolean", description: "Whether the store is PostgreSQL." },
      configuration: text("The hash that the gateways are compared with."),
      majority: orNull(text("The hash that more than half of the running gateways have.")),
      gateways: list(ref("Gateway")),
    },
    additionalProperties: false,
  },
  Gateway: members<ComparedGateway>({
    id: text("ULID, made when it started."),
    host: text("The machine's name."),
    version: text(),
    configuration: text("Hash of the configuration in force there."),
    listen: text("HOST:PORT."),
    startedAt: moment(),
    seenAt: moment(),
    state: oneOf(["running", "silent"]),
    differs: flag,
  }),
  Error: {
    type: "object",
    required: ["error", "code"],
    properties: {
      error: text("What is wrong, and what to do."),
      code: text(),
      role: { ...oneOf(ROLES), description: "The role that the route needs." },
      faults: list(ref("ConfigFault")),
      hash: text("Of the file as it is now."),
      diff: text("What the edit would change in it."),
      paste: ref("Paste"),
    },
    additionalProperties: false,
  },
  ConfigFault: members<ConfigFault>(
    {
      code: text(),
      file: text(),
      line: count(),
      column: count(),
      path: text("RFC 6901 pointer to the key or value."),
      message: text(),
    },
    "line",
    "column",
  ),
};

/** The document's `components`, to which the schemas of all routes refer. */
export const COMPONENTS: { readonly schemas: Readonly<Record<string, Json>> } = {
  schemas: { ...RECORD_SCHEMAS, ...GATEWAY_SCHEMAS },
};
