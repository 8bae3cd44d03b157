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
} from "@touchstone/core";
import { encodeJson } from "./answers/encode.ts";
import { isRepairable, type Judge, type Judgement } from "./judge.ts";
import { invalidJson, type ValidateResult, type ValidationFailure } from "./result.ts";

/** A {@link ValidateResult} with everything that is known, for `?detail=full`. */
export interface DetailedResult extends ValidateResult {
  readonly errors?: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly suggestions: readonly Suggestion[];
}

/** Returns why a text is not JSON (RFC 8259); undefined if it is. A text that goes over a limit may well be JSON. */
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

/** A judgement as it is answered. */
export function resultOf(judgement: Check): ValidateResult {
  const { valid, errors, truncated } = judgement;
  if (valid) return { valid };
  return {
    valid,
    ...checkedOf(judgement),
    errors: errors.map(failure),
    ...(truncated === undefined ? {} : { truncated }),
  };
}

function detailOf(judgement: Judgement, scan: JsonScan, most: number): DetailedResult {
  const { valid, errors, warnings, suggestions, truncated, schemaWarnings } = judgement;
  return boundedResult({
    valid,
    ...(valid ? {} : { ...checkedOf(judgement), errors }),
    ...(truncated === undefined ? {} : { truncated }),
    warnings: [...warnings, ...duplicateWarnings(scan, most), ...schemaWarnings],
    suggestions,
  });
}

/** The JSON text of a verdict, and how many failures it lists. */
export interface Verdict {
  readonly text: string;
  readonly failures: number;
}

/** The repair that is proposed for a text in which something is wrong. */
function proposalOf(judgement: Judgement, kinds: readonly RepairKind[]): string | undefined {
  const isWanted = kinds.length > 0 && isRepairable(judgement);
  const found = isWanted ? judgement.repair?.(kinds) : undefined;
  if (found === undefined) return undefined;
  const { bytes, repairs, patch } = found;
  return `{"arguments":${decodeUtf8(bytes).trim()},"repairs":${JSON.stringify(repairs)},"patch":${patch}}`;
}

/** How a verdict is made and told. */
export interface VerdictOptions {
  /** The kinds of repair that are proposed, and never applied. */
  readonly repair: readonly RepairKind[];
  /** Whether everything that is known is told. */
  readonly detail: boolean;
  readonly maxIssues: number;
}

/** The most keys of a text that a schema is applied to. */
export interface KeyLimits {
  readonly maxObjectKeys: number;
  readonly maxKeys: number;
}

/** How long all requests together may work in one turn of the event loop, in milliseconds. */
const TURN_MS = 10;

/**
 * Whether one request's timer may let another go on. On the edge it may not, and clocks stand still while a request
 * works, which has a limit of its own there.
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

/** Whether the time of this turn is over. The first work that asks in a turn begins it. */
function isOver(): boolean {
  if (!isShared) return false;
  if (began === undefined) begin();
  return began !== undefined && performance.now() - began >= TURN_MS;
}

/** Waits for another turn if the time of this one is over. Of all that wait, one goes on in each turn. */
export async function turn(): Promise<void> {
  if (isOver()) await new Promise<void>((resume) => waiting.push(resume));
}

/** Takes steps to their end, in turns that all requests share. */
export async function inTurns<T>(steps: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    if (isOver()) await turn();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Scans the arguments of a tool for what is judged before any schema, in turns.
 * @param limits of a text that a schema is applied to; a tool without a schema takes any
 */
export function scanText(
  text: Uint8Array,
  { inputSchema }: Parameters<Judge>[0],
  { maxObjectKeys, maxKeys }: KeyLimits,
): Promise<JsonScan> {
  const limits = (inputSchema ?? undefined) === undefined ? {} : { maxObjectKeys, maxKeys };
  return inTurns(scanJsonSteps(text, { duplicates: true, ...limits }));
}

/**
 * The verdict on a text that is one JSON value. Never rejects.
 * @param scan what {@link scanText} gave for the text
 */
export async function verdict(
  judge: Judge,
  tool: Parameters<Judge>[0],
  text: Uint8Array,
  scan: JsonScan,
  { detail, maxIssues, repair }: VerdictOptions,
): Promise<Verdict> {
  const judgement = await judge(tool, text, scan, maxIssues);
  const full = detail ? encodeJson(detailOf(judgement, scan, maxIssues)) : undefined;
  const failures = judgement.errors.length;
  const told = full ?? JSON.stringify(resultOf(judgement));
  const proposal = proposalOf(judgement, repair);
  return { text: proposal ? `${told.slice(0, -1)},"repair":${proposal}}` : told, failures };
}
