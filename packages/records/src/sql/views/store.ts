import { nextId } from "../../ids.ts";
import { MAX_VIEWS, type SavedView, type ViewStore } from "../../views.ts";
import { queryBuilder } from "../builder.ts";
import type { Database } from "../database.ts";

/** Keeps saved views in a database. */
export function createViewStore(db: Database): ViewStore {
  const build = queryBuilder(db.dialect);
  const views = build.selectFrom("saved_views");
  return {
    async all() {
      const query = views.selectAll().orderBy("name").limit(MAX_VIEWS);
      return (await db.read((run) => run(query.compile()))).map(viewOf);
    },
    save: (given, now) =>
      db.write("views", async (run) => {
        const [same] = await run(views.select("id").where("name", "=", given.name).compile());
        const view = { ...given, id: same?.id ?? nextId(now), saved: now.toISOString() };
        if (same !== undefined) {
          const update = build.updateTable("saved_views").set(view).where("id", "=", same.id);
          await run(update.compile());
          return view;
        }
        const others = await run(views.select("id").limit(MAX_VIEWS).compile());
        if (others.length >= MAX_VIEWS) return undefined;
        await run(build.insertInto("saved_views").values(view).compile());
        return view;
      }),
    remove: (id) =>
      db.write("views", async (run) => {
        const found = await run(views.select("id").where("id", "=", id).compile());
        await run(build.deleteFrom("saved_views").where("id", "=", id).compile());
        return found.length > 0;
      }),
  };
}

function viewOf({ list, ...row }: Omit<SavedView, "list"> & { readonly list: string }): SavedView {
  return { ...row, list: list === "records" ? "records" : "calls" };
}
