import { isObject } from "@touchstone/core/advanced";
import {
  CAPABILITY_VERSION,
  LEVELS,
  type ToolValidationCapability,
  type ValidationCaching,
} from "../announcement.ts";
import { ownMember } from "../object.ts";
import type { Settings } from "./options.ts";

/** Only events that the server reports can invalidate a verdict. */
function cachingOf({ caching }: Settings, capabilities: unknown): ValidationCaching {
  if (caching === undefined) return { enabled: false };
  const notifies = {
    tool_update: ownMember(ownMember(capabilities, "tools"), "listChanged") === true,
    resource_change: ownMember(ownMember(capabilities, "resources"), "subscribe") === true,
  };
  const wanted = caching.invalidateOn ?? (["tool_update", "resource_change"] as const);
  return {
    enabled: true,
    ttl: caching.ttl,
    invalidateOn: wanted.filter((cause) => notifies[cause]),
  };
}

/** Returns the server's announcement: only what it supports. */
export function capabilityOf(
  settings: Settings,
  method: string,
  capabilities: unknown,
): ToolValidationCapability {
  const { served, hasChecks, contextAware, maxBatchSize } = settings;
  const caching = cachingOf(settings, capabilities);
  const levels = Object.fromEntries(LEVELS.map((level) => [level, served.has(level)]));
  return {
    supported: true,
    version: CAPABILITY_VERSION,
    method,
    async: hasChecks,
    streaming: false,
    contextAware,
    cacheable: caching.enabled,
    levels: levels as ToolValidationCapability["levels"],
    batchValidation: maxBatchSize > 0,
    ...(maxBatchSize > 0 ? { maxBatchSize } : {}),
    caching,
  };
}

/** Returns an `initialize` or `server/discover` result with the capability in it. */
export function addCapability(result: unknown, settings: Settings, method: string): unknown {
  const capabilities = ownMember(result, "capabilities");
  if (!isObject(result) || !isObject(capabilities)) return result;
  const toolValidation = capabilityOf(settings, method, capabilities);
  const { experimental, extensions } = capabilities;
  const { extension } = settings;
  return {
    ...result,
    capabilities: {
      ...capabilities,
      experimental: { ...(isObject(experimental) ? experimental : {}), toolValidation },
      ...(extension === undefined
        ? {}
        : {
            extensions: {
              ...(isObject(extensions) ? extensions : {}),
              [extension]: toolValidation,
            },
          }),
    },
  };
}
