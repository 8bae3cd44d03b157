import type { Issue, SchemaCache } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import type { Logger } from "../log.ts";
import { orAfter } from "../or-after.ts";
import type { Ask } from "./ask.ts";
import { ASK_TIMEOUT_MS, askForTools, cursorBehind } from "./ask.ts";
import { ContractBook, MAX_TOOLS } from "./book.ts";
import type { ContractCatalogue } from "./catalogue.ts";
import type { ToolContract } from "./contract.ts";
import { HeededNotices } from "./heeded.ts";
import { ListUse } from "./list-use.ts";
import type { ContractPool } from "./pool.ts";
import { ListSilence, SHORT_WAIT_MS } from "./silence.ts";
import type { ContractChange, ContractScope, ContractStore } from "./store.ts";
import { readToolsPage } from "./tools-page.ts";

const NOTHING: Lesson = { changes: [], faults: [] };
/** After a list could not be had, calls go unjudged for this long before it is asked for again. */
const RETRY_MS = 30_000;
const WAITING = `the server has not answered tools/list yet; calls wait for it, for ${ASK_TIMEOUT_MS / 1000} s at most`;

export interface ContractSourceParts {
  readonly scope: ContractScope;
  readonly cache: SchemaCache;
  readonly store: ContractStore;
  readonly log: Logger;
  /** Told of what is known after each page. */
  readonly listed?: ContractCatalogue["learn"];
  /** How often others, who share the store, have told that the list changed. Default never. */
  readonly notices?: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  /** Of all lists of the server. */
  readonly pool?: ContractPool;
  /** Of the server, in all its sessions. */
  readonly silence?: ListSilence;
}

/** What came of one page of a list. */
export interface Lesson {
  readonly changes: readonly ContractChange[];
  /** Faults inside single tools, by pointers into the frame. */
  readonly faults: readonly Issue[];
}

/** Told of each answer to a question of the gateway's own, and of what it taught. */
export type Learnt = (lesson: Lesson, page: Frame) => Promise<unknown>;

/** The contracts of one scope, and the ways to learn them: from passing lists, or by asking. */
export class ContractSource {
  readonly book: ContractBook;
  readonly scope: ContractScope;
  readonly #parts: ContractSourceParts;
  #asking: Promise<void> | undefined;
  /** The list that is asked for has not come in time, and is no longer waited for. */
  #late = false;
  #retryAt = 0;
  #toldOverflow = false;
  readonly #use: ListUse;
  readonly #silence: ListSilence;
  readonly #notices: HeededNotices;

  constructor(parts: ContractSourceParts) {
    this.#parts = parts;
    this.scope = parts.scope;
    this.book = new ContractBook(parts.cache, parts.now, parts.pool);
    this.#use = new ListUse(parts);
    this.#silence = parts.silence ?? new ListSilence();
    this.#notices = new HeededNotices(parts.notices);
  }

  get(tool: string): ToolContract | undefined {
    return this.book.get(tool);
  }

  /** Whether a call should wait for a list to be asked for. */
  get needed(): boolean {
    const now = this.#parts.now();
    if (this.#notices.heed(now)) this.book.markStale();
    this.#use.called(now);
    if (!this.book.stale) return false;
    return this.#asking === undefined ? now >= this.#retryAt : !this.#late;
  }

  /** Whether a list is being asked for, or what came of it learnt. */
  get asking(): boolean {
    return this.#asking !== undefined;
  }

  /** Learns from the answer to a `tools/list`, whoever asked. Never throws. */
  async learn(frame: Frame, cursor: string | undefined): Promise<Lesson> {
    const page = readToolsPage(frame, cursor, this.book.before(cursor));
    if (page === undefined) return { changes: [], faults: [] };
    this.#silence.ends();
    const { scope, store, log, listed } = this.#parts;
    const complete = this.book.learn(page);
    this.#tellOverflow();
    listed?.(scope, this.book.all(), complete, this.book.repeated);
    if (!complete) return { changes: [], faults: page.faults };
    try {
      const changes = await store.replace(scope, this.book.all());
      this.#use.kept(this.#parts.now());
      return { changes, faults: page.faults };
    } catch (error) {
      log.error("the contracts could not be kept", { server: scope.server, error: String(error) });
      return { changes: [], faults: page.faults };
    }
  }

  #tellOverflow(): void {
    if (this.#toldOverflow || !this.book.overflowed) return;
    this.#toldOverflow = true;
    const { log, scope } = this.#parts;
    log.warn(
      `the server lists more than ${MAX_TOOLS} tools: calls of those beyond go on unchecked`,
      {
        server: scope.server,
      },
    );
  }

  /**
   * Asks the upstream for its list, once however many calls wait for it. Resolves when the list is
   * known or could not be had, or takes long, be it by its many pages; then the calls go on, judged by
   * what is known, and the log says why. Where a list is known, or the server was silent before, that is sooner.
   */
  ensure(ask: Ask, meta: string | undefined, learnt: Learnt): Promise<void> {
    const waitsLong = !this.book.complete && !this.#silence.lasts;
    this.#asking ??= this.#ask(ask, meta, learnt, waitsLong).finally(() => {
      this.#asking = undefined;
      this.#late = false;
    });
    const ms = waitsLong ? ASK_TIMEOUT_MS : SHORT_WAIT_MS;
    return orAfter(ms, this.#asking, () => this.#goOn());
  }

  #goOn(): void {
    if (this.#late) return;
    this.#late = true;
    // What came of it is told when the request has failed, and has been before.
    if (this.#silence.lasts) return;
    const { log, scope } = this.#parts;
    log.warn("the tool list is slow to come, so calls are checked against what is known of it", {
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
    try {
      let cursor: string | undefined;
      let pages = 0;
      for await (const frame of askForTools(ask, meta, (answer) => learnt(NOTHING, answer))) {
        await learnt(await this.learn(frame, cursor), frame);
        cursor = cursorBehind(frame, cursor);
        pages += 1;
      }
      if (cursor === undefined) return;
      throw new Error(`the list goes on after ${pages} pages`);
    } catch (error) {
      this.#retryAt = now() + RETRY_MS;
      this.#silence.inVain(now() - began);
      const reason = error instanceof Error ? error.message : String(error);
      const meanwhile =
        this.book.size === 0
          ? "so calls go on unchecked"
          : "so calls are checked against what is known of it";
      log.warn(`the tool list could not be had, ${meanwhile}`, { server, reason });
    } finally {
      clearTimeout(telling);
    }
  }
}
