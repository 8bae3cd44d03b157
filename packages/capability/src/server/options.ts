import { isObject, quote, withoutThrowing } from "@touchstone/core/advanced";
import { type InvalidationCause, LEVELS, type Level } from "../announcement.ts";
import { CapabilityError } from "../errors.ts";
import { type ArgumentLimits, readLimits } from "../schema-level.ts";
import type { LevelChecks, ToolCheck } from "./checks.ts";
import type { ValidationFaultListener } from "./fault.ts";

/** How a server validates. Every option has a default. */
export interface ToolValidationOptions {
  /** Checks of single tools, by the tool's name and the level. */
  readonly checks?: { readonly [tool: string]: LevelChecks } | undefined;
  /** Checks that run for every tool, by level, before a tool's own. */
  readonly levels?: LevelChecks | undefined;
  /**
   * Name of the validation tool. Default `validate`, or `validate_tool_call` if a tool has that name. An explicit
   * name that is taken is an error.
   */
  readonly method?: string | undefined;
  /** Whether several calls can be validated at once, and how many (1 to 100). Default 10. */
  readonly batch?: false | { readonly maxSize?: number | undefined } | undefined;
  /** Lets clients cache verdicts for `ttl` seconds, or until one of `invalidateOn`. Default: they may not. */
  readonly caching?:
    | { readonly ttl: number; readonly invalidateOn?: readonly InvalidationCause[] | undefined }
    | undefined;
  /** Whether checks get the request's context. Default false. */
  readonly contextAware?: boolean | undefined;
  /**
   * How long one check may take, in milliseconds, and how long a client that connects waits for the
   * server's own `tools/list` handler. Default 5000.
   */
  readonly checkTimeoutMs?: number | undefined;
  /** Limits of the arguments: by default 5,242,880 bytes of JSON and 64 levels. A tool without a schema has none. */
  readonly limits?: ArgumentLimits | undefined;
  /**
   * Announces the capability as an extension, too (MCP 2026-07-28, `capabilities.extensions`), under
   * this name: a reversed domain name of yours and `/tool-validation`.
   */
  readonly extension?: string | undefined;
  /** Called with what goes wrong on the server's side. */
  readonly onFault?: ValidationFaultListener | undefined;
}

/** The options with defaults. */
export interface Settings {
  readonly checks: ReadonlyMap<string, ChecksByLevel>;
  readonly everywhere: ChecksByLevel;
  /** Which levels the server supports. */
  readonly served: ReadonlySet<Level>;
  readonly hasChecks: boolean;
  readonly method: string | undefined;
  readonly maxBatchSize: number;
  readonly caching: ToolValidationOptions["caching"];
  readonly contextAware: boolean;
  readonly checkTimeoutMs: number;
  readonly limits: ArgumentLimits | undefined;
  readonly extension: string | undefined;
  readonly onFault: ValidationFaultListener;
}

/** The checks of each level. */
export type ChecksByLevel = ReadonlyMap<Level, readonly ToolCheck[]>;

function refuse(option: string, wanted: string): never {
  throw new CapabilityError("invalid_option", `${option} must be ${wanted}`);
}

function readLevelChecks(option: string, value: unknown): ChecksByLevel {
  if (!isObject(value))
    refuse(option, `an object of checks by level, such as { ${LEVELS[1]}: check }`);
  const checks = new Map<Level, readonly ToolCheck[]>();
  for (const [name, given] of Object.entries(value)) {
    const level = LEVELS.find((known) => known === name);
    if (level === undefined)
      refuse(option, `checks by level (${LEVELS.join(", ")}), not "${name}"`);
    if (given === undefined) continue;
    const list: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (!list.every((check): check is ToolCheck => typeof check === "function")) {
      refuse(`${option}.${name}`, "a function or an array of functions");
    }
    if (list.length > 0) checks.set(level, list);
  }
  return checks;
}

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;

function readBatch(batch: ToolValidationOptions["batch"]): number {
  if (batch === false) return 0;
  if (batch !== undefined && !isObject(batch)) refuse("batch", "false or an object");
  const size = batch?.maxSize ?? 10;
  return isWhole(size, 1, 100) ? size : refuse("batch.maxSize", "an integer from 1 to 100");
}

const CAUSES: readonly unknown[] = ["tool_update", "resource_change"];

function readCaching(caching: ToolValidationOptions["caching"]): ToolValidationOptions["caching"] {
  if (caching === undefined) return undefined;
  if (!isObject(caching)) refuse("caching", "an object");
  const { ttl, invalidateOn } = caching;
  if (!isWhole(ttl, 1, 86_400)) refuse("caching.ttl", "an integer of seconds from 1 to 86400");
  const isList = invalidateOn === undefined || Array.isArray(invalidateOn);
  if (!isList || invalidateOn?.some((cause) => !CAUSES.includes(cause))) {
    refuse("caching.invalidateOn", `an array of ${CAUSES.join(", ")}`);
  }
  return caching;
}

/** Names that MCP recommends for tools (MCP 2025-11-25, Tools, Tool Names). */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const EXTENSION = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\/tool-validation$/;

const NAMES: Readonly<Record<keyof ToolValidationOptions, true>> = {
  checks: true,
  levels: true,
  method: true,
  batch: true,
  caching: true,
  contextAware: true,
  checkTimeoutMs: true,
  limits: true,
  extension: true,
  onFault: true,
};

/** A check under an unknown name would never run. */
function requireNames(options: object): void {
  const other = Object.keys(options).find((name) => !Object.hasOwn(NAMES, name));
  if (other !== undefined) {
    refuse("options", `of these: ${Object.keys(NAMES).join(", ")}; not ${quote(other)}`);
  }
}

/** @throws CapabilityError `invalid_option` for an invalid value or an unknown name */
export function readOptions(options: ToolValidationOptions): Settings {
  if (typeof options !== "object" || options === null) refuse("options", "an object");
  requireNames(options);
  const { method, extension, contextAware = false, checkTimeoutMs = 5000, onFault } = options;
  if (method !== undefined && !(typeof method === "string" && NAME.test(method))) {
    refuse("method", "a tool name of 1 to 128 characters of A-Z a-z 0-9 _ . -");
  }
  if (extension !== undefined && !(typeof extension === "string" && EXTENSION.test(extension))) {
    refuse("extension", "a domain name in reverse and /tool-validation");
  }
  if (typeof contextAware !== "boolean") refuse("contextAware", "true or false");
  if (!isWhole(checkTimeoutMs, 1, 600_000)) {
    refuse("checkTimeoutMs", "an integer of milliseconds from 1 to 600000");
  }
  if (onFault !== undefined && typeof onFault !== "function") refuse("onFault", "a function");
  const { checks: given = {}, levels = {} } = options;
  if (!isObject(given)) refuse("checks", "an object of checks by tool");
  const checks = new Map(
    Object.entries(given).map(([tool, value]) => [tool, readLevelChecks(`checks.${tool}`, value)]),
  );
  const everywhere = readLevelChecks("levels", levels);
  const withChecks = [everywhere, ...checks.values()].flatMap((some) => [...some.keys()]);
  return {
    checks,
    everywhere,
    served: new Set<Level>(["syntax", ...withChecks]),
    hasChecks: withChecks.length > 0,
    method,
    maxBatchSize: readBatch(options.batch),
    caching: readCaching(options.caching),
    contextAware: contextAware && withChecks.length > 0,
    checkTimeoutMs,
    limits: readLimits(options.limits),
    extension,
    onFault: withoutThrowing(onFault),
  };
}
