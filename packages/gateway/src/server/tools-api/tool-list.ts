import {
  arrayItemSteps,
  decodeUtf8,
  type JsonScan,
  jsonText,
  messageOf,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { threadSlice, valueOrTimeout } from "@touchstone/util";
import { sha256Steps } from "../../contracts/known-lists.ts";
import { maxPages, nextPageCursor } from "../../contracts/own-request.ts";
import { maxPageEntries, readTtl } from "../../contracts/tools-page.ts";

/** A tool as its server lists it, with all members. */
export interface ListedTool {
  readonly name: string;
  readonly [member: string]: unknown;
}

export interface ToolListParts {
  /** Requests one page of `tools/list`; `params` is source text. */
  readonly ask: (params: string) => Promise<Frame>;
  /** Called with the fault of a list that is used anyway. */
  readonly warn: (message: string, reason: string) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** How many tools to keep (`limits.tools`). */
  readonly maxTools: number;
}

/** A list counts as fresh for at least this long, so that `ttlMs: 0` does not double every check. */
const MIN_FRESH_MS = 1_000;
const MAX_FRESH_MS = 30_000;
/** How long to wait for a newer list if an older one is known. */
const REFRESH_WAIT_MS = 2_000;

const OPEN_ARRAY = 0x5b;
const SCHEMAS = { inputSchema: true, outputSchema: true } as const;

/**
 * The tools of one server, fetched on demand and kept for 30 seconds, or less if the server says so (`ttlMs`). A
 * known list stays in use while the server cannot be asked.
 */
export class ToolList {
  readonly #parts: ToolListParts;
  #known: readonly ListedTool[] | undefined;
  #freshUntil = 0;
  #asking: Promise<readonly ListedTool[]> | undefined;
  /** The pages of the last list. The next list usually has the same bytes. */
  #pagesRead: ReadonlyMap<string, ReadPage> = new Map();
  /** How often the server has reported a change of its list. */
  #changes = 0;

  constructor(parts: ToolListParts) {
    this.#parts = parts;
  }

  /** The next request fetches it again, even if the list is being fetched now. */
  markStale(): void {
    this.#changes += 1;
    this.#freshUntil = 0;
  }

  /** @throws the server's refusal, if there is no earlier list */
  async get(): Promise<readonly ListedTool[]> {
    const known = this.#known;
    if (known !== undefined && this.#parts.now() < this.#freshUntil) return known;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    if (known === undefined) return this.#asking;
    const asking = this.#asking.catch(() => known);
    return valueOrTimeout(REFRESH_WAIT_MS, asking, () => known);
  }

  async #ask(): Promise<readonly ListedTool[]> {
    const { now, warn } = this.#parts;
    const changes = this.#changes;
    try {
      const { tools, ttlMs = MAX_FRESH_MS } = await this.#pages();
      this.#known = tools;
      const fresh = Math.min(MAX_FRESH_MS, Math.max(MIN_FRESH_MS, ttlMs));
      this.#freshUntil = changes === this.#changes ? now() + fresh : 0;
      return tools;
    } catch (error) {
      if (this.#known !== undefined) {
        // The known list is used for a while, so that it is not fetched again with every request.
        this.#freshUntil = now() + MAX_FRESH_MS;
        const reason = messageOf(error);
        warn("the tool list could not be fetched again; the last known one is used", reason);
      }
      throw error;
    }
  }

  async #pages(): Promise<{ tools: readonly ListedTool[]; ttlMs?: number }> {
    const { ask, maxTools, warn } = this.#parts;
    const pages = maxPages(maxTools);
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    let ttlMs: number | undefined;
    let leftOut = 0;
    let large = 0;
    let before: Frame | undefined;
    const pagesRead = new Map<string, ReadPage>();
    for (let page = 0; page < pages; page += 1) {
      const frame = await ask(JSON.stringify(cursor === undefined ? {} : { cursor }));
      ttlMs = readTtl(frame);
      const next = nextPageCursor(frame, cursor);
      cursor = undefined;
      // The server begins its list again instead of ending it.
      if (next === undefined && before !== undefined && hasSameTools(before, frame)) break;
      before = frame;
      const text = toolsText(frame);
      const room = maxTools - tools.length;
      const key = `${await threadSlice.take(sha256Steps(text))} ${room}`;
      const read =
        this.#pagesRead.get(key) ?? (await threadSlice.take(readPage(text, room, maxTools)));
      pagesRead.set(key, read);
      for (const tool of read.tools) tools.push(tool);
      leftOut += read.leftOut;
      large += read.large;
      cursor = read.cut ? undefined : next;
      if (read.cut)
        warn("the list was cut", `it holds more tools than are read (limits.tools is ${maxTools})`);
      if (cursor === undefined) break;
    }
    if (cursor !== undefined) warn("the list was cut", "it does not end");
    this.#pagesRead = pagesRead;
    if (large > 0) {
      warn(`tools were skipped: ${large}`, `they have more than ${MAX_TOOL} bytes`);
    }
    if (leftOut > 0)
      warn(`tools were skipped: ${leftOut}`, "they are not objects that have a name");
    return { tools, ...(ttlMs === undefined ? {} : { ttlMs }) };
  }
}

