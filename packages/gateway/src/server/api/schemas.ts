import type { SchemaError } from "@touchstone/core";
import {
  ERASURE,
  ISSUE,
  PIN,
  PIN_WITH_DIFF,
  PROBLEM_COMPONENTS,
  RECORD_COMPONENTS,
  SUGGESTED_SERVERS,
} from "@touchstone/records/schemas";
import {
  type Component,
  component,
  componentsOf,
  constant,
  count,
  dateTime,
  either,
  flag,
  type Json,
  limited,
  list,
  members,
  object,
  oneOf,
  orNull,
  type Properties,
  record,
  ref,
  type Schema,
  type Static,
  text,
  typed,
} from "@touchstone/util/schema";
import type { JsonValue } from "../../config/document.ts";
import { BLOCKING_COUNT_SCHEMAS } from "../../features/blocking.ts";
import { SHOWN_CAPABILITY } from "../../features/capability/capability.ts";
import { MODE_VALUES } from "../../features/decision.ts";
import { DRIFT_COMPONENTS } from "../../features/drift/schemas.ts";
import { shownLevels, TOOL_SETTING_SCHEMAS } from "../../features/level-settings.ts";
import { LIMIT_KEYS } from "../../features/limits.ts";
import { limitsSetting, SHOWN_LIMITS } from "../../features/limits-setting.ts";
import { LIST_STEP_NAMES } from "../../features/list.ts";
import { PRESET_NAMES } from "../../features/preset/preset.ts";
import { shownProperties } from "../../features/section-settings.ts";
import { SHOWN_TOOL_RULES } from "../../features/tool-lists/tool-rules.ts";
import { GATEWAY } from "../../fleet/gateways.ts";
import { OPERATOR_COMPONENTS } from "./operator-schemas.ts";
import { SIGN_IN_COMPONENTS } from "./session-schemas.ts";
import { VIEW_COMPONENTS } from "./view-schemas.ts";

const mode = oneOf(MODE_VALUES);
const direction = oneOf(["input", "output", "protocol"]);
const decision = oneOf(["allowed", "warning", "repaired", "blocked"]);
const role = oneOf(["caller", "viewer", "admin"]);
const hash = orNull(text("sha256: and a hex digest."));
const STATES = ["idle", "starting", "running", "failed", "stopped"] as const;
const state = oneOf(STATES);

export const HEALTH = component("Health", members({ status: constant("ok") }));

const { additionalProperties, ...READINESS_MEMBERS } = members(
  {
    status: oneOf(["ready", "stopping", "records cannot be kept", "records cannot be read"]),
    records: oneOf(["kept", "unreadable", "failing"]),
    servers: record(state),
  },
  "records",
  "servers",
);
export const READINESS = component("Readiness", {
  ...READINESS_MEMBERS,
  description: "records and servers only for those who may use the gateway.",
  additionalProperties,
});

export const MODES = component("Modes", members({ input: mode, output: mode, protocol: mode }));
const SOME_MODES = component(
  "SomeModes",
  members({ input: mode, output: mode, protocol: mode }, "input", "output", "protocol"),
);

const NEW_MODE = component(
  "NewMode",
  typed<"off" | "warn" | "strict" | null>({
    enum: ["off", "warn", "strict", null],
    description: "null: the level above decides.",
  }),
);
/** Why a change is made, for its record. */
export const REASON_SCHEMA: Schema<string> = limited(text("Why, for the record of the change."), {
  maxLength: 1000,
});
export const MODE_CHANGE = component(
  "ModeChange",
  limited(
    members(
      {
        ...{ input: ref(NEW_MODE), output: ref(NEW_MODE), protocol: ref(NEW_MODE) },
        reason: REASON_SCHEMA,
      },
      ...(["input", "output", "protocol", "reason"] as const),
    ),
    {
      minProperties: 1,
      // A request with only a reason changes nothing, so it is invalid.
      not: { type: "object", required: ["reason"], maxProperties: 1 },
    },
  ),
);
export type ModesToChange = Static<typeof MODE_CHANGE>;
export const MODES_CHANGED = component(
  "ModesChanged",
  members(
    {
      /** The modes now in force at the level. */
      modes: ref(MODES),
      /** Directions in which a command-line option overrides the file. */
      overridden: list(direction),
      /** What has changed, one line each. */
      changes: list(text()),
      warning: text("Set if the server has not listed the tool; names the one that may be meant."),
    },
    "warning",
  ),
);
export type ModesChanged = Static<typeof MODES_CHANGED>;

