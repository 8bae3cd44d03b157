import type pg from "pg";
import type { ToolContract } from "../../contracts/contract.ts";
import { listHashSteps } from "../../contracts/list-hash.ts";
import { CONTRACTS_CHANNEL, contractNotice } from "../../contracts/notices.ts";
import {
  type ContractChange,
  type ContractScope,
  type ContractStore,
  compareContracts,
  USE_STEP_MS,
} from "../../contracts/store.ts";
import { threadSlice } from "../../util/time-slice.ts";
import { keptTool, toolOf } from "../sql/contract-rows.ts";
import { Turns } from "../turns.ts";
import { sweepLists } from "./contract-sweep.ts";
import {
  agreedTool,
  assign,
  evict,
  hashesOfList,
  type KeptList,
  keptOf,
  keyOf,
  OWN,
  toolIn,
  wholeList,
} from "./contract-tables.ts";
import { storeFault } from "./faults.ts";
import { inTransaction, type Pool } from "./pool.ts";
import { CONTRACT_LOCK, SWEEP_LOCK } from "./schema.ts";

/** One list at a time, so that of several gateways that see a change one reports it. */
const LOCK = "SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2, hashtext($3))";
const TOOL_NAMES = `SELECT DISTINCT tool FROM list_tools
  WHERE list IN (SELECT list FROM list_scopes WHERE server = $1)`;

type Contracts = ReadonlyMap<string, ToolContract>;

/** What a list changed, and lists that may be referred to by nobody now. */
interface Replaced {
  readonly changes: readonly ContractChange[];
  readonly left: readonly number[];
}

/**
 * Keeps contracts in the database, so that all gateways that share it compare with the same list. Lists
 * that are alike are kept once.
 */
export function createContractStore(at: Pool, now: () => Date): ContractStore {
  const { pool, place } = at;
  const turns = new Turns();

  async function markUsed(scope: ContractScope, { used }: KeptList): Promise<void> {
    if (now().getTime() - Date.parse(used) < USE_STEP_MS) return;
    const values = [...keyOf(scope), now().toISOString()];
    await pool.query(`UPDATE list_scopes SET used = $4 WHERE ${OWN}`, values);
  }

  async function replaceList(scope: ContractScope, list: Contracts, again: boolean) {
    // Most lists are the ones that are known; they wait for nobody.
    const kept = await keptOf(pool, scope);
    // The caller has hashed the same list; a long one takes some time.
    const hash =
      kept !== undefined && again ? kept.hash : await threadSlice.take(listHashSteps(list));
    if (kept?.hash === hash) {
      await markUsed(scope, kept);
      return [];
    }
    const { changes, left } = await inTransaction(pool, (client) =>
      replace(client, scope, hash, list, now()),
    );
    // The list is kept by then; what cannot be removed now is with the next pruning.
    await sweepLists(at, left).catch(() => {});
    return changes;
  }

  return {
    async replace(scope, contracts, again = false) {
      const list = new Map([...contracts].map((contract) => [contract.name, contract]));
      try {
        return await turns.take(JSON.stringify(scope), () => replaceList(scope, list, again));
      } catch (error) {
        throw storeFault(error, place, "write");
      }
    },
    async used(scope) {
      try {
        const kept = await keptOf(pool, scope);
        if (kept !== undefined) await markUsed(scope, kept);
      } catch (error) {
        throw storeFault(error, place, "write");
      }
    },
    async tool(scope, name) {
      try {
        const kept = await keptOf(pool, scope);
        const row = await (kept ? toolIn(pool, kept.list, name) : agreedTool(pool, scope, name));
        return row && keptTool(name, row, kept !== undefined);
      } catch (error) {
        throw storeFault(error, place, "read");
      }
    },
    async toolNames(server) {
      try {
        const { rows } = await pool.query<{ tool: string }>(TOOL_NAMES, [server]);
        return new Set(rows.map(({ tool }) => toolOf(tool)));
      } catch (error) {
        throw storeFault(error, place, "read");
      }
    },
  };
}

async function replace(
  client: pg.PoolClient,
  scope: ContractScope,
  hash: string,
  contracts: Contracts,
  now: Date,
): Promise<Replaced> {
  await client.query(LOCK, [SWEEP_LOCK, CONTRACT_LOCK, keyOf(scope).join("\n")]);
  const kept = await keptOf(client, scope);
  if (kept?.hash === hash) return { changes: [], left: [] };
  const list = await wholeList(client, hash, contracts, now);
  const before = kept && (await hashesOfList(client, kept.list));
  await assign(client, scope, list, now);
  // The first list of a scope is what later ones are compared with; it changes nothing.
  if (kept === undefined || before === undefined) {
    return { changes: [], left: await evict(client, scope.server) };
  }
  const changes = compareContracts(before, contracts);
  if (changes.length > 0) {
    // Sent with the commit: whoever hears of it finds the list that it tells of.
    await client.query("SELECT pg_notify($1, $2)", [CONTRACTS_CHANNEL, contractNotice(scope)]);
  }
  return { changes, left: [kept.list] };
}
