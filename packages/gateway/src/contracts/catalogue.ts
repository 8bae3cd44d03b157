import { BoundedMap } from "../util/bounded-map.ts";
import type { Logger } from "../util/log.ts";
import type { ToolContract } from "./contract.ts";
import type { ContractScope } from "./store.ts";

/** Lists that are kept at a time: one for each revision and authorization. */
const MAX_LISTS = 20;

/** A contract of the newest lists that were seen. */
export interface KnownContract {
  readonly contract: ToolContract;
  /** MCP revision of the list; `""` where the client did not tell a known one. */
  readonly revision: string;
  /** When it was first seen as it is, since the process started. */
  readonly learnedAt: Date;
  /** Whether the list names the tool more than once; this is the last declaration. */
  readonly repeated: boolean;
}

/** The newest whole list of one server for each revision and authorization, to be looked at. */
export class ContractCatalogue {
  /** By revision and authorization, the newest last. */
  readonly #lists: Map<string, readonly KnownContract[]> = new Map();
  readonly #now: () => Date;
  readonly #repeated: RepeatedTools | undefined;

  /** @param repeated logs the tools that a whole list names more than once; by default nobody does */
  constructor(now: () => Date = () => new Date(), repeated?: RepeatedTools) {
    this.#now = now;
    this.#repeated = repeated;
  }

  /**
   * Takes what is known of a list: a complete one takes the place of the one before it, of another one
   * each tool takes the place of the one with its name.
   * @param repeated the tools that the list names more than once
   */
  learn(
    { revision, authorization }: ContractScope,
    contracts: Iterable<ToolContract>,
    complete: boolean,
    repeated: ReadonlySet<string> = new Set(),
  ): void {
    const key = `${revision}\n${authorization}`;
    const before = new Map(this.#lists.get(key)?.map((known) => [known.contract.name, known]));
    const now = this.#now();
    const after = new Map(complete ? [] : before);
    for (const contract of contracts) {
      const known = before.get(contract.name);
      const same = known !== undefined && sameHashes(known.contract, contract);
      const learnedAt = same ? known.learnedAt : now;
      const isRepeated = repeated.has(contract.name);
      after.set(contract.name, { contract, revision, learnedAt, repeated: isRepeated });
    }
    this.#lists.delete(key);
    this.#lists.set(key, [...after.values()]);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest);
    if (complete) this.#repeated?.tell(repeated);
  }

  /** The contract of a tool in the list that was seen last, if it is in there. */
  newest(tool: string): ToolContract | undefined {
    const list = [...this.#lists.values()].at(-1) ?? [];
    return list.find(({ contract }) => contract.name === tool)?.contract;
  }

  /**
   * Every contract once: by tool, then revision. Undefined before any list was seen. Where lists of
   * one revision differ by authorization, a tool is there once for each pair of schemas.
   */
  all(): readonly KnownContract[] | undefined {
    if (this.#lists.size === 0) return undefined;
    const found = new Map<string, KnownContract>();
    for (const known of [...this.#lists.values()].flat()) {
      const { name, inputHash, outputHash } = known.contract;
      const key = JSON.stringify([known.revision, name, inputHash, outputHash]);
      if (!found.has(key)) found.set(key, known);
    }
    return [...found.values()].sort(
      (a, b) => compare(a.contract.name, b.contract.name) || compare(a.revision, b.revision),
    );
  }
}

function sameHashes(a: ToolContract, b: ToolContract): boolean {
  return a.inputHash === b.inputHash && a.outputHash === b.outputHash;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Sets of names that are remembered as logged. */
const MAX_TOLD = 100;
/** Names in a line. */
const MAX_NAMES = 10;

/** Logs the tools that a server lists more than once, in whatever session: the same ones only once. */
export class RepeatedTools {
  readonly #server: string;
  readonly #log: Logger;
  readonly #told: BoundedMap<string, true> = new BoundedMap(MAX_TOLD);

  constructor(server: string, log: Logger) {
    this.#server = server;
    this.#log = log;
  }

  /** @param names the tools that a whole list names more than once */
  tell(names: ReadonlySet<string>): void {
    if (names.size === 0) return;
    const sorted = [...names].sort();
    const key = JSON.stringify(sorted);
    if (this.#told.has(key)) return;
    this.#told.set(key, true);
    const more = names.size > MAX_NAMES ? ` and ${names.size - MAX_NAMES} more` : "";
    const tools = sorted.slice(0, MAX_NAMES).join(", ") + more;
    const what = "the server lists tools more than once; the last declaration of each counts";
    this.#log.warn(what, { server: this.#server, tools });
  }
}