/** The decision about the arguments or the result of a call. */
const CHECKED_PART = component(
  "CheckedPart",
  members(
    {
      decision,
      outcome: text("How the check ended; absent if policy allowed it."),
      reason: text("What is wrong in one line; absent if policy allowed it."),
      issues: list(ref(ISSUE)),
      text: text("What the model should read instead; absent unless it is blocked."),
      records: list(text("The id of a record.")),
    },
    "outcome",
    "reason",
    "text",
  ),
);
export type CheckedPart = Static<typeof CHECKED_PART>;
/** The decisions about a call, the heaviest first. */
export const CHECKED_CALL = component(
  "CheckedCall",
  members(
    {
      decision,
      revision: text("The MCP revision that it was checked by."),
      /** Absent if only the result was checked, or there is nothing to report about the arguments. */
      input: ref(CHECKED_PART),
      /** Absent if there is no result, or the call is blocked. */
      output: ref(CHECKED_PART),
      arguments: object("The repaired arguments, to be sent instead."),
      result: object("The result as it was changed, to be used instead."),
    },
    ...(["input", "output", "arguments", "result"] as const),
  ),
);

/** Members of a server's entry. In `env` and `headers`, names that are absent keep their values. */
const SERVER_EDIT = limited(
  members(
    {
      type: orNull(text()),
      command: orNull(text()),
      args: orNull(list(text())),
      cwd: orNull(text()),
      url: orNull(text()),
      env: orNull(record(orNull(text()))),
      headers: orNull(record(orNull(text()))),
      disabled: orNull(flag),
    },
    ...(["type", "command", "args", "cwd", "url", "env", "headers", "disabled"] as const),
  ),
  { minProperties: 1, description: "What is absent keeps its value; null removes it." },
);
export type ServerEdit = Static<typeof SERVER_EDIT>;

/** A requested change to `touchstone.json`. */
export const CONFIG_ACTION = component(
  "ConfigAction",
  either(
    // Forwards what a decision blocked or warned about, by the most specific rules that the configuration supports.
    members({ kind: constant("allow"), record: text("Id of a decision, or of its call.") }),
    // Turns strict on.
    members(
      { kind: constant("strict"), server: text(), tool: text(), directions: list(direction) },
      "tool",
      "directions",
    ),
    // Sets settings of the file, a server or a tool.
    members(
      {
        kind: constant("settings"),
        server: text(),
        tool: text(),
        set: typed<Readonly<Record<string, JsonValue>>>({
          type: "object",
          minProperties: 1,
          description: "By names such as activity.bodies; null removes a setting.",
        }),
      },
      "server",
      "tool",
    ),
    // Sets what `GET /api/v1/activity/rollout?suggest=true` suggests, or a part of it.
    members({ kind: constant("rules"), mcpServers: ref(SUGGESTED_SERVERS) }),
    // Adds or changes a server.
    members({
      kind: constant("server"),
      name: limited(text(), { minLength: 1 }),
      entry: SERVER_EDIT,
    }),
  ),
);
export type ConfigAction = Static<typeof CONFIG_ACTION>;

