import type { SchemaCache } from "@touchstone/core/advanced";
import type { ToolDeclaration } from "@touchstone/records/plain";
import { BoundedMap } from "@touchstone/util";
import { ToolContract } from "./contract.ts";
import { ContractPool } from "./pool.ts";

/** One page of a `tools/list` result. */
export interface ContractPage {
  readonly tools: readonly (ToolDeclaration | ToolContract)[];
  /** The `cursor` of the request; absent for the first page. */
  readonly cursor?: string;
  /** The `nextCursor` of the page; absent on the last one. */
  readonly next?: string;
  /** How long the list is fresh, in milliseconds, if the server says so (`ttlMs`). */
  readonly ttlMs?: number;
  /** Whether the page has more entries than were read. */
  readonly cut?: boolean;
  /** The names that occur more than once, here or on the pages before. */
  readonly repeated?: ReadonlySet<string>;
}

/** The default limit of tools, so that an endless list cannot fill the memory. */
export const MAX_TOOLS = 10_000;
/** A list counts as fresh for at least this long, so that `ttlMs: 0` does not double every call. */
const MIN_FRESH_MS = 1_000;
/** How many lists may be read page by page at a time: the gateway's own and those of clients. */
const MAX_PARTIAL = 8;

/** The first pages of a list. */
interface PartialList {
  readonly contracts: Map<string, ToolContract>;
  /** Whether a page had more entries than were read. */
  readonly cut: boolean;
  readonly repeated: ReadonlySet<string>;
  /** How often the server had reported a change of its list when this one began. */
  readonly changes: number;
}

/**
 * The contracts of one server toward one kind of client (protocol revision, session or authorization: a server's
 * list may depend on each).
 */
export class ContractList {
  readonly #cache: SchemaCache;
  readonly #now: () => number;
  readonly #pool: ContractPool;
  readonly #maxTools: number;
  #contracts: Map<string, ToolContract> = new Map();
  #repeated: ReadonlySet<string> = new Set();
  /** The lists of tools, by the cursor that follows them. */
  readonly #partial: BoundedMap<string, PartialList> = new BoundedMap(MAX_PARTIAL);
  #changes = 0;
  #version = 0;
  #complete = false;
  #overflowed = false;
  #freshUntil = 0;

  /**
   * @param now a monotonic clock, in milliseconds.
   * @param pool shared by all lists of the server
   * @param maxTools how many tools of a list to keep (`limits.tools`)
   */
  constructor(
    cache: SchemaCache,
    now: () => number,
    pool: ContractPool = new ContractPool(),
    maxTools: number = MAX_TOOLS,
  ) {
    this.#cache = cache;
    this.#now = now;
    this.#pool = pool;
    this.#maxTools = maxTools;
  }

  /** True if no whole list has been seen, if the server reported a change, or if the list has expired. */
  get stale(): boolean {
    return !this.#complete || this.#now() >= this.#freshUntil;
  }

  /** Whether a whole list has been seen. */
  get complete(): boolean {
    return this.#complete;
  }

  get size(): number {
    return this.#contracts.size;
  }

  /** Whether the list has more tools than are read of it, so that some of its tools are unknown. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** The tools that the list names more than once; the last declaration of each counts. */
  get repeated(): ReadonlySet<string> {
    return this.#repeated;
  }

  get(tool: string): ToolContract | undefined {
    return this.#contracts.get(tool);
  }

  /** Returns the tools on the pages that precede the page after this cursor. */
  before(cursor: string | undefined): ReadonlyMap<string, ToolContract> | undefined {
    return cursor === undefined ? undefined : this.#partial.get(cursor)?.contracts;
  }

  /** Changes whenever other tools are known. */
  get version(): number {
    return this.#version;
  }

  /** How often the server has reported a change of its list. */
  get changes(): number {
    return this.#changes;
  }

