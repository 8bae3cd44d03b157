import {
  applyOperation,
  encodeUtf8,
  type Issue,
  type PatchOperation,
  parseJson,
  pointerTokens,
  repairsNamed,
  scanJson,
  valueAt,
} from "@touchstone/core/advanced";
import type { ActivityScope } from "@touchstone/records/filter";
import { type ActivityReader, parseChecks, repairsIn } from "@touchstone/records/plain";
import { PageSize, recordsLength } from "@touchstone/records/reading";
import { type ActivityRecord, STOPPED_STATUSES } from "@touchstone/records/record";
import { REDACTED } from "@touchstone/util";
import {
  type Narrowing,
  narrowIssues,
  narrowingsOf,
  type ServerNarrowings,
} from "../../features/narrow/narrow.ts";
import type { SettingsByLevel } from "../../policy/exemptions.ts";
import type { InputCheckSettings } from "../../settings/validation.ts";

/*
 * What `narrow` would have blocked among recorded calls. It constrains values, so the records must contain them:
 * calls without recorded arguments, or with only a part of them, count as unknown.
 */

/** Calls of one tool and caller for which `narrow` has the same result. */
export interface NarrowedCalls {
  /** The keyword of the record; `narrow` if it is unknown whether the calls would have been blocked. */
  readonly rule: string;
  readonly reason: string;
  readonly isKnown: boolean;
  calls: number;
}

/** The findings for one tool and caller. */
export interface NarrowFindings {
  /** How many of its calls were read. */
  read: number;
  readonly found: readonly NarrowedCalls[];
}

/** Calls that are read, the newest first. */
export const MAX_CALLS_READ = 100_000;
const MAX_PAGE = 1_000;

/** Returns a key for a server, tool and caller. */
export const callerToolKey = (
  server: string | null | undefined,
  tool: string | null | undefined,
  caller: string | null | undefined,
): string => JSON.stringify([server ?? null, tool ?? null, caller ?? null]);

/** Checks recorded calls with the schemas of `narrow` of a configuration, by {@link callerToolKey}, as if its mode were `strict`. */
export async function narrowRollout(
  reader: Pick<ActivityReader, "scan">,
  scope: ActivityScope,
  { servers }: Pick<SettingsByLevel, "servers">,
): Promise<ReadonlyMap<string, NarrowFindings>> {
  const all = new Map<string, { read: number; found: NarrowedCalls[] }>();
  const patches = new Patches(reader);
  let left = MAX_CALLS_READ;
  for (const { name, tools } of servers) {
    const narrowings = narrowingsOf(tools);
    const isMeant = scope.server === undefined || scope.server === name;
    if (narrowings === undefined || !isMeant) continue;
    const calls: ActivityScope = { ...scope, server: name, types: ["tool_call"] };
    const size = new PageSize(MAX_PAGE);
    let after: string | undefined;
    while (left > 0) {
      const limit = Math.min(size.next, left);
      const page = await reader.scan(calls, { after, limit, order: "desc" });
      left -= page.length;
      size.took(page.length, recordsLength(page));
      for (const record of page) {
        const patch = (): Promise<string | undefined> => patches.of(record);
        await take(record, narrowings, tools, all, patch);
      }
      after = page.at(-1)?.id;
      if (page.length < limit) break;
    }
  }
  return all;
}

async function take(
  record: ActivityRecord,
  narrowings: ServerNarrowings,
  tools: SettingsByLevel["servers"][number]["tools"],
  all: Map<string, { read: number; found: NarrowedCalls[] }>,
  patch: () => Promise<string | undefined>,
): Promise<void> {
  const { server, tool, caller, status } = record;
  const narrowing = typeof tool === "string" ? narrowings.of(tool) : narrowings.blocking;
  if (narrowing === undefined || STOPPED_STATUSES.has(status)) return;
  const key = callerToolKey(server, tool, caller);
  const known = all.get(key) ?? { read: 0, found: [] };
  all.set(key, known);
  known.read += 1;
  const input = tools.get(narrowing.tool)?.input;
  const limits = input && { maxBytes: input.maxBytes, maxDepth: input.maxDepth };
  const sent = await sentBy(record, input, patch);
  const said =
    typeof sent === "string" ? unknown(sent) : sayOf(record, sent.text, narrowing, limits);
  if (said === undefined) return;
  const same = known.found.find(({ rule, reason }) => rule === said.rule && reason === said.reason);
  if (same === undefined) known.found.push({ ...said, calls: 1 });
  else same.calls += 1;
}

/**
 * Returns the text of the arguments that the gateway would send with these settings, which `narrow` checks: they may have
 * been repaired. If that is unknown, returns why.
 */
