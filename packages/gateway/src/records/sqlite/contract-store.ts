import { setImmediate as turn } from "node:timers/promises";
import type { ToolContract } from "../../contracts/contract.ts";
import { listHashSteps } from "../../contracts/list-hash.ts";
import {
  type ContractChange,
  type ContractScope,
  type ContractStore,
  compareContracts,
  USE_STEP_MS,
} from "../../contracts/store.ts";
import { threadSlice } from "../../util/time-slice.ts";
import { keptTool } from "../sql/contract-rows.ts";
import { Turns } from "../turns.ts";
import { type Connection, inTransaction, whileBusy } from "./connection.ts";
import { createContractSweep } from "./contract-sweep.ts";
import { createContractTables, type KeptList } from "./contract-tables.ts";

/** Written in one transaction, on the thread that relays. */
const STEP_TOOLS = 100;
const STEP_BYTES = 500_000;

type Contracts = ReadonlyMap<string, ToolContract>;

/** What a list changed, and lists that may be referred to by nobody now. */
interface Replaced {
  readonly changes: readonly ContractChange[];
  readonly left: readonly number[];
}

/**
 * Keeps contracts in the database of the data directory, so that processes which share it, and
 * those that start later, compare with the same list. Lists that are alike are kept once. A list that is
 * not there is written step by step before its scope refers to it: whoever is killed meanwhile leaves
 * tools that nobody refers to.
 * @param path the database's path, for messages
 */
export function createContractStore(db: Connection, path: string, now: () => Date): ContractStore {
  const tables = createContractTables(db, now);
  const sweep = createContractSweep(db, path);
  const turns = new Turns();

  async function replace(scope: ContractScope, list: Contracts, again: boolean) {
    const kept = await whileBusy(path, () => tables.keptOf(scope));
    // The caller has hashed the same list; a long one takes some time.
    const hash =
      kept !== undefined && again ? kept.hash : await threadSlice.take(listHashSteps(list));
    if (kept?.hash === hash) {
      await markUsed(scope, kept);
      return [];
    }
    if ((await whileBusy(path, () => tables.whole(hash, list.size))) === undefined) {
      for (const step of stepsOf(list)) {
        await whileBusy(path, () => inTransaction(db, "IMMEDIATE", () => tables.add(hash, step)));
        await turn();
      }
    }
    const { changes, left } = await whileBusy(path, () =>
      inTransaction(db, "IMMEDIATE", () => refer(scope, hash, list)),
    );
    // The list is kept by then; what cannot be removed now is with the next pruning.
    await sweep.lists(left).catch(() => {});
    return changes;
  }

  function refer(scope: ContractScope, hash: string, contracts: Contracts): Replaced {
    const kept = tables.keptOf(scope);
    let list = tables.whole(hash, contracts.size);
    if (list === undefined) {
      // Another process has swept it away meanwhile.
      tables.add(hash, contracts.values());
      list = tables.whole(hash, contracts.size);
    }
    if (list === undefined) throw new Error("a list of tools has others than those it was made of");
    const changes = kept && compareContracts(tables.hashesOf(kept.list), contracts);
    tables.assign(scope, list);
    // The first list of a scope is what later ones are compared with; it changes nothing.
    if (kept === undefined || changes === undefined) {
      return { changes: [], left: tables.evict(scope.server) };
    }
    return { changes, left: kept.list === list ? [] : [kept.list] };
  }

  async function markUsed(scope: ContractScope, { used }: KeptList): Promise<void> {
    if (now().getTime() - Date.parse(used) < USE_STEP_MS) return;
    await whileBusy(path, () => tables.markUsed(scope));
  }

  return {
    replace(scope, contracts, again = false): Promise<readonly ContractChange[]> {
      const list = new Map([...contracts].map((contract) => [contract.name, contract]));
      return turns.take(JSON.stringify(scope), () => replace(scope, list, again));
    },
    async used(scope) {
      const kept = await whileBusy(path, () => tables.keptOf(scope));
      if (kept !== undefined) await markUsed(scope, kept);
    },
    tool: (scope, name) =>
      whileBusy(path, () => {
        const kept = tables.keptOf(scope);
        const row = kept ? tables.toolIn(kept.list, name) : tables.agreedTool(scope, name);
        return row && keptTool(name, row, kept !== undefined);
      }),
    toolNames: (server) => whileBusy(path, () => tables.toolNames(server)),
  };
}

function* stepsOf(contracts: Contracts): Generator<readonly ToolContract[]> {
  let step: ToolContract[] = [];
  let bytes = 0;
  for (const contract of contracts.values()) {
    step.push(contract);
    bytes += (contract.inputText?.length ?? 0) + (contract.outputText?.length ?? 0);
    if (step.length < STEP_TOOLS && bytes < STEP_BYTES) continue;
    yield step;
    step = [];
    bytes = 0;
  }
  // A list without tools is one as well.
  yield step;
}
