import { setImmediate as turn } from "node:timers/promises";
import { threadSlice } from "@touchstone/util";
import type { DeclaredTool } from "../../contracts/declaration.ts";
import { listHashSteps } from "../../contracts/list-hash.ts";
import { CONTRACTS_CHANNEL, contractNotice } from "../../contracts/list-notice.ts";
import {
  type ContractChange,
  type ContractScope,
  type ContractStore,
  compareContracts,
  LIST_USE_PRECISION_MS,
} from "../../contracts/store.ts";
import type { Database, Lock, RunQuery } from "../database.ts";
import { advancePastRecords } from "../newest-id.ts";
import { keepChangedSchemas } from "./changed-schemas.ts";
import { boundChanges, newChanges } from "./list-changes.ts";
import { ContractTables, type KeptList, readToolRow } from "./lists.ts";
import { sweepLists } from "./sweep.ts";

/** How many tools are written to SQLite in one transaction, on the thread that relays messages. */
const STEP_TOOLS = 100;
const STEP_BYTES = 500_000;

type Contracts = ReadonlyMap<string, DeclaredTool>;

/** The changes of a list, and lists that may no longer be referenced. */
interface Replaced {
  readonly changes: readonly ContractChange[];
  /** When the previous list was kept; undefined if there was none. */
  readonly since?: string;
  readonly left: readonly number[];
}

/**
 * Keeps contracts in a database, so that all processes that share it, including later ones, compare with the same
 * list. Equal lists are stored once.
 */
export function createContractStore(db: Database, now: () => Date): ContractStore {
  const tables = new ContractTables(db.dialect);
  const turns = new Turns();

  async function replace(scope: ContractScope, list: Contracts, again: boolean) {
    // Most lists are already known and need no transaction for writing.
    const kept = await db.read((run) => tables.keptOf(run, scope));
    // If the caller has hashed the same list, its hash is used, because hashing a long list takes time.
    const hash =
      kept?.isOwn === true && again ? kept.hash : await threadSlice.take(listHashSteps(list));
    if (kept?.hash === hash && kept.isOwn === true) {
      await markUsed(scope, kept);
      return [];
    }
    if (db.dialect === "sqlite") await addInSteps(hash, list);
    const replaced = await db.write(lockOf(scope), (run) => refer(run, scope, hash, list));
    const changes = await ownChanges(scope, replaced);
    // The list is already stored at this point. Without the texts, a change shows its hashes only.
    await keepChangedSchemas(db, scope.server, changes, now).catch(() => {});
    if (changes.length > 0) await boundChanges(db, scope.server).catch(() => {});
    // The next pruning removes what cannot be removed now.
    await sweepLists(db, replaced.left).catch(() => {});
    return changes;
  }

  /**
   * A new list is written in steps before its scope refers to it, so that other work continues in between. If the
   * process is killed, it leaves tools that no scope refers to.
   */
  async function addInSteps(hash: string, list: Contracts): Promise<void> {
    const whole = await db.read((run) => tables.whole(run, hash, list.size));
    if (whole !== undefined) return;
    for (const step of stepsOf(list)) {
      await db.write({ list: hash }, (run) => tables.add(run, hash, step, now()));
      await turn();
    }
  }

  async function refer(
    run: RunQuery,
    scope: ContractScope,
    hash: string,
    contracts: Contracts,
  ): Promise<Replaced> {
    const kept = await tables.keptOf(run, scope);
    if (kept?.hash === hash && kept.isOwn === true) return { changes: [], left: [] };
    if (kept?.hash === hash && kept.isOwn === undefined) {
      // An earlier build has written the row without a digest.
      await tables.assign(run, scope, kept, now(), kept.since);
      return { changes: [], left: [] };
    }
    let list = await tables.whole(run, hash, contracts.size);
    if (list === undefined) {
      // The list is short and written at once, or another process has removed it in the meantime.
      await tables.add(run, hash, [...contracts.values()], now());
      list = await tables.whole(run, hash, contracts.size);
    }
    if (list === undefined) throw new Error("a list of tools has others than those it was made of");
    const before = kept && (await tables.hashesOf(run, kept.list));
    await tables.assign(run, scope, { list, hash }, now());
    // The first list of a scope is the basis for later comparisons; it changes nothing.
    if (kept === undefined || before === undefined) {
      return { changes: [], left: await tables.evict(run, scope.server) };
    }
    const changes = compareContracts(before, contracts);
    // Sent with the commit, so that a listener finds the list.
    if (changes.length > 0) await db.notify?.(run, CONTRACTS_CHANNEL, contractNotice(scope));
    return { changes, since: kept.since, left: [kept.list] };
  }

  /** Returns the changes that no other list of the server has had before; all of them if that is unknown. */
  async function ownChanges(
    { server }: ContractScope,
    { changes, since }: Replaced,
  ): Promise<readonly ContractChange[]> {
    if (since === undefined || changes.length === 0) return [];
    const time = { server, since, at: now().toISOString() };
    const fresh = await newChanges(db, time, changes).catch(() => changes);
    // A rollout assumes that calls before the record of the change were checked by the previous schema, so later ids
    // must follow existing ones.
    if (fresh.length > 0) await advancePastRecords(db, now()).catch(() => {});
    return fresh.map((change) => ({ ...change, since }));
  }

  async function markUsed(scope: ContractScope, { used }: KeptList): Promise<void> {
    if (now().getTime() - Date.parse(used) < LIST_USE_PRECISION_MS) return;
    await db.write(lockOf(scope), (run) => tables.markUsed(run, scope, now()));
  }

  return {
    replace(scope, contracts, again = false): Promise<readonly ContractChange[]> {
      const list = new Map([...contracts].map((contract) => [contract.name, contract]));
      return turns.take(JSON.stringify(scope), () => replace(scope, list, again));
    },
    async used(scope) {
      const kept = await db.read((run) => tables.keptOf(run, scope));
      if (kept !== undefined) await markUsed(scope, kept);
    },
    tool: (scope, name) =>
      db.read(async (run) => {
        const kept = await tables.keptOf(run, scope);
        // Another process has made the scope refer to another list.
        if (kept?.isOwn === false) return undefined;
        const row = await (kept
          ? tables.toolIn(run, kept.list, name)
          : tables.agreedTool(run, scope, name));
        return row && readToolRow(name, row, kept !== undefined);
      }),
    toolNames: (server) => db.read((run) => tables.toolNames(run, server)),
  };
}

function lockOf({ server, revision, authorization }: ContractScope): Lock {
  return { list: [server, revision, authorization].join("\n") };
}

function* stepsOf(contracts: Contracts): Generator<readonly DeclaredTool[]> {
  let step: DeclaredTool[] = [];
  let bytes = 0;
  for (const contract of contracts.values()) {
    step.push(contract);
    bytes += (contract.inputText?.length ?? 0) + (contract.outputText?.length ?? 0);
    if (step.length < STEP_TOOLS && bytes < STEP_BYTES) continue;
    yield step;
    step = [];
    bytes = 0;
  }
  // Yields a last step even for a list without tools.
  yield step;
}

/** Runs work on one key in order, and on different keys at the same time. */
class Turns {
  readonly #last: Map<string, Promise<unknown>> = new Map();

  /** @param work begins when earlier work on this key has ended, even with an error */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const done = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, done);
    const leave = (): void => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(leave, leave);
    return done;
  }
}
