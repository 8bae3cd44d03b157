import {
  CACHE,
  cacheablePage,
  notification,
  page,
  params,
  result,
  retryParams,
  taggedNotification,
  typedResult,
} from "./base.ts";
import { anyOf, type Definitions, extend, listOf, OBJECT, object, ref, STRING } from "./schema.ts";

const TEMPLATE = object(
  { name: STRING, uriTemplate: STRING },
  { annotations: ref("Annotations"), description: STRING, mimeType: STRING },
);
const CONTENTS = {
  contents: listOf(anyOf(ref("TextResourceContents"), ref("BlobResourceContents"))),
};
const URI = { uri: STRING };

/** MCP, Server Features, Resources. */
export const RESOURCES_2024_11_05: Definitions = {
  ResourceTemplate: TEMPLATE,
  ListResourcesResult: page("resources"),
  ListResourceTemplatesResult: page("resourceTemplates"),
  ReadResourceRequestParams: params(URI),
  ReadResourceResult: result(CONTENTS),
  SubscribeRequestParams: params(URI),
  UnsubscribeRequestParams: params(URI),
  ResourceUpdatedNotificationParams: notification(URI),
};

/** 2025-06-18: titles and `_meta`. */
export const RESOURCES_2025_06_18: Definitions = {
  ...RESOURCES_2024_11_05,
  ResourceTemplate: extend(TEMPLATE, { _meta: OBJECT, title: STRING }),
};

/** 2025-11-25: icons. */
export const RESOURCES_2025_11_25: Definitions = {
  ...RESOURCES_2024_11_05,
  ResourceTemplate: extend(TEMPLATE, {
    _meta: OBJECT,
    title: STRING,
    icons: listOf(ref("Icon")),
  }),
};

/** 2026-07-28: results that may be cached; `subscriptions/listen` replaces subscribing. */
export const RESOURCES_2026_07_28: Definitions = {
  ResourceTemplate: RESOURCES_2025_11_25["ResourceTemplate"] ?? TEMPLATE,
  ListResourcesResult: cacheablePage("resources"),
  ListResourceTemplatesResult: cacheablePage("resourceTemplates"),
  ReadResourceRequestParams: retryParams(URI),
  // Cache members are optional here (see the errata).
  ReadResourceResult: typedResult(CONTENTS, CACHE),
  ResourceUpdatedNotificationParams: taggedNotification(URI),
};
