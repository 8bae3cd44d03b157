import type { Issue, SchemaCache } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import type { Logger } from "../log.ts";
import type { Ask } from "./ask.ts";
import { askForTools } from "./ask.ts";
import { ContractBook, MAX_TOOLS } from "./book.ts";
import type { ToolContract } from "./contract.ts";
import type { ContractChange, ContractScope, ContractStore } from "./store.ts";
import { readToolsPage } from "./tools-page.ts";

/** After a list could not be had, calls go unjudged for this long before it is asked for again. */
const RETRY_MS = 30_000;

export interface ContractSourceParts {
  readonly scope: ContractScope;
  readonly cache: SchemaCache;
  readonly store: ContractStore;
  readonly log: Logger;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** What came of one page of a list. */
export interface Lesson {
  readonly changes: readonly ContractChange[];
  /** Faults inside single tools, by pointers into the frame. */
  readonly faults: readonly Issue[];
}

/** The contracts of one scope, and the ways to learn them: from passing lists, or by asking. */
export class ContractSource {
  readonly book: ContractBook;
  readonly scope: ContractScope;
  readonly #parts: ContractSourceParts;
  #asking: Promise<void> | undefined;
  #retryAt = 0;
  #toldOverflow = false;

  constructor(parts: ContractSourceParts) {
    this.#parts = parts;
    this.scope = parts.scope;
    this.book = new ContractBook(parts.cache, parts.now);
  }

  get(tool: string): ToolContract | undefined {
    return this.book.get(tool);
  }

  /** Whether a call should wait for a list to be asked for. */
  get needed(): boolean {
    return this.book.stale && (this.#asking !== undefined || this.#parts.now() >= this.#retryAt);
  }

  /** Learns from the answer to a `tools/list`, whoever asked. Never throws. */
  async learn(frame: Frame, cursor: string | undefined): Promise<Lesson> {
    const page = readToolsPage(frame, cursor);
    if (page === undefined) return { changes: [], faults: [] };
    const { scope, store, log } = this.#parts;
    const complete = this.book.learn(page);
    this.#tellOverflow();
    if (!complete) return { changes: [], faults: page.faults };
    try {
      return { changes: await store.replace(scope, this.book.all()), faults: page.faults };
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
   * known or could not be had; then the calls go on unjudged, and the log says why.
   */
  ensure(
    ask: Ask,
    meta: string | undefined,
    learnt: (lesson: Lesson) => Promise<unknown>,
  ): Promise<void> {
    this.#asking ??= this.#ask(ask, meta, learnt).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(
    ask: Ask,
    meta: string | undefined,
    learnt: (lesson: Lesson) => Promise<unknown>,
  ): Promise<void> {
    const { log, scope, now } = this.#parts;
    try {
      let cursor: string | undefined;
      let pages = 0;
      for await (const frame of askForTools(ask, meta)) {
        await learnt(await this.learn(frame, cursor));
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
