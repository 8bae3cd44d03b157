import type { CompiledQuery } from "kysely";
import { encodeCursor } from "../cursor.ts";
import { ActivityError } from "../errors.ts";
import type { ActivityFilter } from "../filter.ts";
import type { ActivityRecord } from "../record.ts";
import type { ActivityChain, ActivityPage, ActivityReader } from "../store.ts";
import { type Connection, inTransaction, whileBusy } from "./connection.ts";
import { readFault } from "./faults.ts";
import { type ActivityRow, fromRow } from "./rows.ts";

const MAX_CHAIN_PAGE = 1000;

/** Reads records over an open connection; `path` is for messages. `close` closes the connection. */
export function createReader(db: Connection, path: string): ActivityReader {
  let closed = false;

  async function read<T>(query: () => T): Promise<T> {
    try {
      return await whileBusy(path, () => {
        if (closed) {
          throw new ActivityError("CLOSED", `The activity store on ${path} is closed.`);
        }
        return query();
      });
    } catch (error) {
      throw readFault(error, path);
    }
  }

  function rows<Row>(sql: string, parameters: readonly unknown[]): readonly Row[] {
    return db.prepare(sql).all(parameters) as Row[];
  }

  function run<Row>(query: CompiledQuery<Row>): readonly Row[] {
    return rows<Row>(query.sql, query.parameters);
  }

  function records(found: readonly ActivityRow[]): readonly ActivityRecord[] {
    return found.map((row) => fromRow(row, path));
  }

  return {
    async list(filter) {
      // The query builder takes long to load, and most processes only write.
      const sql = await import("./query.ts");
      return read(() => inTransaction(db, "DEFERRED", () => page(filter, sql)));
    },

    get: (id) =>
      read(() => records(rows("SELECT * FROM activity WHERE id = ?", [id.toUpperCase()]))[0]),

    findByPrefix: (prefix, limit) =>
      read(() => {
        const from = prefix.toUpperCase();
        // `~` sorts after every character of a ULID.
        const found = rows<ActivityRow>(
          "SELECT * FROM activity WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
          [from, `${from}~`, limit],
        );
        return records(found);
      }),

    chains: () =>
      read(() =>
        rows<ActivityChain>(
          `SELECT chain, count(*) AS records, min(id) AS first_id, max(id) AS last_id
             FROM activity GROUP BY chain ORDER BY chain`,
          [],
        ),
      ),

    readChain: (chain, { from = 0, limit = MAX_CHAIN_PAGE } = {}) =>
      read(() =>
        records(
          rows("SELECT * FROM activity WHERE chain = ? AND seq >= ? ORDER BY seq LIMIT ?", [
            chain,
            from,
            limit,
          ]),
        ),
      ),

    async close() {
      if (!closed) {
        closed = true;
        db.close();
      }
    },
  };

  function page(filter: ActivityFilter, sql: typeof import("./query.ts")): ActivityPage {
    const [count] = run(sql.countMatching(filter));
    const found = run(sql.selectPage(filter));
    const activities = records(found.slice(0, filter.limit));
    const last = found.length > filter.limit ? activities.at(-1) : undefined;
    return {
      activities,
      total: count?.total ?? 0,
      limit: filter.limit,
      offset: filter.offset,
      next_cursor: last === undefined ? null : encodeCursor(last.id),
    };
  }
}
