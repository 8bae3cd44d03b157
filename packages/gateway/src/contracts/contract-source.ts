import { type Issue, messageOf, runSteps } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import type { ContractChange, ContractScope } from "@touchstone/records/plain";
import { threadSlice, valueOrTimeout } from "@touchstone/util";
import type { ListApprovals, PinChange } from "./approvals.ts";
import type { ToolContract } from "./contract.ts";
import type { ContractCatalogue } from "./contract-catalogue.ts";
import { ContractList, type ContractPage, MAX_TOOLS } from "./contract-list.ts";
import { KnownToolLists, type ReadPage, sha256Steps } from "./known-lists.ts";
import type { NameSettings } from "./name-settings.ts";
import { ThrottledNotices } from "./notices.ts";
import {
  ASK_TIMEOUT_MS,
  askForTools,
  HttpListRefusedError,
  ListRefusedError,
  ListTimeouts,
  maxPages,
  nextPageCursor,
  type SendOwnRequest,
  STALE_LIST_WAIT_MS,
} from "./own-request.ts";
import { type ListedNames, listedNamesSteps, nameHash } from "./short-names.ts";
import { type RecalledTool, StoredList, type StoredListParts } from "./stored-list.ts";
import { pagePosition, toolsPageSteps } from "./tools-page.ts";

const NOTHING: LearnedPage = { changes: [], faults: [], held: [] };
/**
 * After a failed request, or for a name that the server does not list, the gateway does not request the list again
 * for this long.
 */
const ASK_EVERY_MS = 5_000;
const WAITING = `the server has not answered tools/list yet; calls wait up to ${ASK_TIMEOUT_MS / 1000} s for it`;

export interface ContractSourceParts extends StoredListParts {
  /** Called with what is known after each page. */
  readonly listed?: ContractCatalogue["learn"];
  /** Takes each page as its server sent it: the text of its array, and whether the list begins with it. */
  readonly sent?: (page: Uint8Array, isFirst: boolean) => void;
  /** Returns how often others that share the store have reported a change of the list. Default: never. */
  readonly notices?: () => number;
  /** Shared by all sessions of the server. */
  readonly silence?: ListTimeouts;
  readonly lists?: KnownToolLists;
  /** How many tools of a list to keep (`limits.tools`). Default: {@link MAX_TOOLS}. */
  readonly maxTools?: number;
  /** Approvals of the server's declarations; absent if pins are not possible. */
  readonly pins?: ListApprovals;
  /** Holds the writes to the store of lists that are being learned. */
  readonly learning?: Set<Promise<unknown>>;
}

/** The result for one page of a list. */
export interface LearnedPage {
  readonly changes: readonly ContractChange[];
  /** Faults inside single tools, by pointers into the frame. */
  readonly faults: readonly Issue[];
  /** Unapproved tools that were not seen before. */
  readonly held: readonly PinChange[];
}

/** Called for each response to the gateway's own request, with what it taught. */
export type OnLearnedPage = (lesson: LearnedPage, page: Frame) => Promise<unknown>;

/** Why a tool's schemas are unknown, or known from an earlier list only. */
export interface UnknownSchemaReason {
  /**
   * - `unlisted`: the whole list is known, and does not name the tool
   * - `incomplete`: the list has more than was read of it, and the read part does not name the tool
   * - `unavailable`: there is no current list
   * - `unseen`: the gateway has not seen the call that a result belongs to
   */
  readonly code: "unlisted" | "incomplete" | "unavailable" | "unseen";
  /** A clause, for records and for the caller. */
  readonly reason: string;
  /** The HTTP status that the server refused its list with, if it is for the client. */
  readonly httpRefusal?: HttpListRefusedError | undefined;
}

/** What is known of a tool when it is called. */
export interface ToolLookup {
  /** The tool's last declaration; undefined if unknown. */
  readonly contract: ToolContract | undefined;
  /** Why there is no contract, or why it may be outdated; undefined if it comes from the current list. */
  readonly gap: UnknownSchemaReason | undefined;
}

const gapOf = (code: UnknownSchemaReason["code"], reason: string): UnknownSchemaReason => ({
  code,
  reason,
});
const UNLISTED = gapOf("unlisted", "the server does not list this tool");
const NO_TOOLS = gapOf("unlisted", "the server offers no tools");
const UNASKED = gapOf("unavailable", "the gateway has no current tool list of the server");
const LATE = gapOf("unavailable", "the server has not answered tools/list in time");

