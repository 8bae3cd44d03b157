import { isObject } from "@touchstone/core/advanced";
import { ownMember } from "./object.ts";

/** How deep a check goes, in the order in which the levels run. */
export const LEVELS = ["syntax", "semantic", "runtime", "security"] as const;

/**
 * - `syntax`: the input schema, and what its author checks of the arguments' form
 * - `semantic`: whether the arguments make sense together (a date in the future)
 * - `runtime`: whether they fit the current state of the system (a path that can be written)
 * - `security`: whether a policy allows them
 */
export type Level = (typeof LEVELS)[number];

/** The version of the wire form that this package speaks. */
export const CAPABILITY_VERSION = "1.0";

/** Where servers announce the capability: a dotted path below `capabilities`. */
export const CAPABILITY_PATH = "experimental.toolValidation";

/**
 * Events that make cached verdicts stale: `notifications/tools/list_changed`, `notifications/resources/updated`.
 */
export type InvalidationCause = "tool_update" | "resource_change";

/** How long verdicts may be cached. */
export type ValidationCaching = {
  readonly enabled: boolean;
  /** In seconds. */
  readonly ttl?: number;
  readonly invalidateOn?: readonly InvalidationCause[];
};

/** What a server announces as `capabilities.experimental.toolValidation`. */
export type ToolValidationCapability = {
  readonly supported: true;
  readonly version: typeof CAPABILITY_VERSION;
  /** The name of the tool that validates. */
  readonly method: string;
  /** Whether checks may be asynchronous. */
  readonly async: boolean;
  readonly streaming: false;
  /** Whether checks get the request's context, so that verdicts may depend on the caller. */
  readonly contextAware: boolean;
  readonly cacheable: boolean;
  readonly levels: { readonly [level in Level]: boolean };
  readonly batchValidation: boolean;
  /** Most calls in one batch; absent if batches are not supported. */
  readonly maxBatchSize?: number;
  readonly caching: ValidationCaching;
};

/**
 * Returns whether capabilities contain a dotted path: `true`, or an object whose `supported` is `true`. Checks own
 * properties only, so that `constructor` is not a capability. Never throws.
 * @param capabilities `ServerCapabilities` of an `initialize` or `server/discover` result
 * @param path member names joined by dots, such as `experimental.toolValidation`
 */
export function hasCapability(capabilities: unknown, path: string): boolean {
  if (typeof path !== "string") return false;
  try {
    let value: unknown = capabilities;
    for (const name of path.split(".")) value = ownMember(value, name);
    return value === true || ownMember(value, "supported") === true;
  } catch {
    return false;
  }
}

/** A server's announcement as a client reads it: with defaults, and without invalid values. */
export interface Announcement {
  readonly method: string;
  readonly version: string;
  /** Most calls in one batch; 0 if batches are not supported. */
  readonly batchSize: number;
  /** How long verdicts may be cached, in milliseconds; 0 if they may not. */
  readonly keepMs: number;
  readonly invalidateOn: ReadonlySet<string>;
}

const EXTENSION_NAME = "/tool-validation";
const DEFAULT_BATCH = 10;
const DEFAULT_TTL_SECONDS = 60;
const MAX_TTL_SECONDS = 86_400;

function announced(capabilities: unknown): unknown {
  if (hasCapability(capabilities, CAPABILITY_PATH)) {
    return ownMember(ownMember(capabilities, "experimental"), "toolValidation");
  }
  const extensions = ownMember(capabilities, "extensions");
  if (!isObject(extensions)) return undefined;
  return Object.entries(extensions).find(
    ([name, settings]) =>
      name.endsWith(EXTENSION_NAME) && ownMember(settings, "supported") === true,
  )?.[1];
}

function keepMs(value: unknown): number {
  const caching = ownMember(value, "caching");
  const enabled = ownMember(caching, "enabled") ?? ownMember(value, "cacheable");
  if (enabled !== true) return 0;
  const ttl = ownMember(caching, "ttl") ?? DEFAULT_TTL_SECONDS;
  if (typeof ttl !== "number" || !(ttl > 0)) return 0;
  return Math.min(ttl, MAX_TTL_SECONDS) * 1000;
}

/**
 * Returns a server's announcement of validation: in `experimental`, or as an extension whose name is
 * `tool-validation` (MCP 2026-07-28, capabilities, `extensions`). Undefined if there is none. Never throws.
 */
export function readAnnouncement(capabilities: unknown): Announcement | undefined {
  try {
    const value = announced(capabilities);
    if (value === undefined) return undefined;
    const method = ownMember(value, "method");
    const version = ownMember(value, "version");
    const size = ownMember(value, "maxBatchSize") ?? DEFAULT_BATCH;
    const isSize = typeof size === "number" && Number.isSafeInteger(size) && size > 0;
    const causes = ownMember(ownMember(value, "caching"), "invalidateOn");
    return {
      method: typeof method === "string" && method !== "" ? method : "validate",
      version: version === undefined ? CAPABILITY_VERSION : String(version),
      batchSize: ownMember(value, "batchValidation") === true && isSize ? size : 0,
      keepMs: keepMs(value),
      invalidateOn: new Set(
        Array.isArray(causes)
          ? causes.filter((cause) => typeof cause === "string")
          : ["tool_update", "resource_change"],
      ),
    };
  } catch {
    return undefined;
  }
}
