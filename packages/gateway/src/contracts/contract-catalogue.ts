import type { ContractScope } from "@touchstone/records/plain";
import { BoundedMap, type Logger } from "@touchstone/util";
import type { ToolContract } from "./contract.ts";

/** How many lists to keep: one for each revision and authorization. */
const MAX_LISTS = 20;

/** A contract from the newest lists. */
export interface KnownContract {
  readonly contract: ToolContract;
  /** MCP revision of the list; `""` if the client named no known one. */
  readonly revision: string;
  /** When this declaration was first seen, since the process started. */
  readonly learnedAt: Date;
  /** Whether the list names the tool more than once; this is the last declaration. */
  readonly repeated: boolean;
}

/** The newest whole list of one server for each revision and authorization, for people to view. */
export class ContractCatalogue {
  /** By revision and authorization, the newest last. */
  readonly #lists: Map<string, readonly KnownContract[]> = new Map();
  readonly #now: () => Date;
  readonly #repeated: RepeatedToolsLog | undefined;

  /** @param repeated logs the tools that a whole list names more than once; default: nothing is logged */
  constructor(now: () => Date = () => new Date(), repeated?: RepeatedToolsLog) {
    this.#now = now;
    this.#repeated = repeated;
  }

  /**
   * Stores what is known of a list: a complete one replaces the one before; in an incomplete one each tool replaces
   * the one with its name.
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

  /** Returns a tool's contract in the latest list, if it is there. */
  newest(tool: string): ToolContract | undefined {
    const list = [...this.#lists.values()].at(-1) ?? [];
    return list.find(({ contract }) => contract.name === tool)?.contract;
  }

  /**
   * Returns every contract once: by tool, then revision. Undefined before the first list. If lists of one revision
   * differ by authorization, a tool occurs once for each pair of schemas.
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

/** How many sets of names to remember as logged. */
const MAX_TOLD = 100;
/** How many names to write on a line. */
const MAX_NAMES = 10;

/** Logs the tools that a server lists more than once, in any session; the same set only once. */
export class RepeatedToolsLog {
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