async function sentBy(
  { arguments: received, repairs, adapt, checks }: ActivityRecord,
  input: InputCheckSettings | undefined,
  patch: () => Promise<string | undefined>,
): Promise<string | { readonly text: string | undefined }> {
  if (adapt?.includes("drop-nulls") === true) return "its arguments were changed by adapt";
  if (received === undefined || received === null) return { text: undefined };
  const kinds = input === undefined || input.mode === "off" ? [] : repairsNamed(input.repair);
  if (kinds.length === 0) return { text: received };
  if (repairs === undefined) {
    const outcome = parseChecks(checks ?? "").get("input")?.outcome;
    const isValid = outcome === "pass" || outcome === "undeclared";
    return isValid ? { text: received } : "it is unknown how repair would change its arguments";
  }
  // Arguments are repaired as a whole or not at all.
  if (!repairsIn(repairs).every(({ kind }) => kinds.includes(kind))) return { text: received };
  const repaired = repairedText(received, await patch());
  return repaired === undefined
    ? "its repaired arguments are not recorded (field patch of its decision)"
    : { text: repaired };
}

/** Returns the text of arguments after a JSON Patch; undefined if either is incomplete or a number would lose digits. */
function repairedText(received: string, patch: string | undefined): string | undefined {
  if (patch === undefined) return undefined;
  for (const text of [received, patch]) {
    const scan = scanJson(encodeUtf8(text), { duplicates: true, numbers: true });
    if (scan.error !== undefined || scan.duplicates.length + scan.lossyNumbers.length > 0) {
      return undefined;
    }
  }
  let value: unknown = JSON.parse(received);
  for (const operation of JSON.parse(patch) as readonly PatchOperation[]) {
    const applied = applyOperation(value, operation);
    if (applied === undefined) return undefined;
    ({ value } = applied);
  }
  return JSON.stringify(value);
}

/** How many patches to read, each with a separate query. */
const MAX_PATCHES = 2_000;

/** The patches of repaired calls, which are in the records of the decisions. */
class Patches {
  readonly #reader: Pick<ActivityReader, "scan">;
  #left = MAX_PATCHES;

  constructor(reader: Pick<ActivityReader, "scan">) {
    this.#reader = reader;
  }

  async of({ request_id: request }: ActivityRecord): Promise<string | undefined> {
    if (request === null || this.#left === 0) return undefined;
    this.#left -= 1;
    const scope = { request, types: ["policy_decision"], directions: ["input"] } as const;
    const [decision] = await this.#reader.scan(scope, { limit: 1 });
    return decision?.patch;
  }
}

const unknown = (why: string): Omit<NarrowedCalls, "calls"> => ({
  rule: "narrow",
  reason: why,
  isKnown: false,
});

/** Returns what `narrow` says about one call; undefined if it allows it. */
function sayOf(
  { tool, result }: ActivityRecord,
  sent: string | undefined,
  narrowing: Narrowing,
  limits: { readonly maxBytes: number; readonly maxDepth: number } | undefined,
): Omit<NarrowedCalls, "calls"> | undefined {
  if (typeof tool !== "string") {
    return {
      rule: "narrow",
      reason: "the call names no tool, so it may call any tool",
      isKnown: true,
    };
  }
  // The record of a call without arguments does not have any arguments, either.
  const text = sent ?? (result === undefined || result === null ? undefined : "{}");
  if (text === undefined || text === null) {
    return unknown("its arguments are not recorded (activity.bodies)");
  }
  const bytes = encodeUtf8(text);
  const parsed = parseJson(bytes);
  if (!parsed.ok) return unknown("its arguments are recorded in part (activity.body_max_bytes)");
  const strict: Narrowing = { ...narrowing, mode: "strict" };
  const issues = narrowIssues(strict, bytes, limits);
  const isHidden = text.includes(REDACTED);
  const sure = issues.find((issue) => !isHidden || !isRedacted(parsed.value, issue));
  if (sure !== undefined) {
    const { keyword = "narrow", schemaPath } = sure;
    const at = schemaPath === undefined ? "" : ` at ${schemaPath.replace(/^#/, "")}`;
    return { rule: keyword, reason: `the tool's narrow schema${at} refuses it`, isKnown: true };
  }
  return isHidden ? unknown("parts of its arguments are redacted") : undefined;
}

/** Returns whether an issue may be about a value that was removed from a record. */
function isRedacted(value: unknown, { path }: Issue): boolean {
  const place = valueAt(value, pointerTokens(path));
  return place !== undefined && (JSON.stringify(place.value) ?? "").includes(REDACTED);
}
