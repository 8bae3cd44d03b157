import type pg from "pg";
import { CONTRACTS_CHANNEL, contractNotice } from "../../contracts/notices.ts";
import {
  type ContractChange,
  type ContractScope,
  type ContractStore,
  compareContracts,
} from "../../contracts/store.ts";
import { type ContractRow, hashesOf, toolColumn, toolOf } from "../sql/contract-rows.ts";
import { storeFault } from "./faults.ts";
import { inTransaction, type Pool } from "./pool.ts";
import { CONTRACT_LOCK } from "./schema.ts";

const OWN = `server = $1 AND revision = $2 AND "authorization" = $3`;
const KEPT = `SELECT tool, input_hash, output_hash FROM contracts WHERE ${OWN}`;
/** One list at a time, so that of several gateways that see a change one reports it. */
const LOCK = "SELECT pg_advisory_xact_lock($1, hashtext($2))";
const UPSERT = `INSERT INTO contracts (server, revision, "authorization", tool, input_hash,
    output_hash, input_schema, output_schema, since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (server, revision, "authorization", tool) DO UPDATE SET
    input_hash = excluded.input_hash, output_hash = excluded.output_hash,
    input_schema = excluded.input_schema, output_schema = excluded.output_schema,
    since = excluded.since`;

/** Keeps contracts in the database, so that all gateways that share it compare with the same list. */
export function createContractStore({ pool, place }: Pool, now: () => Date): ContractStore {
  return {
    async replace(scope, contracts) {
      const list = new Map([...contracts].map((contract) => [contract.name, contract]));
      try {
        // Most lists are the ones that are known; they wait for nobody.
        if (await isKept(pool, scope, list)) return [];
        return await inTransaction(pool, (client) => replace(client, scope, list, now()));
      } catch (error) {
        throw storeFault(error, place, "write");
      }
    },
    async toolNames(server) {
      try {
        const select = "SELECT DISTINCT tool FROM contracts WHERE server = $1";
        const { rows } = await pool.query<Pick<ContractRow, "tool">>(select, [server]);
        return new Set(rows.map(({ tool }) => toolOf(tool)));
      } catch (error) {
        throw storeFault(error, place, "read");
      }
    },
  };
}

type Contracts = Parameters<ContractStore["replace"]>[1];
type Contract = Contracts extends Iterable<infer T> ? T : never;

/** Whether the list is the very one that is kept. */
async function isKept(
  pool: pg.Pool,
  { server, revision, authorization }: ContractScope,
  contracts: ReadonlyMap<string, Contract>,
): Promise<boolean> {
  const before = await pool.query<ContractRow>(KEPT, [server, revision, authorization]);
  if (before.rows.length === 0) return false;
  return compareContracts(hashesOf(before.rows), contracts).length === 0;
}

async function replace(
  client: pg.PoolClient,
  scope: ContractScope,
  contracts: ReadonlyMap<string, Contract>,
  now: Date,
): Promise<readonly ContractChange[]> {
  const { server, revision, authorization } = scope;
  const key = [server, revision, authorization];
  await client.query(LOCK, [CONTRACT_LOCK, key.join("\n")]);
  const { rows } = await client.query<ContractRow>(KEPT, key);
  const changes = compareContracts(hashesOf(rows), contracts);
  for (const { tool, kind } of changes) {
    const contract = contracts.get(tool);
    if (kind === "removed" || contract === undefined) {
      await client.query(`DELETE FROM contracts WHERE ${OWN} AND tool = $4`, [
        ...key,
        toolColumn(tool),
      ]);
      continue;
    }
    const { inputHash, outputHash, inputText, outputText } = contract;
    await client.query(UPSERT, [
      ...key,
      toolColumn(tool),
      inputHash ?? null,
      outputHash ?? null,
      inputText === undefined ? null : Buffer.from(inputText),
      outputText === undefined ? null : Buffer.from(outputText),
      now.toISOString(),
    ]);
  }
  // The first list of a scope is what later ones are compared with; it changes nothing.
  const mark = `INSERT INTO contract_lists (server, revision, "authorization") VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING`;
  const { rowCount } = await client.query(mark, key);
  if (rowCount === 1 || changes.length === 0) return [];
  // Sent with the commit: whoever hears of it finds the list that it tells of.
  await client.query("SELECT pg_notify($1, $2)", [CONTRACTS_CHANNEL, contractNotice(scope)]);
  return changes;
}
