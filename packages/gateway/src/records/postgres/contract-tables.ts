import type pg from "pg";
import type { ToolContract } from "../../contracts/contract.ts";
import { type ContractHashes, type ContractScope, MAX_KEPT_LISTS } from "../../contracts/store.ts";
import {
  type ContractRow,
  hashesOf,
  TOOL_COLUMNS,
  TOOL_SCHEMAS,
  type ToolRow,
  toolColumn,
} from "../sql/contract-rows.ts";

type Client = Pick<pg.Pool, "query">;

/** Which scope a row is about, by {@link keyOf}. */
export const OWN = `server = $1 AND revision = $2 AND "authorization" = $3`;

/** What one statement carries of schemas, which PostgreSQL takes as one text. */
const STEP_BYTES = 4_000_000;

const KEPT = `SELECT list, hash, used FROM list_scopes JOIN lists ON lists.id = list WHERE ${OWN}`;
const HASHES = `SELECT tool, i.hash AS input_hash, o.hash AS output_hash FROM list_tools
  LEFT JOIN schemas i ON i.id = input LEFT JOIN schemas o ON o.id = output WHERE list = $1`;
const TOOL_IN = `SELECT ${TOOL_COLUMNS} FROM list_tools t ${TOOL_SCHEMAS}
  WHERE t.list = $1 AND t.tool = $2`;
/** One row for each way in which the lists declare a tool, one of which is not at all. */
const DECLARED = `SELECT DISTINCT t.tool AS tool, ${TOOL_COLUMNS}
  FROM (SELECT DISTINCT list FROM list_scopes WHERE server = $1 AND revision = $2) l
  LEFT JOIN list_tools t ON t.list = l.list AND t.tool = $3 ${TOOL_SCHEMAS} LIMIT 2`;
const LIST = "SELECT id FROM lists WHERE hash = $1";
const ADD_SCHEMAS = `INSERT INTO schemas (hash, text, since)
  SELECT hash, text, $3 FROM unnest($1::text[], $2::bytea[]) AS declared (hash, text)
  ON CONFLICT DO NOTHING`;
const ADD_TOOLS = `INSERT INTO list_tools (list, tool, input, output)
  SELECT $1, tool, i.id, o.id FROM unnest($2::text[], $3::text[], $4::text[])
    AS listed (tool, input, output)
  LEFT JOIN schemas i ON i.hash = listed.input COLLATE "C"
  LEFT JOIN schemas o ON o.hash = listed.output COLLATE "C"`;
const ASSIGN = `INSERT INTO list_scopes (server, revision, "authorization", list, since, used)
  VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (server, revision, "authorization") DO UPDATE SET
    list = excluded.list, since = excluded.since, used = excluded.used`;
/** Rows that another gateway is about to remove, or to use, are left to it. */
const EVICT = `DELETE FROM list_scopes WHERE (server, revision, "authorization") IN (
    SELECT server, revision, "authorization" FROM list_scopes WHERE server = $1
    ORDER BY used DESC OFFSET ${MAX_KEPT_LISTS} FOR UPDATE SKIP LOCKED) RETURNING list`;

/** The list that is kept of a scope. */
export interface KeptList {
  readonly list: number;
  readonly hash: string;
  /** RFC 3339. */
  readonly used: string;
}

export function keyOf({ server, revision, authorization }: ContractScope): readonly string[] {
  return [server, revision, authorization];
}

export async function keptOf(client: Client, scope: ContractScope): Promise<KeptList | undefined> {
  const { rows } = await client.query<KeptList>(KEPT, [...keyOf(scope)]);
  return rows[0];
}

export async function hashesOfList(
  client: Client,
  list: number,
): Promise<ReadonlyMap<string, ContractHashes>> {
  const { rows } = await client.query<ContractRow>(HASHES, [list]);
  return hashesOf(rows);
}

/** The id of a list, which is written where it is not there. */
export async function wholeList(
  client: Client,
  hash: string,
  contracts: ReadonlyMap<string, ToolContract>,
  now: Date,
): Promise<number> {
  // Another gateway that writes the same one is waited for.
  const added = await client.query("INSERT INTO lists (hash) VALUES ($1) ON CONFLICT DO NOTHING", [
    hash,
  ]);
  const { rows } = await client.query<{ id: number }>(LIST, [hash]);
  const [list] = rows;
  if (list === undefined) throw new Error("a list of tools was removed while it was written");
  if (added.rowCount === 0) return list.id;
  for (const step of stepsOf(contracts)) {
    const values = [step.map(([key]) => key), step.map(([, text]) => Buffer.from(text))];
    await client.query(ADD_SCHEMAS, [...values, now.toISOString()]);
  }
  const tools = [...contracts.values()];
  await client.query(ADD_TOOLS, [
    list.id,
    tools.map(({ name }) => toolColumn(name)),
    tools.map(({ inputHash }) => inputHash ?? null),
    tools.map(({ outputHash }) => outputHash ?? null),
  ]);
  return list.id;
}

/** A tool of a list. */
export async function toolIn(
  client: Client,
  list: number,
  name: string,
): Promise<ToolRow | undefined> {
  const { rows } = await client.query<ToolRow>(TOOL_IN, [list, toolColumn(name)]);
  return rows[0];
}

/** A tool as all lists of a server and revision declare it; undefined if they do not. */
export async function agreedTool(
  client: Client,
  { server, revision }: ContractScope,
  name: string,
): Promise<ToolRow | undefined> {
  const { rows } = await client.query<ToolRow & { readonly tool: string | null }>(DECLARED, [
    server,
    revision,
    toolColumn(name),
  ]);
  return rows.length === 1 && rows[0]?.tool !== null ? rows[0] : undefined;
}

export async function assign(
  client: Client,
  scope: ContractScope,
  list: number,
  now: Date,
): Promise<void> {
  await client.query(ASSIGN, [...keyOf(scope), list, now.toISOString()]);
}

/** Takes away the scopes of a server that are beyond the bound. Gives the lists that they had. */
export async function evict(client: Client, server: string): Promise<readonly number[]> {
  const { rows } = await client.query<{ list: number }>(EVICT, [server]);
  return rows.map(({ list }) => list);
}

/** Schemas by their hash, in its order: two gateways that write the same ones wait for each other in turn. */
function* stepsOf(
  contracts: ReadonlyMap<string, ToolContract>,
): Generator<readonly (readonly [string, Uint8Array])[]> {
  const texts = new Map<string, Uint8Array>();
  for (const { inputHash, inputText, outputHash, outputText } of contracts.values()) {
    if (inputHash !== undefined && inputText !== undefined) texts.set(inputHash, inputText);
    if (outputHash !== undefined && outputText !== undefined) texts.set(outputHash, outputText);
  }
  let step: [string, Uint8Array][] = [];
  let bytes = 0;
  for (const hash of [...texts.keys()].sort()) {
    const text = texts.get(hash) ?? new Uint8Array();
    step.push([hash, text]);
    bytes += text.length;
    if (bytes < STEP_BYTES) continue;
    yield step;
    step = [];
    bytes = 0;
  }
  if (step.length > 0) yield step;
}
