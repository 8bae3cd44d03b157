import {
  type Check,
  type CheckLater,
  heaviestTreatment,
  type Issue,
  type JsonScan,
  MAX_SYNC_SCHEMA_BYTES,
  messageOf,
  type PathStyle,
  type RepairedText,
  type RepairKind,
  type Rules,
  repairText,
  SchemaCache,
  type Treatment,
  withoutIgnored,
} from "@touchstone/core/advanced";
import { type ArgumentChecks, type ArgumentChecksSetting, checksOf } from "./checks.ts";
import type { FaultListener } from "./fault.ts";
import type { HostJudge, HostJudgement } from "./host-judge.ts";
import { runWithTimeLimit, TIMED_OUT } from "./time-limit.ts";
import type { Tool } from "./tool.ts";

/** A check, and oddities of the schema itself. */
export interface Judgement extends Check {
  /** A function, because it reads the schema on the event loop, while checks leave large schemas to threads. */
  readonly schemaWarnings: () => readonly Issue[];
  /**
   * How the heaviest issue counts; undefined if there is none. With any treatment but `violation`, the arguments are
   * valid.
   */
  readonly treatment?: Treatment | undefined;
  /** Repairs the checked text; undefined if that does not make it valid. Absent if no schema was applied. */
  readonly repair?: (kinds: readonly RepairKind[]) => RepairedText | undefined;
  /** What the host decided: absent if it left the check to this package. */
  readonly host?: Pick<HostJudgement, "decision" | "repaired" | "isHandled">;
}

/** How to judge one text. */
export interface JudgingOptions {
  readonly maxIssues?: number | undefined;
  /** The kinds of repair that the client asks for. */
  readonly repair?: readonly RepairKind[] | undefined;
  /** Aborted when the client leaves. */
  readonly left?: AbortSignal | undefined;
}

/** Checks a JSON text by a tool's input schema. Never rejects. */
export type Judge = (
  tool: Pick<Tool, "name" | "inputSchema" | "texts">,
  text: Uint8Array,
  scan: JsonScan,
  options?: JudgingOptions,
) => Promise<Judgement>;

/** Limits of a {@link Judge}. */
export interface JudgeOptions {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxIssues: number;
  readonly paths: PathStyle;
  readonly checks: ArgumentChecksSetting | undefined;
  /** Receives failures of the host's functions. */
  readonly report: FaultListener;
}

/** Returns the check of something that could not be checked now. */
function unchecked(why: string): Check {
  const message = `the check was not made: ${why}; try again`;
  const issue: Issue = { path: "", message, rule: "budget", keyword: "budget" };
  const none = { warnings: [], suggestions: [] };
  return { valid: false, outcome: "unknown", errors: [issue], ...none, counts: { budget: 1 } };
}

/**
 * Returns a copy of a check without its engine errors, so that a repair makes the check again: the given one may list
 * fewer issues, and use the engine's paths.
 */
function withoutSources(check: Check): Check {
  return { ...check, errors: check.errors.map((issue) => ({ ...issue })) };
}

/**
 * Returns the check of a text with too many keys, to which no schema is applied; undefined if the text does not have
 * too many.
 */
export function tooManyKeysCheck({ error }: JsonScan): Check | undefined {
  if (error?.code !== "keys") return undefined;
  const { limit = 0 } = error;
  const [option, setting] =
    error.of === "object"
      ? ["maxObjectKeys", "limits.object_keys"]
      : ["maxKeys", "limits.message_keys"];
  const message = `${error.message}. Send fewer keys, or raise the limit (the option ${option}, in a gateway ${setting})`;
  const issue: Issue = { path: "", message, rule: "guard", keyword: "maxKeys" };
  return {
    ...{ valid: false, outcome: "guard", errors: [issue], counts: { guard: 1 } },
    ...{ warnings: [], suggestions: [] },
    guard: { guard: "maxKeys", limit, actual: limit + 1 },
  };
}

/** Returns a check as the settings treat it: without ignored issues, and valid if it has only warnings. */
function counted(check: Check, treatment: Treatment | undefined): Check {
  if (treatment === undefined) return check;
  const told = withoutIgnored(check);
  if (treatment === "violation") return told;
  const { truncated: _, errors, warnings, ...rest } = told;
  return { ...rest, valid: true, errors: [], warnings: [...errors, ...warnings] };
}