/** Returns how long not to ask for a list that could not be fetched, in milliseconds. */
function pauseAfter(refusal: HttpListRefusedError | undefined): number {
  if (refusal === undefined) return ASK_EVERY_MS;
  const { status, retryAfterMs = ASK_EVERY_MS } = refusal;
  // The next call may have other credentials, even in the same session.
  return status === 401 || status === 403 ? 0 : Math.min(retryAfterMs, ASK_EVERY_MS);
}

/** The contracts of one scope, and how to learn them: from lists that clients request, or by own requests. */
export class ContractSource {
  readonly book: ContractList;
  readonly scope: ContractScope;
  readonly #parts: ContractSourceParts;
  readonly #maxTools: number;
  #asking: Promise<void> | undefined;
  /** Whether the requested list has not come in time, so that calls no longer wait for it. */
  #late = false;
  /** Why there is no current list; undefined while there is one, or before the first request. */
  #failure: UnknownSchemaReason | undefined;
  #failedUntil = 0;
  #askedUntil = 0;
  /**
   * Whether the server declares no `tools` capability, and whether it does not know `tools/list`. The gateway
   * requests the list anyway, because some servers have tools without declaring the capability; until the server
   * lists one, it counts as having none.
   */
  #offersNone = false;
  #listsNone = false;
  #toldOverflow = false;
  readonly #kept: StoredList;
  readonly #silence: ListTimeouts;
  readonly #lists: KnownToolLists;
  readonly #notices: ThrottledNotices;
  /** The clients' names of the tools, and the list that they belong to. */
  #names: { readonly key: string; readonly names: ListedNames } | undefined;

