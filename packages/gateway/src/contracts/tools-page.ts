import {
  arrayItemSteps,
  arrayItems,
  type Issue,
  type JsonRange,
  parseJson,
  scanJson,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { definitionSteps } from "@touchstone/protocol/lock";
import { MAX_PINNED_TEXT, type ToolDeclaration } from "@touchstone/records/plain";
import { type ContractPage, MAX_TOOLS } from "./contract-list.ts";
import { copySchema } from "./large-schema.ts";
import { nextPageCursor } from "./own-request.ts";

const MEMBERS = {
  name: true,
  inputSchema: true,
  outputSchema: true,
  annotations: { destructiveHint: true, readOnlyHint: true },
} as const;
/** Of `true`. */
const LETTER_T = 0x74;
const TTL = "/result/ttlMs";
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;
/** Of `null`. */
const LETTER_N = 0x6e;
/** Longest name to keep. MCP 2025-11-25 allows 1 to 128 characters. */
const MAX_NAME = 1_024;
/** Of the text of such a name, with each character escaped. */
const MAX_NAME_BYTES = 6 * MAX_NAME + 2;
const NO_OBJECT = "a tool must be an object";
const NO_NAME = "a tool's name must be a string";
const LONG_NAME = `a tool's name is longer than ${MAX_NAME} characters`;
/**
 * Returns how much of one page to read. A frame has room for tens of millions of entries that are not tools or that
 * share one name; each takes time, and the fault about each takes a hundred times its space.
 */
export const maxPageEntries = (maxTools: number): number => 2 * maxTools;

const NONE: ReadonlySet<string> = new Set();

/** A page of a `tools/list` result, and what is wrong with single tools in it. */
export interface ToolsPage extends ContractPage {
  readonly tools: readonly ToolDeclaration[];
  /** Faults by pointers into the frame (`/result/tools/3/name`). */
  readonly faults: readonly Issue[];
}

/**
 * Reads the declarations in the response to `tools/list`, a tool in each step. Reports faults inside one tool and
 * reads the others. Returns undefined if the response contains no list.
 * @param cursor of the request; undefined for the first page
 * @param earlier the tools on the pages before it
 * @param maxTools how many tools of a list to keep; twice as many entries of a page are read
 * @param pinned whether to read the whole definition of each tool
 */
export function* toolsPageSteps(
  frame: Frame,
  cursor: string | undefined,
  earlier: Pick<ReadonlySet<string>, "has"> = NONE,
  maxTools: number = MAX_TOOLS,
  pinned = false,
): Generator<void, ToolsPage | undefined, void> {
  const { bytes, ranges } = frame;
  if (ranges.tools === undefined || bytes[ranges.tools.start] !== OPEN_ARRAY) return undefined;
  const tools: ToolDeclaration[] = [];
  const faults: Issue[] = [];
  const names = new Set<string>();
  // A page whose cursor leads to itself may be the previous one, from a server that never omits the cursor.
  const before = cursor !== undefined && frame.nextCursor === cursor ? NONE : earlier;
  const repeated = new Set<string>();
  const most = maxPageEntries(maxTools);
  let index = 0;
  let cut = false;
  for (const range of arrayItemSteps(bytes, ranges.tools)) {
    yield;
    if (range === undefined) continue;
    const { start, end } = range;
    if (index === most) {
      cut = true;
      const message = `the list has more than ${most} entries; the rest is not read`;
      faults.push({ path: "/result/tools", message, rule: "protocol" });
      break;
    }
    const path = `/result/tools/${index}`;
    index += 1;
    const own = bytes.subarray(start, end);
    const tool = yield* readTool(own);
    if (typeof tool === "string") {
      // A call of that tool would otherwise count as a call of an unlisted tool.
      if (tool === LONG_NAME) cut = true;
      faults.push({ path, message: tool, rule: "protocol" });
      continue;
    }
    const isHere = names.has(tool.name);
    if (isHere || before.has(tool.name)) {
      const place = isHere ? "the list" : "an earlier page of the list";
      const message = `${place} holds a tool of this name already; the last one counts`;
      faults.push({ path: `${path}/name`, message, rule: "protocol" });
      repeated.add(tool.name);
    }
    names.add(tool.name);
    tools.push(
      pinned ? { ...tool, definition: yield* definitionSteps(own, MAX_PINNED_TEXT) } : tool,
    );
  }
  return { tools, faults, cut, repeated, ...pagePosition(frame, cursor) };
}

/**
 * Returns where a page is in its list, and how long it is fresh. A `nextCursor` that is not a string (MCP 2025-11-25,
 * Pagination) ends the list: no request can ask for the rest.
 */
export function pagePosition(
  frame: Frame,
  cursor: string | undefined,
): Pick<ToolsPage, "cursor" | "next" | "ttlMs" | "cut"> {
  const ttlMs = readTtl(frame);
  const next = nextPageCursor(frame, cursor);
  return {
    ...(cursor === undefined ? {} : { cursor }),
    ...(next === undefined ? {} : { next }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(hasOtherCursor(frame) ? { cut: true } : {}),
  };
}

/** Returns whether `nextCursor` is present and neither a string nor null. */
function hasOtherCursor(frame: Frame): boolean {
  const range = frame.range("/result/nextCursor");
  if (range === undefined || frame.nextCursor !== undefined) return false;
  return frame.bytes[range.start] !== LETTER_N;
}

/** Returns the cursor of a `tools/list` request; undefined for the first page. */
export function requestedCursor(frame: Frame): string | undefined {
  const range = frame.range("/params/cursor");
  const parsed = range && parseJson(frame.bytes.subarray(range.start, range.end));
  if (!parsed?.ok || parsed.value === null) return undefined;
  return typeof parsed.value === "string" ? parsed.value : JSON.stringify(parsed.value);
}

/** How much of a page to look through for names, in bytes. */
const MAX_NAMED = 4_194_304;

/**
 * Returns the names of tools on a page, by their places in it. A tool without a readable name has none, and neither
 * has a tool beyond the first 4 MiB of the list.
 * @param places of the tools to read
 */
export function toolNames(
  { bytes, ranges }: Frame,
  places: readonly number[],
): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  if (ranges.tools === undefined || bytes[ranges.tools.start] !== OPEN_ARRAY) return names;
  const wanted = new Set(places);
  const last = Math.max(...places);
  const near = Math.min(ranges.tools.end, ranges.tools.start + MAX_NAMED);
  let index = 0;
  for (const { start, end } of arrayItems(bytes, { start: ranges.tools.start, end: near })) {
    // If a list is cut, its last entry may be cut as well.
    if (index > last || (near < ranges.tools.end && end >= near - 1)) break;
    if (wanted.has(index)) {
      const own = bytes.subarray(start, end);
      const { text } = nameAt(own, scanJson(own, { members: { name: true } }).members.get("/name"));
      if (text !== undefined) names.set(index, text);
    }
    index += 1;
  }
  return names;
}

type ReadName = { readonly text: string } | { readonly text?: undefined; readonly fault: string };

function nameAt(bytes: Uint8Array, range: JsonRange | undefined): ReadName {
  if (range === undefined || bytes[range.start] !== QUOTE) return { fault: NO_NAME };
  if (range.end - range.start > MAX_NAME_BYTES) return { fault: LONG_NAME };
  const parsed = parseJson(bytes.subarray(range.start, range.end));
  if (!parsed.ok || typeof parsed.value !== "string") return { fault: NO_NAME };
  return parsed.value.length > MAX_NAME ? { fault: LONG_NAME } : { text: parsed.value };
}

function* readTool(bytes: Uint8Array): Generator<void, ToolDeclaration | string, void> {
  if (bytes[0] !== OPEN_OBJECT) return NO_OBJECT;
  const { members } = yield* scanJsonSteps(bytes, { members: MEMBERS });
  const name = nameAt(bytes, members.get("/name"));
  if (name.text === undefined) return name.fault;
  const input = yield* copySchema(bytes, members.get("/inputSchema"));
  const output = yield* copySchema(bytes, members.get("/outputSchema"));
  const isTrue = (hint: string): boolean => {
    const range = members.get(`/annotations/${hint}`);
    return range !== undefined && bytes[range.start] === LETTER_T;
  };
  return {
    name: name.text,
    isDestructive: isTrue("destructiveHint"),
    isReadOnly: isTrue("readOnlyHint"),
    ...(input === undefined ? {} : { inputSchema: input.text, inputHash: input.hash }),
    ...(output === undefined ? {} : { outputSchema: output.text, outputHash: output.hash }),
  };
}

/** Returns how long a list is fresh, in milliseconds, if its server says so (MCP 2026-07-28, `ttlMs`). */
export function readTtl(frame: Frame): number | undefined {
  const range = frame.range(TTL);
  const parsed = range && parseJson(frame.bytes.subarray(range.start, range.end));
  if (!parsed?.ok || typeof parsed.value !== "number") return undefined;
  return parsed.value >= 0 && Number.isFinite(parsed.value) ? parsed.value : undefined;
}
