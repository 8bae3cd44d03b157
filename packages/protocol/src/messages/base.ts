import {
  type Definitions,
  extend,
  listOf,
  literal,
  OBJECT,
  type ObjectSchema,
  object,
  type Properties,
  ref,
  STRING,
} from "./schema.ts";

/** What identifies a request (MCP, Base Protocol, Requests). */
const TOKEN = { type: ["string", "integer"] } as const;

const REQUEST_PARAMS = object({}, { _meta: object({}, { progressToken: ref("ProgressToken") }) });
const NOTIFICATION_PARAMS = object({}, { _meta: OBJECT });
const RESULT = object({}, { _meta: OBJECT });

/** Returns the schema of a request's params, with the `_meta` that every request may have (up to 2025-11-25). */
export function params(required: Properties, optional: Properties = {}): ObjectSchema {
  return extend(REQUEST_PARAMS, optional, required);
}

/** Returns the schema of a notification's params (up to 2025-11-25). */
export function notification(required: Properties, optional: Properties = {}): ObjectSchema {
  return extend(NOTIFICATION_PARAMS, optional, required);
}

/** Returns the schema of a result (up to 2025-11-25). */
export function result(required: Properties, optional: Properties = {}): ObjectSchema {
  return extend(RESULT, optional, required);
}

/** Returns the schema of one page of a list. Its items are checked one by one (MCP, Pagination). */
export function page(member: string): ObjectSchema {
  return result({ [member]: { type: "array" } }, { nextCursor: STRING });
}

const IMPLEMENTATION = object({ name: STRING, version: STRING });

/** Definitions that the messages of all areas share. */
export const BASE_2024_11_05: Definitions = {
  RequestId: TOKEN,
  ProgressToken: TOKEN,
  Role: literal("assistant", "user"),
  Implementation: IMPLEMENTATION,
  RequestParams: REQUEST_PARAMS,
  PaginatedRequestParams: params({}, { cursor: STRING }),
  NotificationParams: NOTIFICATION_PARAMS,
  Result: RESULT,
};

/** 2025-06-18: display names beside the names used in calls. */
export const BASE_2025_06_18: Definitions = {
  ...BASE_2024_11_05,
  Implementation: extend(IMPLEMENTATION, { title: STRING }),
};

/** 2025-11-25: icons (SEP-973). */
export const BASE_2025_11_25: Definitions = {
  ...BASE_2025_06_18,
  Icon: object(
    { src: STRING },
    { mimeType: STRING, sizes: listOf(STRING), theme: literal("dark", "light") },
  ),
  Implementation: extend(IMPLEMENTATION, {
    title: STRING,
    description: STRING,
    icons: listOf(ref("Icon")),
    websiteUrl: STRING,
  }),
};

const META_2026: Definitions = {
  RequestMetaObject: object(
    {
      "io.modelcontextprotocol/protocolVersion": STRING,
      "io.modelcontextprotocol/clientCapabilities": ref("ClientCapabilities"),
    },
    {
      "io.modelcontextprotocol/clientInfo": ref("Implementation"),
      "io.modelcontextprotocol/logLevel": ref("LoggingLevel"),
      progressToken: ref("ProgressToken"),
    },
  ),
  NotificationMetaObject: object(
    {},
    { "io.modelcontextprotocol/subscriptionId": ref("RequestId") },
  ),
  ResultMetaObject: object({}, { "io.modelcontextprotocol/serverInfo": ref("Implementation") }),
};

/** Returns the schema of a request's params, with the context that it must carry (2026-07-28, `_meta`). */
export function statelessParams(required: Properties, optional: Properties = {}): ObjectSchema {
  return object({ _meta: ref("RequestMetaObject"), ...required }, optional);
}

/** Params of a request that may be a retry with the requested input (SEP-2322). */
export function retryParams(required: Properties, optional: Properties = {}): ObjectSchema {
  const retry = { inputResponses: ref("InputResponses"), requestState: STRING };
  return statelessParams(required, { ...retry, ...optional });
}

/** Returns the schema of a notification's params (2026-07-28). */
export function taggedNotification(required: Properties, optional: Properties = {}): ObjectSchema {
  return object(required, { _meta: ref("NotificationMetaObject"), ...optional });
}

/** Returns the schema of a result with its type (2026-07-28, `resultType`). */
export function typedResult(required: Properties, optional: Properties = {}): ObjectSchema {
  return object(
    { resultType: STRING, ...required },
    { _meta: ref("ResultMetaObject"), ...optional },
  );
}

/** How long, and by whom, a result may be cached (2026-07-28, SEP-2549). */
export const CACHE: Properties = {
  ttlMs: { type: "integer", minimum: 0 },
  cacheScope: literal("private", "public"),
};

/** Returns the schema of a result that states how long it may be cached. */
export function cacheableResult(required: Properties, optional: Properties = {}): ObjectSchema {
  return typedResult({ ...CACHE, ...required }, optional);
}

/** Returns the schema of one page of a list in 2026-07-28. */
export function cacheablePage(member: string): ObjectSchema {
  return cacheableResult({ [member]: { type: "array" } }, { nextCursor: STRING });
}

/** 2026-07-28: stateless. */
export const BASE_2026_07_28: Definitions = {
  ...BASE_2025_11_25,
  ...META_2026,
  RequestParams: statelessParams({}),
  PaginatedRequestParams: statelessParams({}, { cursor: STRING }),
  NotificationParams: taggedNotification({}),
  Result: typedResult({}),
};
