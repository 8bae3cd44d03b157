import type { ToolContract } from "../../contracts/contract.ts";
import { type ContractHashes, type ContractScope, MAX_KEPT_LISTS } from "../../contracts/store.ts";
import {
  type ContractRow,
  hashesOf,
  TOOL_COLUMNS,
  TOOL_SCHEMAS,
  type ToolRow,
  toolColumn,
  toolOf,
} from "../sql/contract-rows.ts";
import type { Connection } from "./connection.ts";
import { prepareRows, type RowStatement } from "./row-statement.ts";

/** The list that is kept of a scope. */
export interface KeptList {
  readonly list: number;
  readonly hash: string;
  /** RFC 3339. */
  readonly used: string;
}

/** Single steps on the tables of contracts; those that write run inside of a transaction. */
export interface ContractTables {
  keptOf(scope: ContractScope): KeptList | undefined;
  hashesOf(list: number): ReadonlyMap<string, ContractHashes>;
  /** Adds tools to a list that nobody refers to yet; what is there stays. */
  add(hash: string, contracts: Iterable<ToolContract>): void;
  /** The id of a list that is there with all its tools; undefined where some are missing. */
  whole(hash: string, tools: number): number | undefined;
  assign(scope: ContractScope, list: number): void;
  markUsed(scope: ContractScope): void;
  /** Takes away the scopes of a server that are beyond the bound. Gives the lists that they had. */
  evict(server: string): readonly number[];
  toolNames(server: string): ReadonlySet<string>;
  /** A tool of a list. */
  toolIn(list: number, name: string): ToolRow | undefined;
  /** A tool as all lists of a server and revision declare it; undefined if they do not. */
  agreedTool(scope: ContractScope, name: string): ToolRow | undefined;
}

/** Makes the statements of one connection. */
export function createContractTables(db: Connection, now: () => Date): ContractTables {
  const kept = prepareRows(
    db,
    `SELECT list, hash, used FROM list_scopes JOIN lists ON lists.id = list
     WHERE server = ? AND revision = ? AND authorization = ?`,
  );
  const tools = prepareRows(
    db,
    `SELECT tool, i.hash AS input_hash, o.hash AS output_hash FROM list_tools
     LEFT JOIN schemas i ON i.id = input LEFT JOIN schemas o ON o.id = output WHERE list = ?`,
  );
  const addList = db.prepare("INSERT INTO lists (hash) VALUES (?) ON CONFLICT DO NOTHING");
  const listId = prepareRows(db, "SELECT id FROM lists WHERE hash = ?");
  const schemaId = prepareRows(db, "SELECT id FROM schemas WHERE hash = ?");
  const addSchema = db.prepare("INSERT INTO schemas (hash, text, since) VALUES (?, ?, ?)");
  const addTool = db.prepare(
    "INSERT INTO list_tools (list, tool, input, output) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const count = prepareRows(db, "SELECT count(*) AS tools FROM list_tools WHERE list = ?");
  const assign = db.prepare(
    `INSERT INTO list_scopes (server, revision, authorization, list, since, used)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (server, revision, authorization) DO UPDATE SET
       list = excluded.list, since = excluded.since, used = excluded.used`,
  );
  const markUsed = db.prepare(
    "UPDATE list_scopes SET used = ? WHERE server = ? AND revision = ? AND authorization = ?",
  );
  const evict = db.prepare(
    `DELETE FROM list_scopes WHERE (server, revision, authorization) IN (
       SELECT server, revision, authorization FROM list_scopes WHERE server = ?
       ORDER BY used DESC LIMIT -1 OFFSET ${MAX_KEPT_LISTS}) RETURNING list`,
  );
  const names = prepareRows(
    db,
    `SELECT DISTINCT tool FROM list_tools
     WHERE list IN (SELECT list FROM list_scopes WHERE server = ?)`,
  );
  const toolIn = prepareRows(
    db,
    `SELECT ${TOOL_COLUMNS} FROM list_tools t ${TOOL_SCHEMAS} WHERE t.list = ? AND t.tool = ?`,
  );
  // One row for each way in which the lists declare it, one of which is not at all.
  const declared = prepareRows(
    db,
    `SELECT DISTINCT t.tool AS tool, ${TOOL_COLUMNS}
     FROM (SELECT DISTINCT list FROM list_scopes WHERE server = ? AND revision = ?) l
     LEFT JOIN list_tools t ON t.list = l.list AND t.tool = ? ${TOOL_SCHEMAS} LIMIT 2`,
  );
  const idOf = (statement: RowStatement, hash: string): number | undefined =>
    (statement.all([hash]) as { id: number }[])[0]?.id;

  /** A text that is known is not written again. */
  function schema(hash: string | undefined, text: Uint8Array | undefined): number | null {
    if (hash === undefined || text === undefined) return null;
    const known = idOf(schemaId, hash);
    if (known !== undefined) return known;
    addSchema.run([hash, text, now().toISOString()]);
    return idOf(schemaId, hash) ?? null;
  }

  return {
    keptOf: (scope) => kept.all(keyOf(scope))[0] as KeptList | undefined,
    hashesOf: (list) => hashesOf(tools.all([list]) as ContractRow[]),
    add(hash, contracts) {
      addList.run([hash]);
      const list = idOf(listId, hash);
      for (const { name, inputHash, inputText, outputHash, outputText } of contracts) {
        const schemas = [schema(inputHash, inputText), schema(outputHash, outputText)];
        addTool.run([list, toolColumn(name), ...schemas]);
      }
    },
    whole(hash, size) {
      const list = idOf(listId, hash);
      if (list === undefined) return undefined;
      const [row] = count.all([list]) as { tools: number }[];
      return row?.tools === size ? list : undefined;
    },
    assign(scope, list) {
      const time = now().toISOString();
      assign.run([...keyOf(scope), list, time, time]);
    },
    markUsed: (scope) => void markUsed.run([now().toISOString(), ...keyOf(scope)]),
    evict: (server) => (evict.all([server]) as { list: number }[]).map(({ list }) => list),
    toolIn: (list, name) => toolIn.all([list, toolColumn(name)])[0] as ToolRow | undefined,
    agreedTool({ server, revision }, name) {
      const rows = declared.all([server, revision, toolColumn(name)]) as (ToolRow &
        Pick<ContractRow, "tool">)[];
      return rows.length === 1 && rows[0]?.tool !== null ? rows[0] : undefined;
    },
    toolNames: (server) =>
      new Set((names.all([server]) as Pick<ContractRow, "tool">[]).map(({ tool }) => toolOf(tool))),
  };
}

function keyOf({ server, revision, authorization }: ContractScope): readonly string[] {
  return [server, revision, authorization];
}