  /** Makes the contracts of declarations, one in each step. */
  *contracts(
    declarations: readonly (ToolDeclaration | ToolContract)[],
  ): Generator<void, readonly ToolContract[], void> {
    const contracts: ToolContract[] = [];
    for (const declaration of declarations) {
      contracts.push(this.#contract(declaration));
      yield;
    }
    return contracts;
  }

  /** Every contract, in the order of the list. */
  all(): Iterable<ToolContract> {
    return this.#contracts.values();
  }

  /** Notes `notifications/tools/list_changed`. */
  markStale(): void {
    this.#changes += 1;
    this.#freshUntil = 0;
  }

  /**
   * Learns a page of a list. The contracts of a complete list stay in force until the next one is complete, with
   * consecutive pages from the first on; before the first complete list, each page counts at once. A page with a
   * changed tool makes the list stale. Returns true if the page completed a list.
   * @param since {@link changes} when the page arrived; a list that the server has changed since then is stale
   */
  learn(page: ContractPage, since: number = this.#changes): boolean {
    const { cursor, next } = page;
    this.#version += 1;
    const before: PartialList | undefined =
      cursor === undefined
        ? { contracts: new Map(), cut: false, repeated: new Set(), changes: since }
        : this.#partial.take(cursor);
    const contracts = new Map(before?.contracts);
    let changed = false;
    let cut = page.cut === true || before?.cut === true;
    for (const declaration of page.tools) {
      if (contracts.size >= this.#maxTools && !contracts.has(declaration.name)) {
        cut = true;
        continue;
      }
      const contract = this.#contract(declaration);
      changed ||= this.#complete && this.#contracts.get(declaration.name) !== contract;
      contracts.set(declaration.name, contract);
    }
    const repeated = new Set([...(before?.repeated ?? []), ...(page.repeated ?? [])]);
    if (!this.#complete) {
      this.#overflowed ||= cut;
      this.#add(contracts);
      this.#repeated = new Set([...this.#repeated, ...repeated]);
    }
    // A client that read this page already calls its tools, and may never read the remaining pages.
    if (changed) this.#freshUntil = 0;
    // A page that continues no known list says nothing about tools that it omits.
    if (before === undefined) return false;
    if (next !== undefined) {
      this.#partial.set(next, { contracts, cut, repeated, changes: before.changes });
      return false;
    }
    this.#adopt({ contracts, cut, repeated, changes: before.changes }, page.ttlMs);
    return true;
  }

  /**
   * Accepts the first pages of a list as all that will be known, if no further ones are read.
   * @param next the cursor after them
   * @returns whether such pages are known
   */
  cutShort(next: string): boolean {
    const before = this.#partial.take(next);
    if (before === undefined) return false;
    this.#version += 1;
    this.#adopt({ ...before, cut: true }, undefined);
    return true;
  }

  #adopt({ contracts, cut, repeated, changes }: PartialList, ttlMs: number | undefined): void {
    this.#contracts = contracts;
    this.#repeated = repeated;
    this.#overflowed = cut;
    this.#complete = true;
    this.#freshUntil = changes === this.#changes ? this.#until(ttlMs) : 0;
  }

  #until(ttlMs: number | undefined): number {
    if (ttlMs === undefined) return Number.POSITIVE_INFINITY;
    return this.#now() + Math.max(MIN_FRESH_MS, ttlMs);
  }

  #add(contracts: ReadonlyMap<string, ToolContract>): void {
    for (const [name, contract] of contracts) {
      if (this.#contracts.size < this.#maxTools || this.#contracts.has(name)) {
        this.#contracts.set(name, contract);
      } else {
        this.#overflowed = true;
      }
    }
  }

  /** An unchanged declaration keeps its contract, and with it the compiled schemas. */
  #contract(declaration: ToolDeclaration | ToolContract): ToolContract {
    const isMade = declaration instanceof ToolContract;
    const contract = isMade ? declaration : new ToolContract(declaration, this.#cache);
    const known = this.#contracts.get(declaration.name);
    const same =
      known?.inputHash === contract.inputHash &&
      known?.outputHash === contract.outputHash &&
      known?.isReadOnly === contract.isReadOnly &&
      known?.isDestructive === contract.isDestructive &&
      known?.definition?.hash === contract.definition?.hash;
    if (known !== undefined && same) return known;
    return isMade ? contract : this.#pool.shared(contract);
  }
}
