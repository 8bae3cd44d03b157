import {
  type PathStyle,
  REPAIR_NAMES,
  type RepairKind,
  type RepairName,
  repairsNamed,
  SAFE_REPAIRS,
} from "@touchstone/core/advanced";
import type { AdmitCall, AuthHook, RefusalListener, RepairListener } from "./call-types.ts";
import { type ArgumentChecksSetting, CHECKS, isArgumentChecks } from "./checks.ts";
import type { ConsoleAssets } from "./console-assets.ts";
import type { FaultListener } from "./fault.ts";
import type { HostJudge } from "./host-judge.ts";
import { misspelledOption } from "./option-names.ts";
import type { BodyReader } from "./request/body.ts";
import type { Tool } from "./tool.ts";

/** What may be repaired in the arguments of a call: names of repairs. */
export type RepairSetting = RepairName | readonly RepairName[];

/** How the API behaves. Every option has a default. */
export interface UIConfig {
  /** Whether tools may be run. Default false. Validation is never gated. */
  readonly allowExecute?: boolean | undefined;
  /** Guards `POST /tools/{name}/call`, and nothing else. */
  readonly authHook?: AuthHook | undefined;
  /** Heading of the page and title of the API's description. Default "MCP Tool Explorer". */
  readonly title?: string | undefined;
  /** Shown at the foot of the page. */
  readonly projectName?: string | undefined;
  /** Link of the project's name: http, https, mailto, or a path with a single leading slash. */
  readonly projectUrl?: string | undefined;
  /** The path under which the API is mounted, such as `/explorer`. Default "". */
  readonly prefix?: string | undefined;
  /** Largest request body in bytes. Default 4,194,304. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Reads the bodies of Node requests, for a host that bounds all its bodies together. Default: the handler reads
   * them, each up to `maxBodyBytes`.
   */
  readonly readBody?: BodyReader | undefined;
  /** HTTP status of a result with `isError: true` that came from the tool. Default 500. */
  readonly toolErrorStatus?: number | undefined;
  /**
   * How long `handleCall` may take, in milliseconds. After that its `signal` is aborted and the client gets an error.
   * Default: no limit.
   */
  readonly callTimeoutMs?: number | undefined;
  /**
   * How long your other code may take, in milliseconds: the function that returns the tools, `authHook` (without the
   * call), `judge`, `admit`, `onRefused` and `onRepaired`, each time they are called. After that its `signal` is
   * aborted and the client gets an error; after a late `judge`, a check that was not made. Default 30,000.
   */
  readonly hostTimeoutMs?: number | undefined;
  /** What `path` names in a failure. Default `field`: the offending or missing property. */
  readonly paths?: PathStyle | undefined;
  /** Deepest nesting of arguments: a scalar is 1, `{"a":1}` is 2. Default 64. A tool without a schema has no limit. */
  readonly maxDepth?: number | undefined;
  /** Most keys of one object of the arguments. Default 65,536. A tool without a schema has no limit. */
  readonly maxObjectKeys?: number | undefined;
  /** Most keys of the arguments, in all objects. Default 1,000,000. A tool without a schema has no limit. */
  readonly maxKeys?: number | undefined;
  /** How many failures to list. Default 1000. */
  readonly maxIssues?: number | undefined;
  /** The built files of the console; without them the page is a plain list. */
  readonly console?: ConsoleAssets | undefined;
  /**
   * Where the gateway that serves these tools has its own API, relative to the root of this one: `./` or `../../`.
   * The console then has the gateway's pages too.
   */
  readonly gateway?: string | undefined;
  /**
   * How arguments are checked in addition to their schema: which issues count less, by class or place, and whether
   * undeclared arguments are looked for. Arguments whose issues all count as `warning` or `ignore` are valid.
   */
  readonly checks?: ArgumentChecksSetting | undefined;
  /**
   * What may be repaired in the arguments of all calls; nothing by default. A call may ask for more with `?repair=`.
   * `fill-defaults`, `rename-properties` and `match-enum-case`, which guess what was meant, are left out for a tool with
   * `destructiveHint: true`. A function says it for each tool itself; it gets what the call asks for.
   */
  readonly repair?:
    | RepairSetting
    | ((tool: Tool, asked: readonly RepairKind[]) => RepairSetting)
    | undefined;
  /**
   * Decides about the arguments of validations and calls, for a host that has rules of its own. The handler then makes
   * no check of its own, so `checks`, `repair` and `maxDepth` do not count. If the function throws, rejects or takes
   * longer than `hostTimeoutMs` for a call, nothing is valid and no call is made.
   */
  readonly judge?: HostJudge | undefined;
  /** Returns sentences for the client that say why a tool is not in the list, and what to do; undefined to say no more. */
  readonly whyMissing?: ((name: string) => string | undefined) | undefined;
  /** Called for each call before its arguments are checked. */
  readonly admit?: AdmitCall | undefined;
  /** Called for each call whose arguments were repaired, before the handler runs. */
  readonly onRepaired?: RepairListener | undefined;
  /** Called for each call that is refused because of its arguments, before the client gets the response. */
  readonly onRefused?: RefusalListener | undefined;
  /** Called with what goes wrong on the host's side: a handler that throws, a hook that rejects. */
  readonly onFault?: FaultListener | undefined;
}