/**
 * Returns a judge with a cache of its own. Schemas are compiled once per content, whichever object contains them,
 * because hosts may build their tools again for every request.
 * @param later makes checks of more than a few milliseconds; without it, they block the event loop
 */
export function createJudge(
  { maxBytes, maxDepth, maxIssues, paths, checks, report }: JudgeOptions,
  later?: CheckLater,
): Judge {
  const schemas = new SchemaCache(later === undefined ? {} : { readNow: MAX_SYNC_SCHEMA_BYTES });
  return async (tool, text, scan, { maxIssues: most = maxIssues } = {}) => {
    const { inputSchema, texts } = tool;
    const written = (inputSchema ?? undefined) === undefined ? undefined : texts?.inputSchema;
    const schema = typeof written === "string" ? { text: written } : { value: inputSchema };
    const compiled = schemas.get(schema);
    const schemaWarnings = (): readonly Issue[] => compiled.warnings;
    let own: ArgumentChecks;
    try {
      own = checksOf(checks, tool);
    } catch (cause) {
      const message = "the function that chooses how arguments are checked failed";
      report({ code: "checks_failed", message, tool: tool.name, cause });
      const why = "it is unknown what to check";
      return { ...unchecked(why), schemaWarnings, treatment: "violation" };
    }
    const limits = { maxBytes, maxDepth, ...own };
    const options = { ...limits, maxIssues: most, paths };
    const made = (): Check | Promise<Check> => {
      if (later === undefined) return compiled.validateText(text, options);
      const check = compiled.validateLater(text, later, options);
      return check instanceof Promise ? check.catch((why) => unchecked(messageOf(why))) : check;
    };
    const over = tooManyKeysCheck(scan);
    const check = over ?? (await made());
    const treatment = check.valid ? undefined : heaviestTreatment(check, own.rules ?? NO_RULES);
    const judgement = { ...counted(check, treatment), treatment, schemaWarnings };
    if (over !== undefined) return judgement;
    const repair = (kinds: readonly RepairKind[]): RepairedText | undefined =>
      repairText({
        ...{ schema: compiled, declared: inputSchema, bytes: text },
        ...{ check: withoutSources(check), repair: kinds, limits },
      });
    return { ...judgement, repair };
  };
}

const NO_RULES: Rules = {};

/** Returns whether there is something that a repair could leave better: an issue that is not ignored. */
export function isRepairable({ treatment }: Judgement): boolean {
  return treatment !== undefined && treatment !== "ignore";
}

/** The signal of a client that does not leave. */
const STAYS: AbortSignal = new AbortController().signal;

/**
 * Returns a judge that asks the host. If the host's function fails, or takes longer than `hostTimeoutMs` for a call,
 * nothing was checked.
 */
export function judgeOf(
  host: HostJudge,
  {
    maxIssues,
    report,
    hostTimeoutMs,
  }: Pick<JudgeOptions, "maxIssues" | "report"> & { readonly hostTimeoutMs: number },
): Judge {
  return async ({ name: tool }, body, _scan, options = {}) => {
    const { maxIssues: most = maxIssues, repair = [], left = STAYS } = options;
    const failed = (why: string, cause?: unknown): Judgement => {
      report({
        code: "checks_failed",
        message: `the function that judges calls ${why}`,
        tool,
        cause,
      });
      return { ...unchecked("it is unknown what to check"), schemaWarnings: () => [] };
    };
    try {
      const decided = await runWithTimeLimit(hostTimeoutMs, left, (signal) =>
        host({ tool, body, repair, signal }),
      );
      if (decided === TIMED_OUT) return failed(`did not end within ${hostTimeoutMs} ms`);
      const { check, schemaWarnings = () => [], ...rest } = decided;
      return { ...atMost(check, most), schemaWarnings, host: rest };
    } catch (cause) {
      return failed("failed", cause);
    }
  };
}

/** Returns a check that lists at most `most` errors, and counts the others. */
function atMost(check: Check, most: number): Check {
  const { errors, truncated = 0 } = check;
  if (errors.length <= most) return check;
  return { ...check, errors: errors.slice(0, most), truncated: truncated + errors.length - most };
}
