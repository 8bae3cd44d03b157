import { jsonText, messageOf, parseJson } from "@touchstone/core/advanced";
import {
  type Edit,
  type Frame,
  memberRange,
  readFrameSteps,
  spliceFrame,
} from "@touchstone/protocol/advanced";
import type { ContractSource, LearnedPage } from "../contracts/contract-source.ts";
import { sha256Steps } from "../contracts/known-lists.ts";
import { askForTools, maxPages, nextPageCursor } from "../contracts/own-request.ts";
import { readTtl } from "../contracts/tools-page.ts";
import { eraOf } from "../eras/eras.ts";
import type { ServerExchange } from "./exchange.ts";
import type { PendingRequest } from "./in-flight.ts";
import type { PipelineState } from "./state.ts";

/** Largest merged list, in bytes. */
const MAX_BYTES = 32 * 1_048_576;
const CURSOR = "/result/nextCursor";
const TTL = "/result/ttlMs";

/** Returns whether a page is the first of several that the client gets as one list (`adapt.pages`). */
export function isMergedPage(
  { snapshot, frame }: ServerExchange,
  { cursor }: PendingRequest,
): boolean {
  const { adapt } = snapshot.server;
  return adapt?.pages === "merge" && cursor === undefined && frame.nextCursor !== undefined;
}

/** Checks a page that the gateway requested itself, and records the changes. */
type LearnPage = (
  state: PipelineState,
  lesson: LearnedPage,
  page: Frame,
  revision: string | undefined,
) => Promise<boolean>;

/** The pages of a list after its first one. */
interface Pages {
  /** The source text of the tools on each page, without brackets; none of the texts is empty. */
  readonly tools: readonly string[];
  readonly count: number;
  /** The shortest `ttlMs` of them. */
  readonly ttlMs: number | undefined;
  /** The cursor after them; undefined at the end of the list. */
  readonly next: string | undefined;
}

/**
 * Puts the tools of all pages into the first one, so that the client gets one page. At a bound, or if a page cannot
 * be fetched, the list ends with its cursor. Stops at a cursor that repeats. Never rejects.
 */
export async function mergePages(
  exchange: ServerExchange,
  { revision }: PendingRequest,
  source: ContractSource,
  learnPage: LearnPage,
): Promise<void> {
  const { state, frame, entries } = exchange;
  const { slice, views } = state.context;
  const range = frame.range(CURSOR);
  const { tools } = frame.ranges;
  if (range === undefined || tools === undefined) return;
  const pages = await restOf(exchange, revision, source, learnPage);
  if (pages.count === 0 && pages.next === frame.nextCursor) return;
  const bytes = spliceFrame(frame.bytes, [
    ...addedTools(frame, pages.tools),
    ...ttlEdit(frame, pages.ttlMs),
    pages.next === undefined
      ? { range: memberRange(frame.bytes, range), text: "" }
      : { range, text: JSON.stringify(pages.next) },
  ]);
  const hash = await slice.take(sha256Steps(bytes.subarray(tools.start)));
  if (views.claim(`pages ${hash}`)) {
    const more = pages.next === undefined ? "" : "; the list goes on";
    const reason = `${pages.count + 1} pages of the list are sent as one (adapt.pages)${more}`;
    entries.push(state.evidence.pagesMerged(reason));
  }
  exchange.readAs(await slice.take(readFrameSteps(bytes, { duplicates: true })));
}

async function restOf(
  { state, frame }: ServerExchange,
  revision: string | undefined,
  source: ContractSource,
  learnPage: LearnPage,
): Promise<Pages> {
  const { context, ask } = state;
  const tools: string[] = [];
  let [count, size] = [0, frame.bytes.length];
  let ttlMs = readTtl(frame);
  let next = frame.nextCursor;
  const seen = new Set<string>();
  const first = toolsText(frame);
  try {
    const options = { from: next ?? "", pages: maxPages(context.maxTools) - 1 };
    for await (const page of askForTools(ask, eraOf(revision).ownMeta, options)) {
      const cursor = next;
      const text = toolsText(page);
      if (size + text.length > MAX_BYTES) break;
      // Some servers begin again instead of omitting the last cursor.
      if (text !== "" && text === first) {
        next = undefined;
        break;
      }
      await learnPage(state, await source.learn(page, cursor), page, revision);
      size += text.length;
      count += 1;
      if (text !== "") tools.push(text);
      const ttl = readTtl(page);
      if (ttl !== undefined) ttlMs = Math.min(ttlMs ?? ttl, ttl);
      seen.add(cursor ?? "");
      next = nextPageCursor(page, cursor);
      if (next !== undefined && seen.has(next)) next = undefined;
      if (next === undefined) break;
    }
  } catch (error) {
    const what = `${context.server}: a page of the tool list could not be fetched`;
    context.paced.warn(what, `${what}; the client gets the list up to there`, {
      reason: messageOf(error),
    });
  }
  return { tools, count, ttlMs, next };
}

function toolsText({ bytes, ranges: { tools } }: Frame): string {
  if (tools === undefined) return "";
  return jsonText(bytes, { start: tools.start + 1, end: tools.end - 1 }).trim();
}

function addedTools(frame: Frame, pages: readonly string[]): readonly Edit[] {
  const { tools } = frame.ranges;
  if (tools === undefined || pages.length === 0) return [];
  const comma = toolsText(frame) === "" ? "" : ",";
  const end = tools.end - 1;
  return [{ range: { start: end, end }, text: comma + pages.join(",") }];
}

/** A list is fresh while all of its pages are (MCP 2026-07-28, Caching). */
function ttlEdit(frame: Frame, ttlMs: number | undefined): readonly Edit[] {
  const range = frame.range(TTL);
  if (range === undefined || ttlMs === undefined) return [];
  const own = parseJson(frame.bytes.subarray(range.start, range.end));
  return own.ok && own.value === ttlMs ? [] : [{ range, text: String(ttlMs) }];
}
