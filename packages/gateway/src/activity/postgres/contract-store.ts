import type pg from "pg";
import {
  type ContractChange,
  type ContractHashes,
  type ContractScope,
  type ContractStore,
  compareContracts,
} from "../../contracts/store.ts";
import { storeFault } from "./faults.ts";
import { inTransaction, type Pool } from "./pool.ts";
import { CONTRACT_LOCK } from "./schema.ts";

interface Row {
  readonly tool: string;
  readonly input_hash: string | null;
  readonly output_hash: string | null;
}

const OWN = `server = $1 AND revision = $2 AND "authorization" = $3`;
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
        return await inTransaction(pool, (client) => replace(client, scope, list, now()));
      } catch (error) {
        throw storeFault(error, place, "write");
      }
    },
  };
}

type Contracts = Parameters<ContractStore["replace"]>[1];
type Contract = Contracts extends Iterable<infer T> ? T : never;

async function replace(
  client: pg.PoolClient,
  { server, revision, authorization }: ContractScope,
  contracts: ReadonlyMap<string, Contract>,
  now: Date,
): Promise<readonly ContractChange[]> {
  await client.query("SELECT pg_advisory_xact_lock($1)", [CONTRACT_LOCK]);
  const key = [server, revision, authorization];
  const select = `SELECT tool, input_hash, output_hash FROM contracts WHERE ${OWN}`;
  const { rows } = await client.query<Row>(select, key);
  const before = new Map<string, ContractHashes>(
    rows.map((row) => [
      row.tool,
      { inputHash: row.input_hash ?? undefined, outputHash: row.output_hash ?? undefined },
    ]),
  );
  const changes = compareContracts(before, contracts);
  for (const { tool, kind } of changes) {
    const contract = contracts.get(tool);
    if (kind === "removed" || contract === undefined) {
      await client.query(`DELETE FROM contracts WHERE ${OWN} AND tool = $4`, [...key, tool]);
      continue;
    }
    const { inputHash, outputHash, inputText, outputText } = contract;
    await client.query(UPSERT, [
      ...key,
      tool,
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
  return rowCount === 1 ? [] : changes;
}
