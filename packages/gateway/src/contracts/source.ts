import type { Issue, SchemaCache } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import type { Logger } from "../log.ts";
import { orAfter } from "../or-after.ts";
import type { Ask } from "./ask.ts";
import { ASK_TIMEOUT_MS, askForTools } from "./ask.ts";
import { ContractBook, MAX_TOOLS } from "./book.ts";
import type { ContractCatalogue } from "./catalogue.ts";
import type { ToolContract } from "./contract.ts";
import { ListUse } from "./list-use.ts";
import type { ContractPool } from "./pool.ts";
import type { ContractChange, ContractScope, ContractStore } from "./store.ts";
import { readToolsPage } from "./tools-page.ts";

const NOTHING: Lesson = { changes: [], faults: [] };
/** A list that others say has changed is asked for again this often at most, in milliseconds. */
const HEED_MS = 10_000;
/** After a list could not be had, calls go unjudged for this long before it is asked for again. */
const RETRY_MS = 30_000;
/** How long calls wait for a newer list where a whole one is known. */
const NEWER_MS = 3_000;

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
  /** The notices that were heeded, and when the next ones will be. */
  #heeded: number;
  #heedAt = 0;
  #toldOverflow = false;
  readonly #use: ListUse;

  constructor(parts: ContractSourceParts) {
    this.#parts = parts;
    this.scope = parts.scope;
    this.book = new ContractBook(parts.cache, parts.now, parts.pool);
    this.#use = new ListUse(parts);
    this.#heeded = parts.notices?.() ?? 0;
  }

  get(tool: string): ToolContract | undefined {
    return this.book.get(tool);
  }

  /** Whether a call should wait for a list to be asked for. */
  get needed(): boolean {
    const now = this.#parts.now();
    this.#heed(now);
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
    const page = readToolsPage(frame, cursor);
    if (page === undefined) return { changes: [], faults: [] };
    const { scope, store, log, listed } = this.#parts;
    const complete = this.book.learn(page);
    this.#tellOverflow();
    listed?.(scope, this.book.all(), complete);
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

  /** A server that gives each gateway another list must not make every call ask for it. */
  #heed(now: number): void {
    const notices = this.#parts.notices?.() ?? 0;
    if (notices === this.#heeded || now < this.#heedAt) return;
    this.#heeded = notices;
    this.#heedAt = now + HEED_MS;
    this.book.markStale();
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
   * what is known, and the log says why.
   */
  ensure(ask: Ask, meta: string | undefined, learnt: Learnt): Promise<void> {
    this.#asking ??= this.#ask(ask, meta, learnt).finally(() => {
      this.#asking = undefined;
      this.#late = false;
    });
    const ms = this.book.complete ? NEWER_MS : ASK_TIMEOUT_MS;
    return orAfter(ms, this.#asking, () => this.#goOn());
  }

  #goOn(): void {
    if (this.#late) return;
    this.#late = true;
    const { log, scope } = this.#parts;
    log.warn("the tool list is slow to come, so calls are checked against what is known of it", {
      server: scope.server,
    });
  }

  async #ask(ask: Ask, meta: string | undefined, learnt: Learnt): Promise<void> {
    const { log, scope, now } = this.#parts;
    try {
      let cursor: string | undefined;
      let pages = 0;
      for await (const frame of askForTools(ask, meta, (answer) => learnt(NOTHING, answer))) {
        await learnt(await this.learn(frame, cursor), frame);
        cursor = frame.nextCursor;
        pages += 1;
      }
      if (cursor === undefined) return;
      throw new Error(`the list goes on after ${pages} pages`);
    } catch (error) {
      this.#retryAt = now() + RETRY_MS;
      const reason = error instanceof Error ? error.message : String(error);
      const meanwhile =
        this.book.size === 0
          ? "so calls go on unchecked"
          : "so calls are checked against what is known of it";
      log.warn(`the tool list could not be had, ${meanwhile}`, { server: scope.server, reason });
    }
  }
}
