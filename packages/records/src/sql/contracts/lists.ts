import { createHash } from "node:crypto";
import { type CompiledQuery, sql } from "kysely";
import type { DeclaredTool } from "../../contracts/declaration.ts";
import {
  type ContractHashes,
  type ContractScope,
  MAX_KEPT_LISTS,
  type StoredTool,
} from "../../contracts/store.ts";
import { queryBuilder } from "../builder.ts";
import type { RunQuery } from "../database.ts";
import type { Dialect } from "../tables.ts";
import { isScopeSealed, sealedSince, sinceTime } from "./scope-seal.ts";

/** Most rows that one statement writes, and most bytes of their texts. */
const STEP_ROWS = 200;
const STEP_BYTES = 4_000_000;

/** The list of a scope. */
export interface KeptList {
  readonly list: number;
  readonly hash: string;
  /** When the scope got it, and when it was last used: RFC 3339. */
  readonly since: string;
  readonly used: string;
  /**
   * Whether the digest confirms that the list belongs to the scope; undefined if an earlier build has written the
   * row.
   */
  readonly isOwn: boolean | undefined;
}

/** A row of `list_scopes`, with the hash of its list. */
interface SealedScope {
  readonly authorization: string;
  readonly since: string;
  readonly hash: string;
}

/** A tool of a list. */
interface ContractRow {
  readonly tool: string;
  readonly input_hash: string | null;
  readonly output_hash: string | null;
}

/** The same columns with the texts of the tool's schemas. */
interface ToolRow extends Omit<ContractRow, "tool"> {
  readonly input_text: Uint8Array | null;
  readonly output_text: Uint8Array | null;
}