/** The options with defaults. */
export interface Settings {
  readonly allowExecute: boolean;
  readonly authHook: AuthHook | undefined;
  readonly title: string;
  readonly projectName: string | undefined;
  readonly projectUrl: string | undefined;
  readonly prefix: string;
  readonly maxBodyBytes: number;
  readonly readBody: BodyReader | undefined;
  readonly toolErrorStatus: number;
  readonly callTimeoutMs: number | undefined;
  readonly hostTimeoutMs: number;
  readonly paths: PathStyle;
  readonly maxDepth: number;
  readonly maxObjectKeys: number;
  readonly maxKeys: number;
  readonly maxIssues: number;
  readonly console: ConsoleAssets | undefined;
  readonly gateway: string | undefined;
  readonly checks: ArgumentChecksSetting | undefined;
  readonly repair: NonNullable<UIConfig["repair"]>;
  readonly judge: HostJudge | undefined;
  readonly whyMissing: UIConfig["whyMissing"];
  readonly admit: AdmitCall | undefined;
  readonly onRepaired: RepairListener | undefined;
  readonly onRefused: RefusalListener | undefined;
  readonly onFault: FaultListener | undefined;
}

/** An option has an invalid value, or a name that is close to an option's. */
export class OptionError extends TypeError {
  override readonly name: string = "OptionError";
  readonly code = "invalid_option";
  /** The name of the option. */
  readonly option: string;

  constructor(option: string, problem: string) {
    super(`${option} ${problem}`);
    this.option = option;
  }
}

/** Returns, in words, what a value must be and what it is. */
export function typeMismatchText(wanted: string, given: unknown): string {
  return `must be ${wanted}, not ${describe(given)}`;
}

function describe(given: unknown): string {
  if (given === null || typeof given === "number") return String(given);
  if (typeof given === "string") return JSON.stringify(given.slice(0, 80));
  return Array.isArray(given) ? "an array" : `a value of type ${typeof given}`;
}

type Test<T> = (value: unknown) => value is T;

const isBoolean: Test<boolean> = (value) => typeof value === "boolean";
const isText: Test<string> = (value) => typeof value === "string";
const isFunction: Test<never> = (value): value is never => typeof value === "function";
const isAssets: Test<ConsoleAssets> = (value): value is ConsoleAssets =>
  typeof value === "object" && value !== null && "files" in value && value.files instanceof Map;
const isCount: Test<number> = (value): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0;
const isBase: Test<string> = (value): value is string =>
  isText(value) && /^(?:\.\/|(?:\.\.\/)+)$/.test(value);
const isStyle: Test<PathStyle> = (value): value is PathStyle =>
  value === "field" || value === "instance";

/** The longest time that a timer accepts, in milliseconds. */
const MAX_MS = 2_147_483_647;
const isTime: Test<number> = (value): value is number => isCount(value) && value <= MAX_MS;

/** Accepts only statuses whose responses have a body, since the response contains the result. */
const isStatus: Test<number> = (value): value is number =>
  isCount(value) && value >= 200 && value <= 599 && ![204, 205, 304].includes(value);

const isRepair = (value: unknown): value is RepairSetting =>
  (Array.isArray(value) ? value : [value]).every((one) => REPAIR_NAMES.includes(one));
const isRepairs: Test<NonNullable<UIConfig["repair"]>> = (
  value,
): value is NonNullable<UIConfig["repair"]> => typeof value === "function" || isRepair(value);
const isChecks: Test<ArgumentChecksSetting> = (value): value is ArgumentChecksSetting =>
  typeof value === "function" || isArgumentChecks(value);
const REPAIRS = `a list of ${REPAIR_NAMES.map((name) => `"${name}"`).join(", ")}`;

