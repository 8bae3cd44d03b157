import { arrayItems, parseJson } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import { MAX_PAGES } from "../contracts/ask.ts";
import { MAX_TOOLS } from "../contracts/book.ts";
import { readToolsPage } from "../contracts/tools-page.ts";
import { orAfter } from "../or-after.ts";

/** A tool as its server lists it, all members. */
export interface ListedTool {
  readonly name: string;
  readonly [member: string]: unknown;
}

export interface ToolListParts {
  /** Asks for one page of `tools/list`; `params` is source text. */
  readonly ask: (params: string) => Promise<Frame>;
  /** Told what is wrong with a list that is used all the same. */
  readonly warn: (message: string, reason: string) => void;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** A list is taken as fresh for at least this long, so that `ttlMs: 0` does not double every check. */
const MIN_FRESH_MS = 1_000;
const MAX_FRESH_MS = 30_000;
/** How long a newer list is awaited where an older one is known. */
const REFRESH_WAIT_MS = 2_000;

const OPEN_ARRAY = 0x5b;

/**
 * The tools of one server, asked for when they are needed and kept for 30 seconds, or less where the
 * server says so (`ttlMs`). Once known, a list stands in while the server cannot be asked.
 */
export class ToolList {
  readonly #parts: ToolListParts;
  #known: readonly ListedTool[] | undefined;
  #freshUntil = 0;
  #asking: Promise<readonly ListedTool[]> | undefined;

  constructor(parts: ToolListParts) {
    this.#parts = parts;
  }

  /** The next request asks anew. */
  markStale(): void {
    this.#freshUntil = 0;
  }

  /** @throws what the server's refusal gives, where no list is known */
  async get(): Promise<readonly ListedTool[]> {
    const known = this.#known;
    if (known !== undefined && this.#parts.now() < this.#freshUntil) return known;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    if (known === undefined) return this.#asking;
    const asking = this.#asking.catch(() => known);
    return orAfter(REFRESH_WAIT_MS, asking, () => known);
  }

  async #ask(): Promise<readonly ListedTool[]> {
    const { now, warn } = this.#parts;
    try {
      const { tools, ttlMs = MAX_FRESH_MS } = await this.#pages();
      this.#known = tools;
      this.#freshUntil = now() + Math.min(MAX_FRESH_MS, Math.max(MIN_FRESH_MS, ttlMs));
      return tools;
    } catch (error) {
      if (this.#known !== undefined) {
        // Not asked again with every request.
        this.#freshUntil = now() + MAX_FRESH_MS;
        const reason = error instanceof Error ? error.message : String(error);
        warn("the tool list could not be had anew, so the one that is known is used", reason);
      }
      throw error;
    }
  }

  async #pages(): Promise<{ tools: readonly ListedTool[]; ttlMs?: number }> {
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    let ttlMs: number | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const frame = await this.#parts.ask(JSON.stringify(params));
      ttlMs = readToolsPage(frame, cursor)?.ttlMs;
      this.#read(frame, tools);
      if (tools.length >= MAX_TOOLS) {
        this.#parts.warn("the list was cut", `it holds more than ${MAX_TOOLS} tools`);
        tools.length = MAX_TOOLS;
        break;
      }
      cursor = frame.nextCursor;
      if (cursor === undefined) break;
    }
    if (cursor !== undefined) this.#parts.warn("the list was cut", "it goes on and on");
    return { tools, ...(ttlMs === undefined ? {} : { ttlMs }) };
  }

  /** Adds the tools of a page. One that cannot be read hides no other. */
  #read({ bytes, ranges: { tools: range } }: Frame, tools: ListedTool[]): void {
    if (range === undefined || bytes[range.start] !== OPEN_ARRAY) {
      throw new Error("the answer to tools/list holds no list of tools");
    }
    for (const { start, end } of arrayItems(bytes, range)) {
      const parsed = parseJson(bytes.subarray(start, end));
      if (parsed.ok && isListed(parsed.value)) tools.push(parsed.value);
      else this.#parts.warn("a tool was left out", "it is no object that has a name");
    }
  }
}

function isListed(value: unknown): value is ListedTool {
  return (
    typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"
  );
}
