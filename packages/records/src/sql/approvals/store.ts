import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import {
  MAX_HELD_DECLARATIONS,
  MAX_PINNED_TEXT,
  type PinItem,
  type PinKind,
  type PinState,
  type PinStore,
  type UnapprovedText,
} from "../../contracts/pin-store.ts";
import { queryBuilder } from "../builder.ts";
import { toolColumn } from "../contracts/lists.ts";
import type { Database, RunQuery } from "../database.ts";
import type { ApprovalLog } from "./log.ts";
import { createPinReader, readPinState, serverPinRows } from "./reader.ts";

/** Most rows of one statement, and most bytes of their texts. */
const STEP_ROWS = 100;
const STEP_BYTES = 4_000_000;
/** Most bytes of texts in one transaction that stores held declarations. */
const HELD_BYTES = 1_000_000;
/** About how many bytes a row has without its text. */
const ROW_BYTES = 200;

/**
 * Keeps approvals in a database, for all processes that share it.
 * @param log records a first use before the tables contain it
 */
export function createPinStore(db: Database, now: () => Date, log: ApprovalLog): PinStore {
  const build = queryBuilder(db.dialect);
  const reader = createPinReader(db);

  const locked = <T>(server: string, body: (run: RunQuery) => Promise<T>): Promise<T> =>
    db.write({ pins: server }, body);

  async function hasFirst(run: RunQuery, server: string, kind: PinKind): Promise<boolean> {
    const query = build
      .selectFrom("pin_first_uses")
      .select("kind")
      .where("server", "=", server)
      .where("kind", "=", kind);
    return (await run(query.compile())).length > 0;
  }

  async function raise(run: RunQuery, server: string): Promise<void> {
    const query = build
      .insertInto("pin_versions")
      .values({ server, version: 1 })
      .onConflict((at) =>
        at
          .column("server")
          .doUpdateSet((row) => ({ version: sql<number>`${row.ref("pin_versions.version")} + 1` })),
      );
    await run(query.compile());
  }

  /** The states of items that have rows, by {@link keyOf}. */
  async function statesOf(run: RunQuery, server: string): Promise<ReadonlyMap<string, PinState>> {
    const rows = await serverPinRows(run, build, server);
    return new Map(
      rows.map((row) => [keyOf(row.kind, row.name, row.hash), readPinState(row.state)]),
    );
  }

  /** Adds rows; changes the state of existing ones. */
  async function put(
    run: RunQuery,
    server: string,
    items: readonly (PinItem & Partial<UnapprovedText>)[],
    decision: { readonly state: "approved" | "revoked"; readonly caller?: string | undefined },
  ): Promise<void> {
    const time = now().toISOString();
    const { state, caller = null } = decision;
    const unique = new Map(items.map((item) => [keyOf(item.kind, item.name, item.hash), item]));
    for (const step of stepsOf([...unique.values()])) {
      if (step.isLater) await turn();
      const rows = step.items.map((item) => ({
        ...rowOf(server, item),
        ...{ state, since: time, decided: time, caller },
      }));
      const insert = build
        .insertInto("pins")
        .values(rows)
        .onConflict((at) =>
          at.columns(["server", "kind", "name", "hash"]).doUpdateSet((row) => ({
            state: row.ref("excluded.state"),
            decided: row.ref("excluded.decided"),
            caller: row.ref("excluded.caller"),
            text: sql<Uint8Array>`coalesce(${row.ref("pins.text")}, ${row.ref("excluded.text")})`,
          })),
        );
      await run(insert.compile());
      await putLocked(run, server, step.items, time);
    }
  }

  /** Adds rows of declarations that are not approved. Existing rows stay. Returns the items that had none. */
  async function hold<Item extends UnapprovedText>(
    run: RunQuery,
    server: string,
    items: readonly Item[],
  ): Promise<readonly Item[]> {
    const since = now().toISOString();
    const unique = new Map(
      items.map((item) => [keyOf(item.kind, toolColumn(item.name), item.hash), item]),
    );
    const rows = [...unique.values()].map((item) => ({
      ...rowOf(server, item),
      ...{ state: "held" as const, since, decided: null, caller: null },
    }));
    const insert = build
      .insertInto("pins")
      .values(rows)
      .onConflict((at) => at.doNothing())
      .returning(["kind", "name", "hash"]);
    const added = new Set(
      (await run(insert.compile())).map(({ kind, name, hash }) => keyOf(kind, name, hash)),
    );
    const fresh = [...unique].flatMap(([key, item]) => (added.has(key) ? [item] : []));
    await putLocked(run, server, fresh, since);
    return fresh;
  }

  /** Keeps the declaration of a lock file, for comparisons. */
  async function putLocked(
    run: RunQuery,
    server: string,
    items: readonly Partial<UnapprovedText>[],
    since: string,
  ): Promise<void> {
    const rows = items.flatMap(({ locked }) => {
      const text = bytesOf(locked?.text);
      return locked === undefined || text === null
        ? []
        : [{ server, hash: locked.hash, text, since }];
    });
    if (rows.length === 0) return;
    const unique = [...new Map(rows.map((row) => [row.hash, row])).values()];
    const insert = build.insertInto("changed_schemas").values(unique);
    await run(insert.onConflict((at) => at.doNothing()).compile());
  }

  /**
   * Drops the declarations that were held longest, beyond the limits. Needed because a server may declare new ones
   * each time.
   */
  async function forget(server: string): Promise<void> {
    const held = sql<{ items: number | string; bytes: number | string }>`
      SELECT count(*) AS items, sum(coalesce(length(text), 0) + ${sql.lit(ROW_BYTES)}) AS bytes
      FROM pins WHERE server = ${server} AND state = 'held'`;
    const [kept] = await db.read((run) => run(held.compile(build)));
    const isBounded =
      Number(kept?.items ?? 0) <= MAX_HELD_DECLARATIONS.items &&
      Number(kept?.bytes ?? 0) <= MAX_HELD_DECLARATIONS.bytes;
    if (isBounded) return;
    const query = sql`DELETE FROM pins WHERE (server, kind, name, hash) IN (
      SELECT server, kind, name, hash FROM (
        SELECT server, kind, name, hash,
          row_number() OVER (ORDER BY since DESC, kind, name, hash) AS place,
          sum(coalesce(length(text), 0) + ${sql.lit(ROW_BYTES)})
            OVER (ORDER BY since DESC, kind, name, hash) AS size
        FROM pins WHERE server = ${server} AND state = 'held') held
      WHERE place > ${sql.lit(MAX_HELD_DECLARATIONS.items)} OR size > ${sql.lit(MAX_HELD_DECLARATIONS.bytes)})`;
    await locked(server, (run) => run(query.compile(build)));
  }

  return {
    ...reader,
    begin: () => log.begin(),
    async firstUse(server, kind, items) {
      const before = await db.read(async (run) => ({
        isDone: await hasFirst(run, server, kind),
        states: await statesOf(run, server),
      }));
      if (before.isDone) return false;
      // A declaration that was revoked stays revoked.
      const isFresh = (states: ReadonlyMap<string, PinState>, { name, hash }: PinItem): boolean =>
        states.get(keyOf(kind, toolColumn(name), hash)) !== "revoked";
      const recorded = items.filter((item) => isFresh(before.states, item));
      await log.firstUse(server, kind, recorded);
      return locked(server, async (run) => {
        const since = now().toISOString();
        const insert = build
          .insertInto("pin_first_uses")
          .values({ server, kind, since })
          .onConflict((at) => at.doNothing())
          .returning("kind");
        if ((await run(insert.compile())).length === 0) return false;
        const states = await statesOf(run, server);
        const fresh = recorded.filter((item) => isFresh(states, item));
        await put(run, server, fresh, { state: "approved" });
        await raise(run, server);
        return true;
      });
    },
    async saw(server, items) {
      const fresh: UnapprovedText[] = [];
      // Each step is a separate transaction, because a transaction is written in one turn of the event loop.
      try {
        for (const step of stepsOf(items, HELD_BYTES)) {
          if (step.isLater) await turn();
          const added = await locked(server, async (run) => {
            const found = await hold(run, server, step.items);
            if (found.length > 0) await raise(run, server);
            return found;
          });
          fresh.push(...added);
        }
      } catch (error) {
        // Items that were stored get a record; the others are seen again with the next list.
        if (fresh.length === 0) throw error;
      }
      if (fresh.length > 0) await forget(server).catch(() => {});
      return fresh;
    },
    decide: (server, items, decision) =>
      locked(server, async (run) => {
        const states = await statesOf(run, server);
        const changed = items.filter(
          ({ kind, name, hash }) =>
            states.get(keyOf(kind, toolColumn(name), hash)) !== decision.state,
        );
        if (changed.length === 0) return [];
        await put(run, server, changed, decision);
        await raise(run, server);
        return changed;
      }),
  };
}