/** The statements on the tables of contracts. */
export class ContractTables {
  readonly #dialect: Dialect;
  readonly #build: ReturnType<typeof queryBuilder>;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#build = queryBuilder(dialect);
  }

  async keptOf(run: RunQuery, scope: ContractScope): Promise<KeptList | undefined> {
    const query = this.#build
      .selectFrom("list_scopes")
      .innerJoin("lists", "lists.id", "list_scopes.list")
      .select(["list_scopes.list", "lists.hash", "list_scopes.since", "list_scopes.used"])
      .where((of) => of.and(keyOf(scope)));
    const [kept] = await run(query.compile());
    if (kept === undefined) return undefined;
    const isOwn = isScopeSealed(kept.since, scope, kept.hash);
    return { ...kept, since: sinceTime(kept.since), isOwn };
  }

  async hashesOf(run: RunQuery, list: number): Promise<ReadonlyMap<string, ContractHashes>> {
    const query = this.#build
      .selectFrom("list_tools as t")
      .leftJoin("schemas as i", "i.id", "t.input")
      .leftJoin("schemas as o", "o.id", "t.output")
      .select([
        "t.tool",
        hashOf("t.input", "i.hash").as("input_hash"),
        hashOf("t.output", "o.hash").as("output_hash"),
      ])
      .where("t.list", "=", list);
    const rows: readonly ContractRow[] = await run(query.compile());
    return new Map(
      rows.map(({ tool, input_hash, output_hash }) => [
        toolOf(tool),
        { inputHash: input_hash ?? undefined, outputHash: output_hash ?? undefined },
      ]),
    );
  }

  /** Returns the id of a list if all of its tools exist; undefined if some are missing. */
  async whole(run: RunQuery, hash: string, tools: number): Promise<number | undefined> {
    const query = this.#build
      .selectFrom("lists")
      .leftJoin("list_tools", "list_tools.list", "lists.id")
      .select((of) => ["lists.id", of.fn.count<number>("list_tools.tool").as("tools")])
      .where("lists.hash", "=", hash)
      .groupBy("lists.id");
    const [found] = await run(query.compile());
    return found?.tools === tools ? found.id : undefined;
  }

  /** Adds tools to a list; existing ones stay. The order of rows prevents deadlocks between gateways. */
  async add(
    run: RunQuery,
    hash: string,
    contracts: readonly DeclaredTool[],
    now: Date,
  ): Promise<void> {
    const added = this.#build.insertInto("lists").values({ hash });
    await run(added.onConflict((at) => at.doNothing()).compile());
    const found = this.#build.selectFrom("lists").select("id").where("hash", "=", hash);
    const [list] = await run(found.compile());
    if (list === undefined) throw new Error("a list of tools was removed while it was written");
    const schemas = await this.#addSchemas(run, contracts, now.toISOString());
    const idOf = (of: string | undefined): number | null =>
      of === undefined ? null : (schemas.get(of) ?? null);
    const rows = contracts
      .map(({ name, inputHash, outputHash }) => ({
        list: list.id,
        tool: toolColumn(name),
        input: idOf(inputHash),
        output: idOf(outputHash),
      }))
      .sort((a, b) => (a.tool < b.tool ? -1 : 1));
    for (let at = 0; at < rows.length; at += STEP_ROWS) {
      const insert = this.#build.insertInto("list_tools").values(rows.slice(at, at + STEP_ROWS));
      await run(insert.onConflict((of) => of.doNothing()).compile());
    }
  }

  /** Returns the ids of tools' schemas. An existing text is not written again. */
  async #addSchemas(
    run: RunQuery,
    contracts: readonly DeclaredTool[],
    since: string,
  ): Promise<ReadonlyMap<string, number>> {
    const texts = new Map<string, Uint8Array>();
    for (const { inputHash, inputText, outputHash, outputText } of contracts) {
      if (inputHash !== undefined && inputText !== undefined) texts.set(inputHash, inputText);
      if (outputHash !== undefined && outputText !== undefined) texts.set(outputHash, outputText);
    }
    const ids = new Map<string, number>();
    const hashes = [...texts.keys()].sort();
    const find = async (some: readonly string[]): Promise<void> => {
      const query = this.#build.selectFrom("schemas").select(["id", "hash"]);
      for (const row of await run(query.where("hash", "in", some).compile())) {
        ids.set(row.hash, row.id);
      }
    };
    for (let at = 0; at < hashes.length; at += STEP_ROWS) {
      const some = hashes.slice(at, at + STEP_ROWS);
      await find(some);
      const missing = some.filter((hash) => !ids.has(hash));
      for (const step of stepsOf(missing, texts)) {
        const rows = step.map(([hash, text]) => ({ hash, text: Buffer.from(text), since }));
        const insert = this.#build.insertInto("schemas").values(rows);
        await run(insert.onConflict((of) => of.doNothing()).compile());
      }
      if (missing.length > 0) await find(missing);
    }
    return ids;
  }

  /**
   * Makes a scope refer to a list.
   * @param hash of the list
   */
  async assign(
    run: RunQuery,
    scope: ContractScope,
    { list, hash }: Pick<KeptList, "list" | "hash">,
    now: Date,
    since: string = now.toISOString(),
  ): Promise<void> {
    const query = this.#build
      .insertInto("list_scopes")
      .values({
        ...keyOf(scope),
        list,
        since: sealedSince(since, scope, hash),
        used: now.toISOString(),
      })
      .onConflict((at) =>
        at.columns(["server", "revision", "authorization"]).doUpdateSet((of) => ({
          list: of.ref("excluded.list"),
          since: of.ref("excluded.since"),
          used: of.ref("excluded.used"),
        })),
      );
    await run(query.compile());
  }

  async markUsed(run: RunQuery, scope: ContractScope, now: Date): Promise<void> {
    const query = this.#build.updateTable("list_scopes").set({ used: now.toISOString() });
    await run(query.where((of) => of.and(keyOf(scope))).compile());
  }

  /** Removes a server's scopes beyond the limit. Returns the lists that these scopes referred to. */
  async evict(run: RunQuery, server: string): Promise<readonly number[]> {
    // Skips rows that another gateway is about to remove or use.
    const others = this.#dialect === "postgres" ? sql`FOR UPDATE SKIP LOCKED` : sql``;
    const query = sql<{ list: number }>`
      DELETE FROM list_scopes WHERE (server, revision, "authorization") IN (
        SELECT server, revision, "authorization" FROM list_scopes WHERE server = ${server}
        ORDER BY used DESC LIMIT 1000000 OFFSET ${sql.lit(MAX_KEPT_LISTS)} ${others})
      RETURNING CAST(list AS BIGINT) AS list`;
    return (await run(query.compile(this.#build))).map(({ list }) => list);
  }

  async toolNames(run: RunQuery, server: string): Promise<ReadonlySet<string>> {
    const query = this.#build
      .selectFrom("list_tools")
      .select("tool")
      .distinct()
      .where("list", "in", (of) =>
        of.selectFrom("list_scopes").select("list").where("server", "=", server),
      );
    return new Set((await run(query.compile())).map(({ tool }) => toolOf(tool)));
  }

  /** A tool of a list. */
  async toolIn(run: RunQuery, list: number, name: string): Promise<ToolRow | undefined> {
    const query: CompiledQuery<ToolRow> = this.#build
      .selectFrom("list_tools as t")
      .leftJoin("schemas as i", "i.id", "t.input")
      .leftJoin("schemas as o", "o.id", "t.output")
      .select([...TOOL])
      .where("t.list", "=", list)
      .where("t.tool", "=", toolColumn(name))
      .compile();
    return (await run(query))[0];
  }

  /** Returns a tool's declaration if all lists of a server and revision agree; undefined if they do not. */
  async agreedTool(
    run: RunQuery,
    { server, revision }: ContractScope,
    name: string,
  ): Promise<ToolRow | undefined> {
    // One row for each variant in the lists, including a missing tool.
    const query = this.#build
      .selectFrom((of) =>
        of
          .selectFrom("list_scopes")
          .select("list")
          .distinct()
          .where("server", "=", server)
          .where("revision", "=", revision)
          .as("l"),
      )
      .leftJoin("list_tools as t", (on) =>
        on.onRef("t.list", "=", "l.list").on("t.tool", "=", toolColumn(name)),
      )
      .leftJoin("schemas as i", "i.id", "t.input")
      .leftJoin("schemas as o", "o.id", "t.output")
      .select(["t.tool", ...TOOL])
      .distinct()
      .limit(2);
    const [row, other] = await run(query.compile());
    if (other !== undefined || row === undefined || row.tool === null) return undefined;
    const scopes = this.#build
      .selectFrom("list_scopes")
      .innerJoin("lists", "lists.id", "list_scopes.list")
      .select(["list_scopes.authorization", "list_scopes.since", "lists.hash"])
      .where("server", "=", server)
      .where("revision", "=", revision);
    for (const { authorization, since, hash } of await run<SealedScope>(scopes.compile())) {
      const scope = { server, revision, authorization };
      if (isScopeSealed(since, scope, hash) === false) return undefined;
    }
    return row;
  }
}

const TOOL = [
  "i.hash as input_hash",
  "o.hash as output_hash",
  "i.text as input_text",
  "o.text as output_text",
] as const;

/**
 * Returns the hash of the schema that a tool refers to: null without a reference, and `missing` if that schema does
 * not exist.
 */
const hashOf = (reference: string, hash: string) =>
  sql<
    string | null
  >`CASE WHEN ${sql.ref(reference)} IS NOT NULL THEN coalesce(${sql.ref(hash)}, 'missing') END`;

function keyOf({ server, revision, authorization }: ContractScope) {
  return { server, revision, authorization };
}

/** Yields texts in steps of limited bytes. */
function* stepsOf(
  hashes: readonly string[],
  texts: ReadonlyMap<string, Uint8Array>,
): Generator<readonly (readonly [string, Uint8Array])[]> {
  let step: [string, Uint8Array][] = [];
  let bytes = 0;
  for (const hash of hashes) {
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

/**
 * Returns a tool from its row. Undefined if a schema's text does not match its hash: a call must not be checked
 * against a text that was tampered with.
 */
export function readToolRow(name: string, row: ToolRow, exact: boolean): StoredTool | undefined {
  const { input_hash, output_hash, input_text, output_text } = row;
  if (!matchesHash(input_hash, input_text) || !matchesHash(output_hash, output_text))
    return undefined;
  const declaration = {
    name,
    ...(input_text === null ? {} : { inputSchema: new Uint8Array(input_text) }),
    ...(output_text === null ? {} : { outputSchema: new Uint8Array(output_text) }),
  };
  return { declaration, exact };
}

/** Returns whether a text matches its hash: a text that was tampered with must not be used for checks or approvals. */
export function matchesHash(hash: string | null, text: Uint8Array | null): boolean {
  if (hash === null || text === null) return hash === null && text === null;
  return hash === `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/**
 * Returns a tool's name for a column. A text column cannot store U+0000 or a lone surrogate, so a name with one is
 * stored as a JSON string, and so is a name that could be mistaken for one.
 */
export function toolColumn(name: string): string {
  const plain = name.isWellFormed() && !name.includes("\u0000") && !name.startsWith('"');
  return plain ? name : JSON.stringify(name);
}

/** Returns the name from a column value of {@link toolColumn}. */
export function toolOf(column: string): string {
  if (!column.startsWith('"')) return column;
  try {
    const name: unknown = JSON.parse(column);
    return typeof name === "string" ? name : column;
  } catch {
    return column;
  }
}