function hasSameTools({ bytes, ranges: { tools } }: Frame, other: Frame): boolean {
  const { tools: others } = other.ranges;
  if (tools === undefined || others === undefined) return false;
  const text = other.bytes.subarray(others.start, others.end);
  return Buffer.compare(bytes.subarray(tools.start, tools.end), text) === 0;
}

/** The tools of a page, and the number of entries that are not tools. */
interface ReadPage {
  readonly tools: readonly ListedTool[];
  readonly leftOut: number;
  /** How many are too large to be parsed in one turn of the event loop. */
  readonly large: number;
  readonly cut: boolean;
}

/** A larger tool is not parsed, in bytes. */
const MAX_TOOL = 1_048_576;

/** @throws Error if the response contains no list */
function toolsText({ bytes, ranges: { tools } }: Frame): Uint8Array {
  if (tools === undefined || bytes[tools.start] !== OPEN_ARRAY) {
    throw new Error("the response to tools/list has no list of tools");
  }
  return bytes.subarray(tools.start, tools.end);
}

/**
 * Reads the tools of a page in steps: at most one in each. An unreadable tool does not hide the others.
 * @param room how many tools to keep
 */
function* readPage(
  bytes: Uint8Array,
  room: number,
  maxTools: number,
): Generator<void, ReadPage, void> {
  const tools: ListedTool[] = [];
  let leftOut = 0;
  let large = 0;
  let entries = 0;
  const most = maxPageEntries(maxTools);
  for (const range of arrayItemSteps(bytes, { start: 0, end: bytes.length })) {
    yield;
    if (range === undefined) continue;
    const { start, end } = range;
    if (tools.length >= room || entries >= most) return { tools, leftOut, large, cut: true };
    entries += 1;
    const entry = bytes.subarray(start, end);
    if (entry.length > MAX_TOOL) {
      large += 1;
      continue;
    }
    const scan = yield* scanJsonSteps(entry, { members: SCHEMAS });
    const tool = scan.error === undefined ? parsed(entry) : undefined;
    if (isListed(tool)) tools.push(withTexts(tool, entry, scan));
    else leftOut += 1;
  }
  return { tools, leftOut, large, cut: false };
}

/** Parses bytes that are JSON; undefined if they are too large for a string. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes));
  } catch {
    return undefined;
  }
}

/** Returns a tool with the source texts of its schemas, because numbers in parsed values are doubles. */
function withTexts(tool: ListedTool, bytes: Uint8Array, { members }: JsonScan): ListedTool {
  const textAt = (pointer: string): string | undefined => {
    const range = members.get(pointer);
    return range && jsonText(bytes, range);
  };
  const texts = { inputSchema: textAt("/inputSchema"), outputSchema: textAt("/outputSchema") };
  return Object.assign(tool, { texts });
}

function isListed(value: unknown): value is ListedTool {
  return (
    typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"
  );
}
