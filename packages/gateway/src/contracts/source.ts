import { type Issue, messageOf } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import { orAfter } from "../util/or-after.ts";
import { threadSlice } from "../util/time-slice.ts";
import {
  ASK_TIMEOUT_MS,
  type Ask,
  askForTools,
  cursorBehind,
  ListRefused,
  ListSilence,
  maxPages,
  SHORT_WAIT_MS,
  Unauthorized,
} from "./ask.ts";
import { ContractBook, type ContractPage, MAX_TOOLS } from "./book.ts";
import type { ContractCatalogue } from "./catalogue.ts";
import type { ToolContract } from "./contract.ts";
import { KeptList, type KeptListParts, type RecalledTool } from "./kept-list.ts";
import { hashSteps, KnownLists, type ReadPage } from "./known-lists.ts";
import { HeededNotices } from "./notices.ts";
import type { PinChange, Pins } from "./pins.ts";
import { type ListedNames, listedNames, type NameSettings } from "./short-names.ts";
import type { ContractChange, ContractScope } from "./store.ts";
import { pagePlace, toolsPageSteps } from "./tools-page.ts";

const NOTHING: Lesson = { changes: [], faults: [], held: [] };
/** After the server was asked without success, or for a name that it does not list, it is not asked again for this long. */
const ASK_EVERY_MS = 5_000;
const WAITING = `the server has not answered tools/list yet; calls wait up to ${ASK_TIMEOUT_MS / 1000} s for it`;

export interface ContractSourceParts extends KeptListParts {
  /** Called for what is known after each page. */
  readonly listed?: ContractCatalogue["learn"];
  /** Takes each page as its server sent it: the text of its array, and whether the list begins with it. */
  readonly sent?: (page: Uint8Array, isFirst: boolean) => void;
  /** How often others, who share the store, have told that the list changed. Default never. */
  readonly notices?: () => number;
  /** Of the server, in all its sessions. */
  readonly silence?: ListSilence;
  readonly lists?: KnownLists;
  /** How many tools of a list are kept (`limits.tools`). Default {@link MAX_TOOLS}. */
  readonly maxTools?: number;
  /** What of the server is approved; absent if nothing can be pinned. */
  readonly pins?: Pins;
}

/** What came of one page of a list. */
export interface Lesson {
  readonly changes: readonly ContractChange[];
  /** Faults inside single tools, by pointers into the frame. */
  readonly faults: readonly Issue[];
  /** Tools that nobody has approved, and that were not seen before. */
  readonly held: readonly PinChange[];
}

/** Called for each response to a question of the gateway's own, and of what it taught. */
export type Learnt = (lesson: Lesson, page: Frame) => Promise<unknown>;

/** Why a tool's schemas are not known, or are known from an earlier list only. */
export interface SchemaGap {
  /**
   * - `unlisted`: the server's list is known as a whole, and does not name the tool
   * - `incomplete`: the list has more than what was read of it, which does not name the tool
   * - `unavailable`: there is no current list
   * - `unseen`: the gateway has not seen the call that a result belongs to
   */
  readonly code: "unlisted" | "incomplete" | "unavailable" | "unseen";
  /** A clause, for records and for whoever called. */
  readonly reason: string;
  /** Set if the server wants other credentials. */
  readonly unauthorized?: Unauthorized;
}

/** What is known of a tool when it is called. */
export interface ToolLookup {
  /** The tool as it was last declared; undefined if that is not known. */
  readonly contract: ToolContract | undefined;
  /** Why there is no contract, or why it may be outdated; undefined if it is the current list's. */
  readonly gap: SchemaGap | undefined;
}

const gapOf = (code: SchemaGap["code"], reason: string): SchemaGap => ({ code, reason });
const UNLISTED = gapOf("unlisted", "the server does not list this tool");
const NO_TOOLS = gapOf("unlisted", "the server offers no tools");
const UNASKED = gapOf("unavailable", "the gateway has no current tool list of the server");
const LATE = gapOf("unavailable", "the server has not answered tools/list in time");

