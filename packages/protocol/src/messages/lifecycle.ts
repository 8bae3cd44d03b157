import { params, result } from "./base.ts";
import {
  BOOLEAN,
  type Definitions,
  mapOf,
  OBJECT,
  object,
  type Properties,
  ref,
  STRING,
} from "./schema.ts";

const LIST_CHANGED = object({}, { listChanged: BOOLEAN });
const EXPERIMENTAL = { experimental: mapOf(OBJECT) };
const CLIENT: Properties = { ...EXPERIMENTAL, roots: LIST_CHANGED, sampling: OBJECT };
const SERVER: Properties = {
  ...EXPERIMENTAL,
  logging: OBJECT,
  prompts: LIST_CHANGED,
  resources: object({}, { listChanged: BOOLEAN, subscribe: BOOLEAN }),
  tools: LIST_CHANGED,
};

/** MCP, Base Protocol, Lifecycle. */
export const LIFECYCLE_2024_11_05: Definitions = {
  ClientCapabilities: object({}, CLIENT),
  ServerCapabilities: object({}, SERVER),
  InitializeRequestParams: params({
    protocolVersion: STRING,
    capabilities: ref("ClientCapabilities"),
    clientInfo: ref("Implementation"),
  }),
  InitializeResult: result(
    {
      protocolVersion: STRING,
      capabilities: ref("ServerCapabilities"),
      serverInfo: ref("Implementation"),
    },
    { instructions: STRING },
  ),
};

const SERVER_2025_03_26: Properties = { ...SERVER, completions: OBJECT };

/** 2025-03-26: the capability to complete arguments. */
export const LIFECYCLE_2025_03_26: Definitions = {
  ...LIFECYCLE_2024_11_05,
  ServerCapabilities: object({}, SERVER_2025_03_26),
};

/** 2025-06-18: elicitation. */
export const LIFECYCLE_2025_06_18: Definitions = {
  ...LIFECYCLE_2025_03_26,
  ClientCapabilities: object({}, { ...CLIENT, elicitation: OBJECT }),
};

const CLIENT_2025_11_25: Properties = {
  ...CLIENT,
  elicitation: object({}, { form: OBJECT, url: OBJECT }),
  sampling: object({}, { context: OBJECT, tools: OBJECT }),
};

function tasks(requests: Properties): Properties {
  return { tasks: object({}, { cancel: OBJECT, list: OBJECT, requests: object({}, requests) }) };
}

/** 2025-11-25: tasks (SEP-1686). */
export const LIFECYCLE_2025_11_25: Definitions = {
  ...LIFECYCLE_2025_03_26,
  ClientCapabilities: object(
    {},
    {
      ...CLIENT_2025_11_25,
      ...tasks({
        elicitation: object({}, { create: OBJECT }),
        sampling: object({}, { createMessage: OBJECT }),
      }),
    },
  ),
  ServerCapabilities: object(
    {},
    {
      ...SERVER_2025_03_26,
      ...tasks({ tools: object({}, { call: OBJECT }) }),
    },
  ),
};

const EXTENSIONS = { extensions: mapOf(OBJECT) };

/** 2026-07-28: extensions (SEP-2133); `initialize` is gone. */
export const CAPABILITIES_2026_07_28: Definitions = {
  ClientCapabilities: object({}, { ...CLIENT_2025_11_25, roots: OBJECT, ...EXTENSIONS }),
  ServerCapabilities: object({}, { ...SERVER_2025_03_26, ...EXTENSIONS }),
};
