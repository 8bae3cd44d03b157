import {
  boundedResult,
  type Check,
  decodeUtf8,
  duplicateWarnings,
  type Issue,
  isUnchecked,
  type JsonScan,
  type RepairKind,
  type Suggestion,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import { encodeJson } from "./answers/encode.ts";
import { isRepairable, type Judge, type Judgement } from "./judge.ts";
import { invalidJson, type ValidateResult, type ValidationFailure } from "./result.ts";

/** A {@link ValidateResult} with all details, for `?detail=full`. */
export interface DetailedResult extends ValidateResult {
  readonly errors?: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly suggestions: readonly Suggestion[];
}

/** Returns why a text is not JSON (RFC 8259); undefined if it is. A text over a limit may still be JSON. */
export function jsonFault(scan: JsonScan): ValidateResult | undefined {
  const { error } = scan;
  const isLimit = error?.code === "depth" || error?.code === "keys";
  return error === undefined || isLimit ? undefined : invalidJson(error.message);
}

function failure({ path, message, keyword }: Issue): ValidationFailure {
  return { path, message, ...(keyword === undefined ? {} : { keyword }) };
}

function checkedOf(judgement: Check): Pick<ValidateResult, "checked"> {
  return isUnchecked(judgement) ? { checked: false } : {};
}

function decisionOf({ host }: Pick<Judgement, "host">): Pick<ValidateResult, "decision"> {
  return host === undefined ? {} : { decision: host.decision };
}

/** A check in the form of a response. */
export function resultOf(judgement: Check & Pick<Judgement, "host">): ValidateResult {
  const { valid, errors, truncated, host } = judgement;
  if (valid) return host?.decision === "repaired" ? { valid, ...decisionOf(judgement) } : { valid };
  return {
    valid,
    ...decisionOf(judgement),
    ...checkedOf(judgement),
    errors: errors.map(failure),
    ...(truncated === undefined ? {} : { truncated }),
  };
}

function detailOf(judgement: Judgement, scan: JsonScan, most: number): DetailedResult {
  const { valid, errors, warnings, suggestions, truncated, schemaWarnings } = judgement;
  return boundedResult({
    valid,
    ...decisionOf(judgement),
    ...(valid ? {} : { ...checkedOf(judgement), errors }),
    ...(truncated === undefined ? {} : { truncated }),
    warnings: [...warnings, ...duplicateWarnings(scan, most), ...schemaWarnings()],
    suggestions,
  });
}

/** The JSON text of a verdict, and the number of failures listed in it. */
export interface WrittenCheck {
  readonly text: string;
  readonly failures: number;
}

/**
 * Returns the repair of a text that has issues: the one that its call would get, or the one that the client asks for.
 */
function proposalOf(judgement: Judgement, kinds: readonly RepairKind[]): string | undefined {
  const isWanted = kinds.length > 0 && isRepairable(judgement);
  const found = judgement.host?.repaired ?? (isWanted ? judgement.repair?.(kinds) : undefined);
  if (found === undefined) return undefined;
  const { bytes, repairs, patch } = found;
  return `{"arguments":${decodeUtf8(bytes).trim()},"repairs":${JSON.stringify(repairs)},"patch":${patch}}`;
}

/** How to make and write a verdict. */
export interface WrittenCheckOptions {
  /** The kinds of repair to propose; they are never applied. */
  readonly repair: readonly RepairKind[];
  /** Whether to include all details. */
  readonly detail: boolean;
  readonly maxIssues: number;
  /** Aborted when the client leaves. */
  readonly left: AbortSignal;
}

/** Most keys of a text to which a schema is applied. */
export interface KeyLimits {
  readonly maxObjectKeys: number;
  readonly maxKeys: number;
}

/** How long all requests together may work in one turn of the event loop, in milliseconds. */
const TURN_MS = 10;

/**
 * Whether a timer of one request may resume another request. On edge runtimes it may not. There, clocks stop while a
 * request works, and the runtime limits each request's time itself.
 */
const isShared =
  typeof globalThis.setImmediate === "function" &&
  (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent !==
    "Cloudflare-Workers";

/** When the first work of this turn began; undefined if there was none yet. */
let began: number | undefined;
const waiting: (() => void)[] = [];

function begin(): void {
  began = performance.now();
  setImmediate(() => {
    began = undefined;
    const next = waiting.shift();
    if (next === undefined) return;
    begin();
    next();
  });
}

/** Returns whether this turn's time is over. The first call in a turn starts its time. */
function isOver(): boolean {
  if (!isShared) return false;
  if (began === undefined) begin();
  return began !== undefined && performance.now() - began >= TURN_MS;
}

/** Waits for another turn if this turn's time is over. One waiting request resumes in each turn. */
export async function nextTurn(): Promise<void> {
  if (isOver()) await new Promise<void>((resume) => waiting.push(resume));
}

/** Runs steps to their end, in turns that all requests share. */
export async function runInTurns<T>(steps: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    if (isOver()) await nextTurn();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Scans the arguments of a tool for everything that is checked before any schema, in turns.
 * @param limits of a text to which a schema is applied; a tool without a schema accepts any
 */
export function scanText(
  text: Uint8Array,
  { inputSchema }: Parameters<Judge>[0],
  { maxObjectKeys, maxKeys }: KeyLimits,
): Promise<JsonScan> {
  const limits = (inputSchema ?? undefined) === undefined ? {} : { maxObjectKeys, maxKeys };
  return runInTurns(scanJsonSteps(text, { duplicates: true, ...limits }));
}

/**
 * Returns the verdict on a text that is one JSON value. Never rejects.
 * @param scan the result of {@link scanText} for the text
 */
export async function validateScanned(
  judge: Judge,
  tool: Parameters<Judge>[0],
  text: Uint8Array,
  scan: JsonScan,
  { detail, maxIssues, repair, left }: WrittenCheckOptions,
): Promise<WrittenCheck> {
  const judgement = await judge(tool, text, scan, { maxIssues, repair, left });
  const full = detail ? encodeJson(detailOf(judgement, scan, maxIssues)) : undefined;
  const failures = judgement.errors.length;
  const told = full ?? JSON.stringify(resultOf(judgement));
  const proposal = proposalOf(judgement, repair);
  return { text: proposal ? `${told.slice(0, -1)},"repair":${proposal}}` : told, failures };
}