function kindsOf(setting: RepairSetting): readonly RepairKind[] {
  return repairsNamed(typeof setting === "string" ? [setting] : setting);
}

/**
 * Returns the kinds of repair that the option `repair` allows for a call of a tool.
 * @param asked the kinds that the call asks for
 * @throws what the host's function throws, and OptionError for a result that is not a list of repair names
 */
export function repairsOf(
  repair: Settings["repair"],
  tool: Tool,
  asked: readonly RepairKind[],
): readonly RepairKind[] {
  if (typeof repair === "function") {
    const setting: unknown = repair(tool, asked);
    if (!isRepair(setting)) throw new OptionError("repair", typeMismatchText(REPAIRS, setting));
    return kindsOf(setting);
  }
  const kinds = repairsNamed([...kindsOf(repair), ...asked]);
  const isDestructive = Object(tool.annotations)["destructiveHint"] === true;
  return isDestructive ? kinds.filter((kind) => SAFE_REPAIRS.includes(kind)) : kinds;
}

/** A path prefix without its last slash: `""`, or one that begins with a slash. */
export function normalPrefix(prefix: string): string {
  const path = prefix.replace(/\/+$/, "");
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}

/**
 * Returns the options with defaults; `undefined` and `null` count as absent.
 * @throws OptionError for an invalid value, and for a name that is close to an option's
 */
export function readOptions(config: UIConfig | undefined): Settings {
  const given: UIConfig = config ?? {};
  if (typeof given !== "object")
    throw new OptionError("options", typeMismatchText("an object", given));
  const known = new Set<string>();
  const read = <T>(option: keyof UIConfig, test: Test<T>, wanted: string): T | undefined => {
    known.add(option);
    const value: unknown = given[option];
    if (value === undefined || value === null) return undefined;
    if (test(value)) return value;
    throw new OptionError(option, typeMismatchText(wanted, value));
  };
  const hook: AuthHook | undefined = read("authHook", isFunction, "a function");
  const admit: AdmitCall | undefined = read("admit", isFunction, "a function");
  const onRefused: RefusalListener | undefined = read("onRefused", isFunction, "a function");
  const onRepaired: RepairListener | undefined = read("onRepaired", isFunction, "a function");
  const judge: HostJudge | undefined = read("judge", isFunction, "a function");
  const whyMissing: UIConfig["whyMissing"] = read("whyMissing", isFunction, "a function");
  const onFault: FaultListener | undefined = read("onFault", isFunction, "a function");
  const readBody: BodyReader | undefined = read("readBody", isFunction, "a function");
  const settings: Settings = {
    allowExecute: read("allowExecute", isBoolean, "true or false") ?? false,
    authHook: hook,
    title: read("title", isText, "text") ?? "MCP Tool Explorer",
    projectName: read("projectName", isText, "text"),
    projectUrl: read("projectUrl", isText, "text"),
    prefix: normalPrefix(read("prefix", isText, "a path such as /explorer") ?? ""),
    maxBodyBytes: read("maxBodyBytes", isCount, "a positive integer") ?? 4_194_304,
    toolErrorStatus:
      read(
        "toolErrorStatus",
        isStatus,
        "an HTTP status from 200 to 599 whose responses have a body",
      ) ?? 500,
    callTimeoutMs: read("callTimeoutMs", isTime, `an integer from 1 to ${MAX_MS}`),
    hostTimeoutMs: read("hostTimeoutMs", isTime, `an integer from 1 to ${MAX_MS}`) ?? 30_000,
    paths: read("paths", isStyle, '"field" or "instance"') ?? "field",
    maxDepth: read("maxDepth", isCount, "a positive integer") ?? 64,
    maxObjectKeys: read("maxObjectKeys", isCount, "a positive integer") ?? 65_536,
    maxKeys: read("maxKeys", isCount, "a positive integer") ?? 1_000_000,
    maxIssues: read("maxIssues", isCount, "a positive integer") ?? 1000,
    console: read("console", isAssets, "the built files of the console, with a Map of files"),
    gateway: read("gateway", isBase, "./, ../ or several of the latter"),
    checks: read("checks", isChecks, CHECKS),
    repair: read("repair", isRepairs, `${REPAIRS}, or a function`) ?? [],
    readBody,
    judge,
    whyMissing,
    admit,
    onRepaired,
    onRefused,
    onFault,
  };
  // A misspelled option is an error: a hook under another name, for example, would guard nothing.
  const slip = misspelledOption(given, known);
  if (slip !== undefined) throw new OptionError(slip.name, `is not an option; ${slip.meant} is`);
  return settings;
}
