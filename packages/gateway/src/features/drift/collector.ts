import { type Check, messageOf } from "@touchstone/core/advanced";
import {
  addToShape,
  type DriftEntry,
  type DriftStore,
  emptyShape,
  type Shape,
  shapeBudgetFor,
} from "@touchstone/records/plain";
import type { Logger } from "@touchstone/util";
import type { ToolContract } from "../../contracts/contract.ts";
import { isSchemaNote } from "../../contracts/large-schema.ts";
import { addCheckToShape } from "./verdicts.ts";

/** How long shapes are collected before they are stored. */
const FLUSH_MS = 2_000;
/** How many tools to collect shapes of at a time; results of others are skipped until the next flush. */
const MAX_TOOLS = 1_000;
/** Longer results and schemas are skipped, in bytes. */
const MAX_BYTES = 262_144;
/**
 * After this many results of a tool in one period, or this many bytes of them, only every tenth is read: parsing a
 * large one takes longer than checking it.
 */
const ALL = 1_000;
const ALL_BYTES = 1_048_576;
const EVERY = 10;

interface Gathered {
  readonly contract: ToolContract;
  readonly server: string;
  readonly shape: Shape;
  seen: number;
  /** Bytes of the results that were read. */
  bytes: number;
}

const decoder = new TextDecoder();

/** Collects the shapes of structured results, and stores them from time to time. */
export class DriftCollector {
  readonly #store: DriftStore;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #gathered: Map<string, Gathered> = new Map();
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: DriftStore, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  /**
   * Takes the structured content of a checked result: JSON, according to the scanner. Keeps neither the bytes nor any
   * value in them.
   * @param check by the contract's schema
   */
  take(server: string, contract: ToolContract, text: Uint8Array, check: Check): void {
    const { name, outputHash, outputText } = contract;
    if (outputHash === undefined || outputText === undefined) return;
    if (text.length > MAX_BYTES || outputText.length > MAX_BYTES || isSchemaNote(outputText))
      return;
    const key = JSON.stringify([server, name, outputHash]);
    let gathered = this.#gathered.get(key);
    if (gathered === undefined) {
      if (this.#gathered.size >= MAX_TOOLS) return;
      gathered = { contract, server, shape: emptyShape(), seen: 0, bytes: 0 };
      this.#gathered.set(key, gathered);
    }
    gathered.seen += 1;
    const isAll = gathered.seen <= ALL && gathered.bytes < ALL_BYTES;
    if (!isAll && gathered.seen % EVERY !== 0) return;
    gathered.bytes += text.length;
    const value: unknown = JSON.parse(decoder.decode(text));
    addToShape(gathered.shape, value, shapeBudgetFor(gathered.shape));
    addCheckToShape(gathered.shape, value, check);
  }

  /** Stores what was collected. Never rejects: shapes that cannot be stored are logged and dropped. */
  flush(): Promise<void> {
    const entries = [...this.#gathered.values()].map(entryOf);
    this.#gathered = new Map();
    if (entries.length === 0) return this.#flushing;
    this.#flushing = this.#flushing
      .then(() => this.#store.add(entries))
      .catch((error: unknown) => {
        const reason = messageOf(error);
        this.#log.warn("the shapes of results could not be stored", { reason });
      });
    return this.#flushing;
  }

  /** Stores the rest. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

function entryOf({ contract, server, shape }: Gathered): DriftEntry {
  return {
    server,
    tool: contract.name,
    schemaHash: contract.outputHash ?? "",
    schema: decoder.decode(contract.outputText),
    shape,
  };
}