  constructor(parts: ContractSourceParts) {
    this.#parts = parts;
    this.scope = parts.scope;
    this.#maxTools = parts.maxTools ?? MAX_TOOLS;
    this.book = new ContractList(parts.cache, parts.now, parts.pool, this.#maxTools);
    this.#kept = new StoredList(parts);
    this.#silence = parts.silence ?? new ListTimeouts();
    this.#lists = parts.lists ?? new KnownToolLists();
    this.#notices = new ThrottledNotices(parts.notices);
  }

  /** Returns a tool's contract in the newest list that was seen here. */
  get(tool: string): ToolContract | undefined {
    return this.book.get(tool);
  }

  /** The clients' names of the tools known now, if `adapt.names` shortens names. */
  names(settings: NameSettings): ListedNames {
    return runSteps(this.nameSteps(settings));
  }

  /** Computes {@link names} in steps and caches the result. */
  *nameSteps(settings: NameSettings): Generator<void, ListedNames, void> {
    const key = `${this.book.version} ${settings.max} ${settings.prefixLength}`;
    if (this.#names?.key === key) return this.#names.names;
    const own = [...this.book.all()].map(({ name }) => name);
    const hashOf = (name: string): string => this.book.get(name)?.nameHash ?? nameHash(name);
    const names = yield* listedNamesSteps(own, settings, hashOf);
    this.#names = { key, names };
    return names;
  }

  /** Returns what is known of a tool now. */
  lookup(tool: string): ToolLookup {
    const { book } = this;
    const contract = book.get(tool);
    if (contract !== undefined) return { contract, gap: book.stale ? this.#gap : undefined };
    if (this.#offersNone || this.#listsNone) return { contract, gap: NO_TOOLS };
    if (book.complete && !book.stale) {
      return { contract, gap: book.overflowed ? this.#incomplete() : UNLISTED };
    }
    const recalled = this.#kept.get(tool);
    return recalled === undefined
      ? { contract, gap: this.#gap }
      : { contract: recalled.contract, gap: this.#aged(recalled) };
  }

  /** Returns whether a call of a tool should wait until the list is fetched. */
  needs(tool: string | undefined): boolean {
    const now = this.#parts.now();
    if (this.#notices.heed(now)) this.book.markStale();
    this.#kept.used(now);
    // A list that was read before tools were pinned does not show which of them are approved.
    const known = this.#parts.pins?.isOn === true ? this.book.get(tool ?? "") : undefined;
    if (known !== undefined && known.definition === undefined) this.book.markStale();
    const { stale } = this.book;
    if (!stale && (tool === undefined || this.book.get(tool) !== undefined)) return false;
    if (this.#asking !== undefined) return !this.#late;
    return now >= (stale ? this.#failedUntil : this.#askedUntil);
  }

  /** Whether a list is being fetched, or its result is being learned. */
  get asking(): boolean {
    return this.#asking !== undefined;
  }

  /** Notes that the server's list has changed: the next call waits for the new one. */
  changed(): void {
    this.book.markStale();
    this.#failedUntil = 0;
  }

  /**
   * Notes that the server has introduced itself, or that its client is ready: it may now list what it refused before.
   * @param offersTools whether it has the `tools` capability; undefined if unknown
   */
  introduced(offersTools?: boolean): void {
    this.#failedUntil = 0;
    this.#listsNone = false;
    if (offersTools !== undefined) this.#offersNone = !offersTools;
  }

  /** Learns from the response to a `tools/list`, whoever requested it. Never throws. */
  learn(frame: Frame, cursor: string | undefined): Promise<LearnedPage> {
    const { learning } = this.#parts;
    const lesson = this.#learn(frame, cursor).finally(() => learning?.delete(lesson));
    learning?.add(lesson);
    return lesson;
  }

  async #learn(frame: Frame, cursor: string | undefined): Promise<LearnedPage> {
    const { changes: before } = this.book;
    const page = await this.#read(frame, cursor);
    if (page === undefined) return NOTHING;
    const { tools } = frame.ranges;
    if (tools !== undefined) {
      this.#parts.sent?.(frame.bytes.subarray(tools.start, tools.end), cursor === undefined);
    }
    this.#silence.ends();
    this.#offersNone = false;
    this.#listsNone = false;
    const complete = this.book.learn(page, before);
    // A list may have thousands of tools, and both learning and storing them take a few dozen milliseconds.
    const turn = threadSlice.turnOf();
    if (turn !== undefined) await turn;
    const changes = await this.#learnt(complete);
    const whole = complete ? [...this.book.all()] : undefined;
    const held = (await this.#parts.pins?.listed(page.tools, whole)) ?? [];
    return { changes: await this.#unrecorded(changes, held), faults: page.faults, held };
  }

  /**
   * Returns the changes of tools that have no record yet, because they were held back when they were part of another
   * list.
   */
  async #unrecorded(
    changes: readonly ContractChange[],
    held: readonly PinChange[],
  ): Promise<readonly ContractChange[]> {
    const { pins } = this.#parts;
    if (pins?.isOn !== true) return changes;
    const now = new Set(held.map(({ name }) => name));
    if (changes.every(({ tool }) => now.has(tool))) return changes;
    // Another list may have been learned at the same time.
    await pins.refresh();
    return changes.filter(({ tool, since }) => {
      const hash = this.book.get(tool)?.definition?.hash;
      if (hash === undefined || since === undefined || now.has(tool)) return true;
      return !pins.isRecorded({ name: tool, hash }, since);
    });
  }

  /**
   * Reads the server's approvals. Approves a first list now if that failed when it arrived. Never rejects. Undefined if
   * nothing is pinned.
   */
  pinned(): Promise<unknown> | undefined {
    const { pins } = this.#parts;
    if (pins?.isOn !== true) return undefined;
    const whole = this.book.complete && !this.book.stale ? [...this.book.all()] : undefined;
    return pins.needsFirst("tool") && whole !== undefined
      ? pins.listed(whole, whole)
      : pins.refresh();
  }

  /**
   * Reads a page in steps. The first pages of a list that another session has sent in the same bytes are not read
   * again.
   */
  async #read(
    frame: Frame,
    cursor: string | undefined,
  ): Promise<(ReadPage & ContractPage) | undefined> {
    const range = cursor === undefined ? frame.ranges.tools : undefined;
    const bytes = range && frame.bytes.subarray(range.start, range.end);
    const pinned = this.#parts.pins?.isOn === true;
    const key =
      bytes && `${pinned} ${this.#maxTools} ${await threadSlice.take(sha256Steps(bytes))}`;
    if (key !== undefined) {
      const known = this.#lists.page(key);
      if (known !== undefined) return { ...known, ...pagePosition(frame, cursor) };
    }
    const before = this.book.before(cursor);
    const page = await threadSlice.take(
      toolsPageSteps(frame, cursor, before, this.#maxTools, pinned),
    );
    if (page === undefined) return undefined;
    const { faults, cut = false, repeated = new Set() } = page;
    const tools = await threadSlice.take(this.book.contracts(page.tools));
    const read: ReadPage = { tools, faults, cut, repeated };
    if (key !== undefined) this.#lists.keep(key, read);
    return { ...read, ...pagePosition(frame, cursor) };
  }

  /**
   * Keeps what is known after a page. Returns the differences from the list before, once the new one is complete.
   */
  async #learnt(complete: boolean): Promise<readonly ContractChange[]> {
    this.#tellOverflow();
    this.#parts.listed?.(this.scope, this.book.all(), complete, this.book.repeated);
    if (!complete) return [];
    this.#failure = undefined;
    return this.#kept.replace([...this.book.all()]);
  }

  #tellOverflow(): void {
    if (this.#toldOverflow || !this.book.overflowed) return;
    this.#toldOverflow = true;
    const { log, scope } = this.#parts;
    log.warn(
      `the server's tool list is incomplete: ${this.#unread}; calls of tools that were not read cannot be checked`,
      { server: scope.server },
    );
  }

  #incomplete(): UnknownSchemaReason {
    const reason = `the server's tool list is incomplete, and the tool is not in the part that was read: ${this.#unread}`;
    return gapOf("incomplete", reason);
  }

  /** Why parts of a list must not be read. */
  get #unread(): string {
    return `at most ${this.#maxTools} tools are read (limits.tools is ${this.#maxTools}), with names of up to 1024 characters, and no page whose cursor is not a string`;
  }

  get #gap(): UnknownSchemaReason {
    return this.#late ? LATE : (this.#failure ?? UNASKED);
  }

  /**
   * Requests the server's list, once for any number of waiting calls. Resolves when the list is known, could not be
   * fetched, or takes too long; {@link lookup} then returns what is known. If the server left `tools/list` without a
   * response before, calls wait for a shorter time.
   */
  ensure(ask: SendOwnRequest, meta: string | undefined, learnt: OnLearnedPage): Promise<void> {
    const { lasts } = this.#silence;
    this.#asking ??= this.#ask(ask, meta, learnt, !lasts).finally(() => {
      this.#asking = undefined;
      this.#late = false;
    });
    const ms = lasts ? STALE_LIST_WAIT_MS : ASK_TIMEOUT_MS;
    return valueOrTimeout(ms, this.#asking, () => this.#goOn());
  }

  #goOn(): void {
    if (this.#late) return;
    this.#late = true;
    // The failure is reported when the request fails, and was reported before.
    if (this.#silence.lasts) return;
    const { log, scope } = this.#parts;
    log.warn("the tool list is late; until it arrives, the last known list is used", {
      server: scope.server,
    });
  }

  async #ask(
    ask: SendOwnRequest,
    meta: string | undefined,
    learnt: OnLearnedPage,
    waitsLong: boolean,
  ): Promise<void> {
    const { log, scope, now } = this.#parts;
    const { server } = scope;
    const began = now();
    const telling = setTimeout(() => {
      if (waitsLong) log.warn(WAITING, { server });
    }, STALE_LIST_WAIT_MS);
    this.#kept.forget();
    try {
      let cursor: string | undefined;
      const refused = (answer: Frame): Promise<unknown> => learnt(NOTHING, answer);
      const options = { refused, pages: maxPages(this.#maxTools), lists: this.#lists };
      for await (const frame of askForTools(ask, meta, options)) {
        await learnt(await this.learn(frame, cursor), frame);
        cursor = nextPageCursor(frame, cursor);
      }
      // The list continues, but no more of it will be read.
      if (cursor !== undefined && this.book.cutShort(cursor)) {
        await this.#learnt(true);
        await this.#parts.pins?.listed([], [...this.book.all()]);
      }
      this.#failure = undefined;
    } catch (error) {
      this.#failed(error, now() - began);
    } finally {
      clearTimeout(telling);
      this.#askedUntil = now() + ASK_EVERY_MS;
    }
  }

  #failed(error: unknown, afterMs: number): void {
    const { log, scope, now } = this.#parts;
    const { server } = scope;
    const httpRefusal = error instanceof HttpListRefusedError ? error : undefined;
    this.#failedUntil = now() + pauseAfter(httpRefusal);
    this.#silence.inVain(afterMs);
    const reason = messageOf(error);
    this.#failure = { ...gapOf("unavailable", reason), httpRefusal };
    this.#listsNone = error instanceof ListRefusedError && error.isMissing;
    if (this.#listsNone && this.book.size === 0) {
      log.info("the server has no method tools/list, so it offers no tools", { server });
      return;
    }
    const meanwhile =
      this.book.size === 0
        ? "calls of tools that are not known from earlier cannot be checked"
        : "the last known list is used";
    log.warn(`could not fetch tools/list; ${meanwhile}`, { server, reason });
  }

  /**
   * Looks a tool up in the store, if there is no current list. Undefined if there is nothing to look up. Never
   * rejects.
   */
  recall(tool: string): Promise<void> | undefined {
    const { book } = this;
    if (book.get(tool) !== undefined || this.#offersNone || this.#listsNone) return undefined;
    return book.complete && !book.stale ? undefined : this.#kept.recall(tool);
  }

  #aged({ exact }: RecalledTool): UnknownSchemaReason {
    const gap = this.#gap;
    if (exact) return gap;
    const reason = `${gap.reason}; all known lists of the server declare the tool identically`;
    return { ...gap, reason };
  }
}