const PASTE = component(
  "Paste",
  members({
    file: text("Where to add the lines."),
    text: text("JSON, to be added by hand."),
  }),
);
/** What an edit would change. */
export const CONFIG_PROPOSAL = component(
  "ConfigProposal",
  members(
    {
      /** Null if there is no file that can be written. */
      file: orNull(text("The name of the file, without its directory.")),
      hash: orNull(text("Of its text. An edit is made only if it is still the same.")),
      /** Empty if nothing would change. */
      diff: text("In the unified format of diff, without secrets."),
      writable: flag,
      reason: text("Why the file cannot be written."),
      paste: ref(PASTE),
    },
    "reason",
    "paste",
  ),
);
export type ConfigProposal = Static<typeof CONFIG_PROPOSAL>;
/** A completed edit. */
export const CONFIG_EDIT = component(
  "ConfigEdit",
  members({
    id: text("For undoing it."),
    hash: text(),
    diff: text(),
    changes: list(text("What took effect.")),
    overridden: list(text("Settings that were written, but that a command-line option overrides.")),
  }),
);
export type ConfigEditResult = Static<typeof CONFIG_EDIT>;

/** The members of every server, however it is reached. */
const SUMMARY = {
  name: text(),
  disabled: flag,
  /** `wrapped`: the configuration has its settings, and a client starts it through `touchstone wrap`. */
  state: oneOf([...STATES, "disabled", "wrapped"]),
  error: text("Why it failed; of a disabled one, why it could not be served."),
  since: dateTime("When the state began."),
  pausedUntil: dateTime(
    "Until when its strict checks only warn; absent if its checks are not paused.",
  ),
  stillBlocking: limited(
    members({
      ...BLOCKING_COUNT_SCHEMAS,
      callers: count("Callers whose key or token restricts what they may call, or how often."),
    }),
    { description: "What still blocks during the pause; absent if nothing does." },
  ),
  endpoint: text("Path of the MCP endpoint, relative to the gateway's root."),
  identity: text("name/version as the server introduced itself last; absent if it has not."),
  /** The revisions in which tools were listed or called since the server was started. */
  revisions: list(text()),
  sessions: count(),
  children: count("Child processes that run."),
  /** The modes for tools without their own. */
  modes: ref(MODES),
  toolModes: limited(record(ref(MODES)), { description: "Of the tools with other modes." }),
  /** The preset of its entry in the file. */
  preset: oneOf(PRESET_NAMES),
  capability: SHOWN_CAPABILITY,
  tools: orNull(count("How many tools are known; null before any list was seen.")),
  schemaFaults: orNull(
    count("How many of their schemas cannot be used, or were not read to their end."),
  ),
  unreadSchemas: orNull(
    count(
      "How many of these were not read to their end, so that they may be usable: reading one takes 20 s at most, and so do all of a request.",
    ),
  ),
  /** Null before any list was seen. */
  unusableTools: orNull(
    members({
      blocked: count("Tools with such a schema whose calls or structured results are blocked."),
      unchecked: count("Tools with such a schema that are only forwarded unchecked."),
    }),
  ),
};
const STDIO = {
  transport: constant("stdio"),
  /** The program and its arguments, as one line. */
  command: text(),
  env: list(text("A variable's name.")),
};
const HTTP = { transport: constant("http"), url: text(), headers: list(text("A header's name.")) };
/** A client starts it through `touchstone wrap`. */
const WRAP = { transport: constant("wrap") };

/** Describes a server in one of three forms, by how it is reached. */
function server<More extends Properties, Absent extends keyof More = never>(
  more: More,
  ...absent: readonly Absent[]
) {
  const optional: readonly (
    | "error"
    | "since"
    | "pausedUntil"
    | "stillBlocking"
    | "identity"
    | "preset"
    | Absent
  )[] = [
    ...(["error", "since", "pausedUntil", "stillBlocking", "identity", "preset"] as const),
    ...absent,
  ];
  return either(
    members({ ...STDIO, ...SUMMARY, ...more }, ...optional),
    members({ ...HTTP, ...SUMMARY, ...more }, ...optional),
    members({ ...WRAP, ...SUMMARY, ...more }, ...optional),
  );
}

