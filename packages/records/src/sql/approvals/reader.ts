import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import type { Pin, PinKind, PinReader, PinSet, PinState } from "../../contracts/pin-store.ts";
import { queryBuilder } from "../builder.ts";
import { matchesHash, toolOf } from "../contracts/lists.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";

/** How many rows are read at a time: on SQLite, each statement blocks the event loop until it ends. */
const PAGE_ROWS = 1_000;
/** Most hashes in one statement. */
const STEP_HASHES = 100;

type Build = ReturnType<typeof queryBuilder>;

/** Reads approvals from either database. */
export function createPinReader(db: Pick<ReadDatabase, "dialect" | "read">): PinReader {
  const build = queryBuilder(db.dialect);

  async function versionOf(run: RunQuery, server: string): Promise<number> {
    const query = build.selectFrom("pin_versions").select("version").where("server", "=", server);
    return Number((await run(query.compile()))[0]?.version ?? 0);
  }

  /** Returns the approvals of a server, those of one name by age. */
  async function pinsOf(run: RunQuery, server: string): Promise<readonly Pin[]> {
    const rows = oldestFirst(await serverPinRows(run, build, server));
    const pins: Pin[] = [];
    for (let at = 0; at < rows.length; at += PAGE_ROWS) {
      if (at > 0) await turn();
      for (const row of rows.slice(at, at + PAGE_ROWS)) pins.push(pinOf(row));
    }
    return pins;
  }

  return {
    read: (server, known) =>
      db.read(async (run): Promise<PinSet | undefined> => {
        const version = await versionOf(run, server);
        if (version === known) return undefined;
        const first = build
          .selectFrom("pin_first_uses")
          .select("kind")
          .where("server", "=", server);
        return {
          version,
          firstUse: new Set((await run(first.compile())).map(({ kind }) => kind)),
          pins: await pinsOf(run, server),
        };
      }),
    texts: (server, hashes) =>
      db.read(async (run) => {
        const texts = new Map<string, string>();
        for (let at = 0; at < hashes.length; at += STEP_HASHES) {
          if (at > 0) await turn();
          const step = hashes.slice(at, at + STEP_HASHES);
          for (const table of ["pins", "changed_schemas"] as const) {
            const query = build
              .selectFrom(table)
              .select(["hash", "text"])
              .where("server", "=", server)
              .where("hash", "in", step);
            for (const { hash, text } of await run(query.compile())) {
              if (text !== null && matchesHash(hash, text)) {
                texts.set(hash, Buffer.from(text).toString());
              }
            }
          }
        }
        return texts;
      }),
    servers: () =>
      db.read(async (run) => {
        const query = build.selectFrom("pin_versions").select("server").orderBy("server");
        return (await run(query.compile())).map(({ server }) => server);
      }),
  };
}

/** Reads the rows of a server, ordered by kind, name and hash. */
export async function serverPinRows(run: RunQuery, build: Build, server: string) {
  const query = build
    .selectFrom("pins")
    .select(["kind", "name", "hash", "state", "since", "decided", "caller", "locked_hash"])
    .where("server", "=", server)
    .orderBy("kind")
    .orderBy("name")
    .orderBy("hash")
    .limit(PAGE_ROWS);
  const found = [...(await run(query.compile()))];
  for (let read = found.length; read === PAGE_ROWS; ) {
    await turn();
    const { kind, name, hash } = found.at(-1) as (typeof found)[number];
    const next = query.where(sql<boolean>`(kind, name, hash) > (${kind}, ${name}, ${hash})`);
    const page = await run(next.compile());
    for (const row of page) found.push(row);
    read = page.length;
  }
  return found;
}

function pinOf(row: {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
  readonly state: string;
  readonly since: string;
  readonly decided: string | null;
  readonly caller: string | null;
  readonly locked_hash: string | null;
}): Pin {
  const { kind, name, hash, state, since, decided, caller, locked_hash: locked } = row;
  return {
    ...{ kind: kind as PinKind, name: toolOf(name), state: readPinState(state) },
    ...{ hash, since, decided, caller, locked },
  };
}

/** Sorts rows with the same kind and name, which are next to each other, by their age. */
function oldestFirst<Row extends Readonly<Record<"kind" | "name" | "since", string>>>(
  rows: Row[],
): Row[] {
  const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  let start = 0;
  for (let end = 1; end <= rows.length; end += 1) {
    const [first, next] = [rows[start], rows[end]];
    if (next !== undefined && first?.kind === next.kind && first.name === next.name) continue;
    if (end - start > 1) {
      const same = rows.slice(start, end).sort((a, b) => before(a.since, b.since));
      rows.splice(start, same.length, ...same);
    }
    start = end;
  }
  return rows;
}

/** Returns a stored state. A value that was tampered with approves nothing. */
export function readPinState(state: string): PinState {
  return state === "approved" || state === "held" ? state : "revoked";
}
