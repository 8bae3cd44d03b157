import { isDeepStrictEqual } from "node:util";
import { locateWith } from "../json/locate.ts";
import { joinPointer } from "../json/pointer.ts";
import type { JsonScan, MemberPlan, ScanOptions } from "../json/range.ts";
import { scanWith } from "../json/scan.ts";
import { type StepSizes, scanStepsWith } from "../json/scan-steps.ts";
import { decodeUtf8 } from "../json/text.ts";
import { walkJson } from "../json/walk.ts";
import { scriptOnlyScanner, wasmScanners } from "../json/wasm/source.ts";
import { expectedDisagreement } from "./expected-agreement.ts";
import { same } from "./same-scan.ts";

/** Names that the texts of the tests have. */
export const PLAN: MemberPlan = {
  id: true,
  a: { a: true, b: { "a/b": true } },
  jsonrpc: true,
  method: true,
  params: { name: true, id: true, "": true, é: { "😀": true }, arguments: true },
  result: { tools: true, structuredContent: { a: true }, content: true },
};

/** The options: first with everything requested, then with parts of it. */
export const OPTIONS: readonly ScanOptions[] = [
  { members: PLAN, duplicates: true, numbers: true, maxDepth: Number.POSITIVE_INFINITY },
  {},
  { members: PLAN, numbers: true },
  { members: PLAN, duplicates: true, maxDepth: 3 },
  { numbers: true, maxDepth: 2 },
];

/** The value, or undefined if the platform's own parser refuses the bytes. */
function platformParse(bytes: Uint8Array): { value: unknown } | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/**
 * Follows the plan through own members only, in the value that JSON.parse returned: for a duplicate key, the last
 * member.
 */
function plannedValues(value: unknown, plan: MemberPlan, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const found: Record<string, unknown> = {};
  for (const [name, inside] of Object.entries(plan)) {
    const member = Object.getOwnPropertyDescriptor(value, name);
    if (member === undefined) continue;
    const pointer = joinPointer(path, name);
    found[pointer] = member.value;
    if (inside !== true) Object.assign(found, plannedValues(member.value, inside, pointer));
  }
  return found;
}

function foundValues(bytes: Uint8Array, scan: Pick<JsonScan, "members">): Record<string, unknown> {
  const entries = [...scan.members].map(([pointer, { start, end }]) => {
    const value: unknown = JSON.parse(decodeUtf8(bytes, start, end));
    return [pointer, value] as const;
  });
  return Object.fromEntries(entries);
}

/** Steps much smaller than those of `scanJsonSteps`, in which all, some or no containers are checked as a whole. */
const STEP_SIZES: readonly StepSizes[] = [
  { whole: 0, step: 16, passed: 4_096, least: 2 },
  { whole: 0, step: 16, passed: 24, least: 8 },
  { whole: 0, step: 64, passed: 0, least: 1 },
];

/** Returns the result of a scan in steps, and how many steps it took. */
export function scanInSteps(
  bytes: Uint8Array,
  options: ScanOptions,
  sizes: StepSizes,
): { readonly scan: JsonScan; readonly steps: number } {
  const scanning = scanStepsWith(bytes, options, wasmScanners, sizes);
  for (let steps = 1; ; steps += 1) {
    const { done, value } = scanning.next();
    if (done === true) return { scan: value, steps };
  }
}

/** Compares results with the platform's parser. @returns what differs, or undefined */
export function platformDisagreement(bytes: Uint8Array): string | undefined {
  const options = { members: PLAN, maxDepth: Number.POSITIVE_INFINITY };
  const scan = scanWith(bytes, options, wasmScanners);
  const parsed = platformParse(bytes);
  if ((scan.error === undefined) !== (parsed !== undefined)) return "accepted by one only";
  const values = foundValues(bytes, scan);
  if (parsed === undefined) {
    const { offset } = scan.error ?? { offset: -1 };
    return offset >= 0 && offset <= bytes.length ? undefined : "offset out of the text";
  }
  const expected = plannedValues(parsed.value, PLAN, "");
  return isDeepStrictEqual(values, expected) ? undefined : "other members than JSON.parse";
}

/**
 * Compares the scans in JavaScript and in WebAssembly, and the two ways to locate, with each other
 * and with the platform's parser.
 * @param asked the options to compare with
 * @returns what differs, or undefined
 */
export function disagreement(
  bytes: Uint8Array,
  asked: readonly ScanOptions[] = OPTIONS,
): string | undefined {
  for (const [index, options] of asked.entries()) {
    const what = disagreementIn(bytes, options);
    if (what !== undefined) return `${what}, with options ${index}`;
  }
  return expectedDisagreement(bytes) ?? platformDisagreement(bytes);
}

function disagreementIn(bytes: Uint8Array, options: ScanOptions): string | undefined {
  const scan = walkJson(bytes, options);
  if (!same(scanWith(bytes, options, wasmScanners), scan)) return "scan in WebAssembly";
  for (const sizes of STEP_SIZES) {
    if (!same(scanInSteps(bytes, options, sizes).scan, scan)) return "scan in steps";
  }
  const located = locateWith(bytes, options, scriptOnlyScanner);
  if (!same(locateWith(bytes, options, wasmScanners), located)) return "locate in WebAssembly";
  if (located.error !== undefined) {
    return isDeepStrictEqual(located.error, scan.error) ? undefined : "fault of locate";
  }
  if (scan.error !== undefined) return undefined;
  const { members, root, depth } = located;
  const both = { members: scan.members, root: scan.root, depth: scan.depth };
  return same({ members, root, depth }, both) ? undefined : "what is located";
}