export const SERVER_SUMMARY = component("ServerSummary", server({}));
export type ServerSummary = Static<typeof SERVER_SUMMARY>;

/** An unusable schema of a tool, by which nothing is checked. */
const CONTRACT_FAULT = members({
  direction: oneOf(["input", "output"]),
  code: text() as Schema<SchemaError["code"]>,
  message: text(),
  hint: text("What the server's author can do."),
});
export type ContractFault = Static<typeof CONTRACT_FAULT>;
/** A tool's declaration in one revision. */
const CONTRACT = component(
  "Contract",
  members({
    tool: text(),
    revision: text("The MCP revision in which it was listed."),
    inputHash: hash,
    outputHash: hash,
    faults: list(CONTRACT_FAULT),
    /** The modes in force for the tool. */
    modes: ref(MODES),
    /** The modes that the file sets for this tool. */
    own: ref(SOME_MODES),
    /** The policy setting that refuses the tool, in any mode. */
    refusedBy: orNull(oneOf(["allow_tools", "deny_tools", "read_only"])),
    repeated: limited(flag, {
      description: "Whether the tool is listed more than once; this is the last declaration.",
    }),
    learnedAt: dateTime(),
  }),
);
export type ShownContract = Static<typeof CONTRACT>;
/** A tool that has its own settings but that its server has not listed. */
const UNLISTED_TOOL = component(
  "UnlistedTool",
  members(
    {
      tool: text("It is configured, but the server does not list it."),
      closest: text("The listed tool that was probably meant."),
      modes: ref(MODES),
      own: ref(SOME_MODES),
    },
    "closest",
  ),
);
export type UnlistedTool = Static<typeof UNLISTED_TOOL>;

/** The limits on calls of a server besides its schemas. */
const SHOWN_POLICY = members({
  /** The mode of the lowest level that sets one; `strict` if none does. */
  mode,
  /** Each level that has a section `policy`, the top level first. */
  levels: list(SHOWN_TOOL_RULES),
  /** Each level that limits calls or results, the top level first. All apply. */
  limits: limitsSetting.shown,
  /** The tools that have limits of their own. */
  tools: list(
    members(
      { tool: text(), ...TOOL_SETTING_SCHEMAS },
      ...(Object.keys(TOOL_SETTING_SCHEMAS) as (keyof typeof TOOL_SETTING_SCHEMAS)[]),
    ),
  ),
});
export type ShownPolicy = Static<typeof SHOWN_POLICY>;
export const SERVER_DETAIL = component(
  "ServerDetail",
  server(
    {
      /** The modes that the file sets for the server itself. */
      own: ref(SOME_MODES),
      /** By tool, then revision. */
      contracts: list(ref(CONTRACT)),
      unlisted: list(ref(UNLISTED_TOOL)),
      /** Absent if nothing limits its calls. */
      policy: SHOWN_POLICY,
    },
    "policy",
  ),
);
export type ServerDetail = Static<typeof SERVER_DETAIL>;

