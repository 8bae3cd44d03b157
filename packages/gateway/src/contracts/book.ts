import type { SchemaCache } from "@touchstone/core";
import { BoundedMap } from "../util/bounded-map.ts";
import { ToolContract, type ToolDeclaration } from "./contract.ts";
import { ContractPool } from "./pool.ts";

/** One page of a `tools/list` result. */
export interface ContractPage {
  readonly tools: readonly (ToolDeclaration | ToolContract)[];
  /** The `cursor` that the request named; absent for the list's beginning. */
  readonly cursor?: string;
  /** The `nextCursor` under which the list goes on; absent on its last page. */
  readonly next?: string;
  /** How long the list holds, in milliseconds, where the server says so (`ttlMs`). */
  readonly ttlMs?: number;
  /** Whether the page holds more than was read of it. */
  readonly cut?: boolean;
  /** The names that are there, or on the pages before it as well, more than once. */
  readonly repeated?: ReadonlySet<string>;
}

/** More tools than this are not kept by default, so that an endless list cannot fill the memory. */
export const MAX_TOOLS = 10_000;
/** A list is taken as fresh for at least this long, so that `ttlMs: 0` does not double every call. */
const MIN_FRESH_MS = 1_000;
/** Lists that are being read page by page at a time: the gateway's own and those of clients. */
const MAX_PARTIAL = 8;

/** The pages of a list so far, from its beginning on. */
interface PartialList {
  readonly contracts: Map<string, ToolContract>;
  /** Whether a page held more than was read of it. */
  readonly cut: boolean;
  readonly repeated: ReadonlySet<string>;
  /** How often the server had said that its list changed when this one began. */
  readonly changes: number;
}

/**
 * The contracts of one server towards one kind of client (protocol revision, session or
 * authorization: what a server lists may depend on all of them).
 */
export class ContractBook {
  readonly #cache: SchemaCache;
  readonly #now: () => number;
  readonly #pool: ContractPool;
  readonly #maxTools: number;
  #contracts: Map<string, ToolContract> = new Map();
  #repeated: ReadonlySet<string> = new Set();
  /** By the cursor that continues them. */
  readonly #partial: BoundedMap<string, PartialList> = new BoundedMap(MAX_PARTIAL);
  #changes = 0;
  #version = 0;
  #complete = false;
  #overflowed = false;
  #freshUntil = 0;

  /**
   * @param now milliseconds on a clock that never goes back.
   * @param pool of all lists of the server
   * @param maxTools how many tools of a list are kept (`limits.tools`)
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

  /** True when no whole list has been seen, or the server said that it changed, or its time is over. */
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

  /** Whether the list holds more than is read of it, so that some of its tools are not known. */
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

  /** The tools on the pages before one that is to be learnt. */
  before(cursor: string | undefined): ReadonlyMap<string, ToolContract> | undefined {
    return cursor === undefined ? undefined : this.#partial.get(cursor)?.contracts;
  }

  /** Another number whenever other tools are known. */
  get version(): number {
    return this.#version;
  }

  /** How often the server has said that its list changed. */
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
   * Learns a page. The contracts of a complete list stay in force until the next one is complete,
   * all its pages following each other from the first on; before the first complete list, each page
   * counts at once. A page with a tool that is not as it is known makes the list stale. True when the page
   * completed a list.
   * @param since {@link changes} when the page came; a list that the server has changed since then is stale
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
    // Whoever read this page calls by it, and may never read the rest.
    if (changed) this.#freshUntil = 0;
    // A page that continues no list that was followed says nothing of the tools that it leaves out.
    if (before === undefined) return false;
    if (next !== undefined) {
      this.#partial.set(next, { contracts, cut, repeated, changes: before.changes });
      return false;
    }
    this.#adopt({ contracts, cut, repeated, changes: before.changes }, page.ttlMs);
    return true;
  }

  /**
   * Takes the pages of a list so far for all that will be known of it, if more are not read.
   * @param next the cursor that continues them
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

  /** A declaration that has not changed keeps its contract, and with it what was compiled. */
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
    return known !== undefined && same ? known : this.#pool.shared(contract);
  }
}