/** The contracts of one scope, and the ways to learn them: from passing lists, or by asking. */
export class ContractSource {
  readonly book: ContractBook;
  readonly scope: ContractScope;
  readonly #parts: ContractSourceParts;
  readonly #maxTools: number;
  #asking: Promise<void> | undefined;
  /** The list that is asked for has not come in time, and is no longer waited for. */
  #late = false;
  /** Why there is no current list; undefined while there is one, or before anybody asked. */
  #failure: SchemaGap | undefined;
  #failedUntil = 0;
  #askedUntil = 0;
  /**
   * Whether the server has no `tools` capability, and whether it has no method that lists tools. It is asked all the
   * same, since some have tools and do not say so; until it lists any, it has none.
   */
  #offersNone = false;
  #listsNone = false;
  #toldOverflow = false;
  readonly #kept: KeptList;
  readonly #silence: ListSilence;
  readonly #lists: KnownLists;
  readonly #notices: HeededNotices;
  /** What clients call the tools, and of which list that is. */
  #names: { readonly key: string; readonly names: ListedNames } | undefined;

  constructor(parts: ContractSourceParts) {
    this.#parts = parts;
    this.scope = parts.scope;
    this.#maxTools = parts.maxTools ?? MAX_TOOLS;
    this.book = new ContractBook(parts.cache, parts.now, parts.pool, this.#maxTools);
    this.#kept = new KeptList(parts);
    this.#silence = parts.silence ?? new ListSilence();
    this.#lists = parts.lists ?? new KnownLists();
    this.#notices = new HeededNotices(parts.notices);
  }

  /** The contract of a tool in the newest list that was seen here. */
  get(tool: string): ToolContract | undefined {
    return this.book.get(tool);
  }

  /** What clients call the tools that are known at this moment, where `adapt.names` shortens names. */
  names(settings: NameSettings): ListedNames {
    const key = `${this.book.version} ${settings.max} ${settings.prefixLength}`;
    if (this.#names?.key !== key) {
      const own = [...this.book.all()].map(({ name }) => name);
      this.#names = { key, names: listedNames(own, settings) };
    }
    return this.#names.names;
  }

  /** What is known of a tool at this moment. */
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

  /** Whether a call of a tool should wait for a list to be asked for. */
  needs(tool: string | undefined): boolean {
    const now = this.#parts.now();
    if (this.#notices.heed(now)) this.book.markStale();
    this.#kept.used(now);
    // A list that was read before tools were pinned does not tell which of them are approved.
    const known = this.#parts.pins?.isOn === true ? this.book.get(tool ?? "") : undefined;
    if (known !== undefined && known.definition === undefined) this.book.markStale();
    const { stale } = this.book;
    if (!stale && (tool === undefined || this.book.get(tool) !== undefined)) return false;
    if (this.#asking !== undefined) return !this.#late;
    return now >= (stale ? this.#failedUntil : this.#askedUntil);
  }

  /** Whether a list is being asked for, or what came of it learnt. */
  get asking(): boolean {
    return this.#asking !== undefined;
  }

  /** Notes that the server's list is no longer what it was: the next call waits for the new one. */
  changed(): void {
    this.book.markStale();
    this.#failedUntil = 0;
  }

  /**
   * Notes that the server has introduced itself, or that its client is ready: what it refused to list before, it
   * may list now.
   * @param offersTools whether it has the `tools` capability; undefined if that is not said
   */
  introduced(offersTools?: boolean): void {
    this.#failedUntil = 0;
    this.#listsNone = false;
    if (offersTools !== undefined) this.#offersNone = !offersTools;
  }

  /** Learns from the response to a `tools/list`, whoever asked. Never throws. */
  async learn(frame: Frame, cursor: string | undefined): Promise<Lesson> {
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
    const changes = await this.#learnt(complete);
    const whole = complete ? [...this.book.all()] : undefined;
    const held = (await this.#parts.pins?.listed(page.tools, whole)) ?? [];
    return { changes, faults: page.faults, held };
  }

  /**
   * Reads what of the server is approved. A first list that could not be approved when it came is approved now. Never
   * rejects. Undefined if nothing is pinned.
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
   * Reads a page in slices. The beginning of a list that another session has already sent in the same bytes is not read
   * again.
   */
  async #read(
    frame: Frame,
    cursor: string | undefined,
  ): Promise<(ReadPage & ContractPage) | undefined> {
    const range = cursor === undefined ? frame.ranges.tools : undefined;
    const bytes = range && frame.bytes.subarray(range.start, range.end);
    const pinned = this.#parts.pins?.isOn === true;
    const key = bytes && `${pinned} ${this.#maxTools} ${await threadSlice.take(hashSteps(bytes))}`;
    if (key !== undefined) {
      const known = this.#lists.page(key);
      if (known !== undefined) return { ...known, ...pagePlace(frame, cursor) };
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
    return { ...read, ...pagePlace(frame, cursor) };
  }

  /** Keeps what is known after a page. Gives the differences from the list before, once the new one is whole. */
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

  #incomplete(): SchemaGap {
    const reason = `the server's tool list is incomplete, and the tool is not in the part that was read: ${this.#unread}`;
    return gapOf("incomplete", reason);
  }

  /** Why some of a list may not be read. */
  get #unread(): string {
    return `at most ${this.#maxTools} tools are read (limits.tools is ${this.#maxTools}), with names of up to 1024 characters, and no page whose cursor is not a string`;
  }

  get #gap(): SchemaGap {
    return this.#late ? LATE : (this.#failure ?? UNASKED);
  }

  /**
   * Asks the upstream for its list, once however many calls wait for it. Resolves when the list is known or
   * could not be fetched, or takes long; {@link lookup} then says what is known. If the server left
   * `tools/list` without a response before, calls wait for a shorter time.
   */
  ensure(ask: Ask, meta: string | undefined, learnt: Learnt): Promise<void> {
    const { lasts } = this.#silence;
    this.#asking ??= this.#ask(ask, meta, learnt, !lasts).finally(() => {
      this.#asking = undefined;
      this.#late = false;
    });
    const ms = lasts ? SHORT_WAIT_MS : ASK_TIMEOUT_MS;
    return orAfter(ms, this.#asking, () => this.#goOn());
  }

  #goOn(): void {
    if (this.#late) return;
    this.#late = true;
    // What came of it is told when the request has failed, and has been before.
    if (this.#silence.lasts) return;
    const { log, scope } = this.#parts;
    log.warn("the tool list is slow to come; until then, the last known list counts", {
      server: scope.server,
    });
  }

  async #ask(
    ask: Ask,
    meta: string | undefined,
    learnt: Learnt,
    waitsLong: boolean,
  ): Promise<void> {
    const { log, scope, now } = this.#parts;
    const { server } = scope;
    const began = now();
    const telling = setTimeout(() => {
      if (waitsLong) log.warn(WAITING, { server });
    }, SHORT_WAIT_MS);
    this.#kept.forget();
    try {
      let cursor: string | undefined;
      const refused = (answer: Frame): Promise<unknown> => learnt(NOTHING, answer);
      const options = { refused, pages: maxPages(this.#maxTools), lists: this.#lists };
      for await (const frame of askForTools(ask, meta, options)) {
        await learnt(await this.learn(frame, cursor), frame);
        cursor = cursorBehind(frame, cursor);
      }
      // The list goes on: what was read of it is all that will be known.
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
    const denied = error instanceof Unauthorized ? { unauthorized: error } : {};
    // The next call may come with other credentials, also in the same session.
    this.#failedUntil = denied.unauthorized ? 0 : now() + ASK_EVERY_MS;
    this.#silence.inVain(afterMs);
    const reason = messageOf(error);
    this.#failure = { ...gapOf("unavailable", reason), ...denied };
    this.#listsNone = error instanceof ListRefused && error.isMissing;
    if (this.#listsNone && this.book.size === 0) {
      log.info("the server has no method tools/list, so it offers no tools", { server });
      return;
    }
    const meanwhile =
      this.book.size === 0
        ? "calls of tools that are not known from earlier cannot be checked"
        : "the last known list counts";
    log.warn(`could not fetch tools/list; ${meanwhile}`, { server, reason });
  }

  /**
   * Looks up what the store kept of a tool, if there is no current list. Undefined if there is nothing to look up;
   * else it never rejects.
   */
  recall(tool: string): Promise<void> | undefined {
    const { book } = this;
    if (book.get(tool) !== undefined || this.#offersNone || this.#listsNone) return undefined;
    return book.complete && !book.stale ? undefined : this.#kept.recall(tool);
  }

  #aged({ exact }: RecalledTool): SchemaGap {
    const { reason, code } = this.#gap;
    if (exact) return gapOf(code, reason);
    return gapOf(code, `${reason}; all known lists of the server declare the tool alike`);
  }
}