/** What a caller may do. */
const rights = { role, servers: list(text()), tools: list(text()), readOnly: flag };
const scalars = typed<Readonly<Record<string, string | number | boolean>>>({
  type: "object",
  additionalProperties: { type: ["string", "number", "boolean"] },
});
const checked = { mode, maxBytes: count(), maxDepth: count() };
/** A caller, and what its keys allow. */
const SHOWN_CALLER = members(
  {
    name: text(),
    keys: count("How many keys it has."),
    /** For servers and tools: absent if it may use all of them. */
    ...rights,
    ...SHOWN_LIMITS,
  },
  ...(["servers", "tools", "readOnly"] as const),
  ...LIMIT_KEYS,
);
export type ShownCaller = Static<typeof SHOWN_CALLER>;
/** Which access tokens are accepted. */
const SHOWN_JWT = members(
  { issuer: text(), audience: text(), nameClaim: text(), ...rights },
  "servers",
  "tools",
  "readOnly",
);
export type ShownJwt = Static<typeof SHOWN_JWT>;
/** An identity provider that signs people in. */
const SHOWN_OIDC = members({
  name: text(),
  label: text(),
  issuer: text(),
  clientId: text(),
  roleClaim: text(),
  roles: list(members({ group: text(), role: oneOf(["viewer", "admin"]) })),
});
export type ShownOidc = Static<typeof SHOWN_OIDC>;
const { pin, limits: ofLimits, ...OF_LEVELS } = shownLevels();
const VALIDATION = members(
  {
    pin,
    input: members({ ...checked, ...shownProperties("input_validation") }),
    output: members({ ...checked, ...shownProperties("output_validation") }),
    protocol: members({ mode, maxBytes: count() }),
    limits: ofLimits,
    ...OF_LEVELS,
  },
  ...(["pin", "limits"] as const),
  ...(Object.keys(OF_LEVELS) as (keyof typeof OF_LEVELS)[]),
);
/** The settings in force, without secrets. */
export const SETTINGS = component(
  "Settings",
  members(
    {
      version: text("Of Touchstone."),
      node: text("Of Node.js."),
      startedAt: dateTime(),
      uptimeSeconds: count(),
      configuration: members(
        {
          /** Null if no file can be edited. */
          file: orNull(text("The file's name without its directory.")),
          editable: flag,
          reason: text("Why it cannot be edited."),
          hash: text(),
          ignoredKeys: list(text()),
          /** The entries of a client's file that are not served, in the order of the text. */
          leftOut: list(members({ server: text(), reason: text("Each fault with its place.") })),
        },
        "reason",
      ),
      /**
       * The permission that a change of settings requires: a key with the role `admin`, or the token of a link; or
       * changes are not allowed at all.
       */
      writes: oneOf(["admin", "token", "off"]),
      listen: members({
        host: text(),
        port: count(),
        allowedHosts: list(text()),
        allowedOrigins: list(text()),
        allowedHeaders: list(text()),
        idleTimeout: count("Milliseconds."),
      }),
      auth: members(
        {
          apiKey: oneOf(["set", "unset"]),
          adminKey: oneOf(["set", "unset"]),
          callers: list(SHOWN_CALLER),
          jwt: SHOWN_JWT,
          oidc: list(SHOWN_OIDC),
        },
        "jwt",
        "oidc",
      ),
      http: members({
        allowExecute: flag,
        /** Whether the operator may add and change servers over HTTP. */
        editServers: flag,
      }),
      /** The preset of the file or of the command line. */
      preset: oneOf(PRESET_NAMES),
      capability: SHOWN_CAPABILITY,
      limits: scalars,
      activity: scalars,
      /** The settings for servers and tools without their own. */
      validation: VALIDATION,
      /** The modes that the file sets at its top level. */
      own: ref(SOME_MODES),
    },
    "preset",
  ),
);
export type ShownSettings = Static<typeof SETTINGS>;