/** Returns the columns of a declaration's row, except for its state. */
function rowOf(
  server: string,
  { kind, name, hash, text, locked }: PinItem & Partial<UnapprovedText>,
) {
  return {
    ...{ server, kind, name: toolColumn(name), hash },
    ...{ text: bytesOf(text), locked_hash: locked?.hash ?? null },
  };
}

/** Returns a text in the form of a column; null if it is too long to be kept. */
function bytesOf(text: string | undefined): Buffer | null {
  return text === undefined || text.length > MAX_PINNED_TEXT ? null : Buffer.from(text);
}

/** @param name in the form of a column */
function keyOf(kind: string, name: string, hash: string): string {
  return JSON.stringify([kind, name, hash]);
}

/** Yields items in steps of limited rows and bytes; other work continues between the steps. */
function* stepsOf<Item extends Partial<UnapprovedText>>(
  items: readonly Item[],
  stepBytes: number = STEP_BYTES,
): Generator<{ readonly items: readonly Item[]; readonly isLater: boolean }> {
  let step: Item[] = [];
  let bytes = 0;
  let isLater = false;
  for (const [at, item] of items.entries()) {
    step.push(item);
    bytes += (item.text?.length ?? 0) + (item.locked?.text?.length ?? 0);
    if (step.length < STEP_ROWS && bytes < stepBytes && at + 1 < items.length) continue;
    yield { items: step, isLater };
    isLater = true;
    step = [];
    bytes = 0;
  }
}
