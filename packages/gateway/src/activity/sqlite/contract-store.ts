import type { ToolContract } from "../../contracts/contract.ts";
import {
  type ContractChange,
  type ContractScope,
  type ContractStore,
  compareContracts,
} from "../../contracts/store.ts";
import { type ContractRow, hashesOf, toolColumn, toolOf } from "../sql/contract-rows.ts";
import { type Connection, inTransaction, whileBusy } from "./connection.ts";
import { prepareRows } from "./row-statement.ts";

/**
 * Keeps contracts in the database of the data directory, so that processes which share it, and
 * those that start later, compare with the same list.
 * @param path the database's path, for messages
 */
export function createContractStore(db: Connection, path: string, now: () => Date): ContractStore {
  const select = prepareRows(
    db,
    "SELECT tool, input_hash, output_hash FROM contracts WHERE server = ? AND revision = ? AND authorization = ?",
  );
  const mark = db.prepare(
    "INSERT INTO contract_lists (server, revision, authorization) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const remove = db.prepare(
    "DELETE FROM contracts WHERE server = ? AND revision = ? AND authorization = ? AND tool = ?",
  );
  const upsert = db.prepare(
    `INSERT INTO contracts (server, revision, authorization, tool, input_hash, output_hash,
       input_schema, output_schema, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (server, revision, authorization, tool) DO UPDATE SET
       input_hash = excluded.input_hash, output_hash = excluded.output_hash,
       input_schema = excluded.input_schema, output_schema = excluded.output_schema,
       since = excluded.since`,
  );

  const names = prepareRows(db, "SELECT DISTINCT tool FROM contracts WHERE server = ?");

  function replace(scope: ContractScope, contracts: ReadonlyMap<string, ToolContract>) {
    const key = [scope.server, scope.revision, scope.authorization];
    const before = hashesOf(select.all(key) as ContractRow[]);
    const changes = compareContracts(before, contracts);
    const since = now().toISOString();
    for (const { tool, kind } of changes) {
      const contract = contracts.get(tool);
      if (kind === "removed" || contract === undefined) {
        remove.run([...key, toolColumn(tool)]);
        continue;
      }
      upsert.run([
        ...key,
        toolColumn(tool),
        contract.inputHash ?? null,
        contract.outputHash ?? null,
        contract.inputText ?? null,
        contract.outputText ?? null,
        since,
      ]);
    }
    // The first list of a scope is what later ones are compared with; it changes nothing.
    const first = mark.run(key).changes > 0;
    return first ? [] : changes;
  }

  return {
    async replace(scope, contracts): Promise<readonly ContractChange[]> {
      const list = new Map([...contracts].map((contract) => [contract.name, contract]));
      return whileBusy(path, () => inTransaction(db, "IMMEDIATE", () => replace(scope, list)));
    },
    async toolNames(server): Promise<ReadonlySet<string>> {
      const rows = await whileBusy(path, () => names.all([server]) as Pick<ContractRow, "tool">[]);
      return new Set(rows.map(({ tool }) => toolOf(tool)));
    },
  };
}
