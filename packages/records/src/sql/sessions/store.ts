import { setImmediate as nextTurn } from "node:timers/promises";
import type { ConsoleSession, SessionBounds, SessionStore } from "../../session-store.ts";
import { queryBuilder } from "../builder.ts";
import type { Database, RunQuery } from "../database.ts";

/** How many sessions to read in one turn of the event loop: a person's groups can take 50 KB. */
const PER_TURN = 50;

/** Sorts the latest first, as the gateway lists them. */
function byCreated(a: ConsoleSession, b: ConsoleSession): number {
  if (a.created !== b.created) return a.created < b.created ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

/** Keeps sessions of the console in a database, for all processes that share it. */
export function createSessionStore(db: Database): SessionStore {
  const build = queryBuilder(db.dialect);
  const sessions = build.selectFrom("console_sessions");

  /** Returns the ids of the sessions that a new one of an owner ends. */
  async function beyond(
    run: RunQuery,
    owner: string,
    { ofOwner, inAll }: SessionBounds,
  ): Promise<readonly string[]> {
    const query = sessions.select(["id", "owner"]).orderBy("seen", "desc").orderBy("id");
    const kept = await run(query.compile());
    const own = kept.filter((row) => row.owner === owner).slice(ofOwner - 1);
    const left = kept.filter((row) => !own.includes(row));
    return [...own, ...left.slice(inAll - 1)].map(({ id }) => id);
  }

  return {
    add: (session, bounds, now) =>
      db.write("sessions", async (run) => {
        await run(build.deleteFrom("console_sessions").where("expires", "<=", now).compile());
        const ended = await beyond(run, session.owner, bounds);
        if (ended.length > 0) {
          await run(build.deleteFrom("console_sessions").where("id", "in", ended).compile());
        }
        await run(build.insertInto("console_sessions").values(session).compile());
        return ended;
      }),
    find: async (token) => {
      const query = sessions.selectAll().where("token", "=", token);
      const [found] = await db.read((run) => run(query.compile()));
      return found;
    },
    async use(id, at) {
      const query = build.updateTable("console_sessions").set({ seen: at }).where("id", "=", id);
      await db.write("sessions", (run) => run(query.compile()));
    },
    async all() {
      const all: ConsoleSession[] = [];
      for (let last = ""; ; ) {
        const next = sessions.selectAll().where("id", ">", last).orderBy("id").limit(PER_TURN);
        const rows = await db.read((run) => run<ConsoleSession>(next.compile()));
        all.push(...rows);
        const end = rows.at(-1);
        if (end === undefined || rows.length < PER_TURN) return all.sort(byCreated);
        last = end.id;
        await nextTurn();
      }
    },
    end: (id) =>
      db.write("sessions", async (run) => {
        const found = await run(sessions.select("id").where("id", "=", id).compile());
        await run(build.deleteFrom("console_sessions").where("id", "=", id).compile());
        return found.length > 0;
      }),
  };
}