/** The change that one setting has made to a tool. */
const SEEN_STEP = component(
  "SeenStep",
  members({
    step: oneOf(LIST_STEP_NAMES),
    kind: oneOf(["left_out", "changed", "noted"]),
    setting: text(),
    reason: text(),
  }),
);
export type ClientViewStep = Static<typeof SEEN_STEP>;
/** A finding of `lint --for`. */
const SEEN_FINDING = component(
  "SeenFinding",
  members({
    provider: text(),
    rule: text("As in lint --for."),
    severity: oneOf(["error", "warning", "info"]),
    path: text("RFC 6901 pointer into the tool."),
    message: text(),
  }),
);
/** The remaining objections of clients or model providers to a tool. */
const SEEN_LEFT = component(
  "SeenLeft",
  members({
    total: count("What checkedFor objects to in the tool as the client gets it."),
    errors: count(
      "How many of these are refused; the others are a problem for some releases or models.",
    ),
    /** The first ones. */
    findings: list(ref(SEEN_FINDING)),
  }),
);
export type ClientViewObjection = Static<typeof SEEN_LEFT>;
/** A tool as a client gets it. */
const SEEN_TOOL = component(
  "SeenTool",
  members({
    /** Null if it has no readable name. */
    name: orNull(text("The server's name for it.")),
    listedAs: orNull(text("The name that the client sees; null if it does not get the tool.")),
    state: oneOf(["same", "changed", "left_out"]),
    /** Null if it was not compared with the rules of any client or provider. */
    left: orNull(ref(SEEN_LEFT)),
    /** What the gateway has done or noted, and why. */
    steps: list(ref(SEEN_STEP)),
    diff: orNull(
      text("Lines as of diff -u, from the server's definition; null unless tool names it."),
    ),
  }),
);
export type ClientViewTool = Static<typeof SEEN_TOOL>;
/** A server's list of tools as a client sees it. */
export const CLIENT_VIEW = component(
  "ClientView",
  members({
    server: text(),
    /** `name/version` of the client that the list is for; null for a client without a name. */
    client: orNull(text()),
    /** Null if the list is not for a particular caller. */
    caller: orNull(text()),
    listedAt: orNull(dateTime("When the server sent the list; null if it has sent none.")),
    partial: limited(flag, {
      description: "Whether the list is longer than the part that is kept.",
    }),
    checkedFor: list(
      text(
        "A model provider or client whose rules the tools were compared with, as in lint --for.",
      ),
    ),
    tools: list(ref(SEEN_TOOL)),
  }),
);
export type ClientView = Static<typeof CLIENT_VIEW>;

export const GATEWAYS = component(
  "Gateways",
  members(
    {
      shared: limited(flag, { description: "Whether the store is PostgreSQL." }),
      configuration: text("The hash that the gateways are compared with."),
      majority: orNull(text("The hash that more than half of the running gateways have.")),
      gateways: list(ref(GATEWAY)),
    },
    "configuration",
    "majority",
  ),
);
export type Gateways = Static<typeof GATEWAYS>;

const CONFIG_FAULT = component(
  "ConfigFault",
  members(
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
);
export const ERROR = component(
  "Error",
  members(
    {
      error: text("What is wrong, and what to do."),
      code: text(),
      role: limited(role, { description: "The role that the route needs." }),
      faults: list(ref(CONFIG_FAULT)),
      hash: text("Of the file as it is now."),
      diff: text("What the edit would change in it."),
      paste: ref(PASTE),
    },
    ...(["role", "faults", "hash", "diff", "paste"] as const),
  ),
);

/** The document's `components`, to which the schemas of all operations refer. */
export const COMPONENTS: { readonly schemas: Readonly<Record<string, Json>> } = {
  schemas: componentsOf([
    ...RECORD_COMPONENTS,
    ...PROBLEM_COMPONENTS,
    ...DRIFT_COMPONENTS,
    HEALTH,
    READINESS,
    MODES,
    SOME_MODES,
    ERASURE,
    MODE_CHANGE,
    NEW_MODE,
    MODES_CHANGED,
    CHECKED_CALL,
    CHECKED_PART,
    CONFIG_ACTION,
    CONFIG_PROPOSAL,
    PASTE,
    CONFIG_EDIT,
    SERVER_SUMMARY,
    SERVER_DETAIL,
    CONTRACT,
    UNLISTED_TOOL,
    SETTINGS,
    CLIENT_VIEW,
    SEEN_TOOL,
    SEEN_STEP,
    SEEN_LEFT,
    SEEN_FINDING,
    PIN,
    PIN_WITH_DIFF,
    GATEWAYS,
    GATEWAY,
    ...OPERATOR_COMPONENTS,
    ...VIEW_COMPONENTS,
    ...SIGN_IN_COMPONENTS,
    ERROR,
    CONFIG_FAULT,
  ] satisfies readonly Component[]),
};
