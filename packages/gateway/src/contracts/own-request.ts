import { parseJson } from "@touchstone/core/advanced";
import { ERROR_CODES, type Frame, readFrame, refusedRevision } from "@touchstone/protocol/advanced";
import { threadSlice, visible } from "@touchstone/util";
import { KnownToolLists } from "./known-lists.ts";

/**
 * Sends one of the gateway's own requests to the server and returns the response's frame. The sender chooses the id.
 * Rejects if there is no response in time.
 * @param params source text of the request's `params`
 */
export type SendOwnRequest = (method: string, params: string) => Promise<Uint8Array>;

/** How long the gateway waits for a response to its own request, in milliseconds. */
export const ASK_TIMEOUT_MS = 30_000;
const OPEN_ARRAY = 0x5b;
/** How many pages of a list to read, unless the limit of tools requires more. */
export const MAX_PAGES = 100;
/** How much of a server's error text to quote, in UTF-16 code units. */
const MAX_ERROR_TEXT = 200;

/** The server responded to `tools/list` with an error, or with something that is not a list. */
export class ListRefusedError extends Error {
  override name = "ListRefusedError";
  /** Whether the server has no such method, and so no tools. */
  readonly isMissing: boolean;

  constructor(answer: Frame) {
    super(refusalOf(answer));
    this.isMissing = answer.kind === "error" && answer.errorCode === ERROR_CODES.methodNotFound;
  }
}

/**
 * The server refused its list with an HTTP status that is for the client: it requires other credentials, has ended the
 * session, or cannot take requests now.
 */
export class HttpListRefusedError extends Error {
  override name = "HttpListRefusedError";
  readonly status: number;
  /** `WWW-Authenticate` and `Retry-After`, as the server sent them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;

  constructor(message: string, status: number, headers: HttpListRefusedError["headers"]) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  /** How long the server asks clients to wait, in milliseconds; undefined if it names no number of seconds. */
  get retryAfterMs(): number | undefined {
    const { "retry-after": value } = this.headers;
    return typeof value === "string" && SECONDS.test(value) ? Number(value) * 1000 : undefined;
  }
}

const SECONDS = /^\d{1,9}$/;

function refusalOf(answer: Frame): string {
  if (answer.kind !== "error") return "the server's response to tools/list has no list of tools";
  const code = answer.errorCode === undefined ? "" : ` ${answer.errorCode}`;
  const range = answer.range("/error/message");
  const parsed = range && parseJson(answer.bytes.subarray(range.start, range.end));
  const text =
    parsed?.ok && typeof parsed.value === "string" && parsed.value !== ""
      ? `: ${visible(parsed.value, MAX_ERROR_TEXT)}`
      : "";
  const refused = refusedRevision(answer, { method: "tools/list", requested: undefined });
  const why = refused === undefined ? "" : ` (${refused})`;
  return `the server answered tools/list with error${code}${text}${why}`;
}

/** Returns how many pages of a list to read: more than {@link MAX_PAGES} if `limits.tools` is raised. */
export function maxPages(maxTools: number): number {
  return Math.max(MAX_PAGES, Math.ceil(maxTools / MAX_PAGES));
}

function listParams(meta: string | undefined, cursor: string | undefined): string {
  const members = [
    ...(meta === undefined ? [] : [`"_meta":${meta}`]),
    ...(cursor === undefined ? [] : [`"cursor":${JSON.stringify(cursor)}`]),
  ];
  return `{${members.join(",")}}`;
}

/**
 * Returns the cursor after a page; undefined for the last one. Some servers always send a cursor (`""`) and begin
 * again when it is used, so a page whose cursor leads to itself is the last.
 * @param cursor of the page's request; undefined for the first page
 */
export function nextPageCursor(
  { nextCursor }: Pick<Frame, "nextCursor">,
  cursor: string | undefined,
): string | undefined {
  return nextCursor === cursor ? undefined : nextCursor;
}

/**
 * Requests every page of `tools/list`, up to a number of pages.
 * @param meta source text of the `_meta` that the revision requires; none before 2026-07-28
 * @param options.refused receives a response that is an error, or not a list
 * @param options.lists the lists that were read before
 * @param options.from the first cursor. Default: the list's beginning
 * @throws ListRefusedError for such a response, and the errors of `ask`
 */
export async function* askForTools(
  ask: SendOwnRequest,
  meta: string | undefined,
  {
    refused = async () => {},
    pages = MAX_PAGES,
    lists = new KnownToolLists(),
    from,
  }: {
    readonly refused?: (answer: Frame) => Promise<unknown>;
    readonly pages?: number;
    readonly lists?: KnownToolLists;
    readonly from?: string;
  } = {},
): AsyncGenerator<Frame> {
  let cursor = from;
  for (let page = 0; page < pages; page += 1) {
    const answer = await ask("tools/list", listParams(meta, cursor));
    const outline = readFrame(answer, { outline: true });
    const frame = await threadSlice.take(lists.read(outline, { duplicates: true }));
    const { tools } = frame.ranges;
    if (frame.kind !== "response" || frame.bytes[tools?.start ?? 0] !== OPEN_ARRAY) {
      await refused(frame);
      throw new ListRefusedError(frame);
    }
    yield frame;
    cursor = nextPageCursor(frame, cursor);
    if (cursor === undefined) return;
  }
}

/**
 * How long calls wait for a new list if an older one is known, or if waiting has failed before, in milliseconds.
 */
export const STALE_LIST_WAIT_MS = 3_000;

/**
 * Remembers whether a server leaves `tools/list` without a response, over all sessions. Each session has its own
 * list, and its first calls would otherwise wait as long as those of earlier sessions.
 */
export class ListTimeouts {
  #lasts = false;

  /** Returns whether the last wait for a list failed. */
  get lasts(): boolean {
    return this.#lasts;
  }

  /** Notes that a list could not be fetched, after a number of milliseconds. */
  inVain(ms: number): void {
    if (ms >= STALE_LIST_WAIT_MS) this.#lasts = true;
  }

  /** Notes that a list has come, whoever requested it. */
  ends(): void {
    this.#lasts = false;
  }
}
