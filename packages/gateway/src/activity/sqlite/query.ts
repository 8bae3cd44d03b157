import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type SelectQueryBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { ActivityFilter } from "../filter.ts";
import type { ActivityRow } from "./rows.ts";

interface Tables {
  readonly activity: ActivityRow;
}

/** Builds SQL text and its parameters; libsql runs it. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

type Select<Output> = SelectQueryBuilder<Tables, "activity", Output>;

/** The filter's page, newest first, and one row more where there is a next page. */
export function selectPage(filter: ActivityFilter): CompiledQuery<ActivityRow> {
  let query = matching(builder.selectFrom("activity").selectAll(), filter);
  if (filter.after !== undefined) {
    query = query.where("id", "<", filter.after);
  }
  return query
    .orderBy("id", "desc")
    .limit(filter.limit + 1)
    .offset(filter.offset)
    .compile();
}

/** How many records meet the filter on all pages. */
export function countMatching(filter: ActivityFilter): CompiledQuery<{ total: number }> {
  const counted = builder
    .selectFrom("activity")
    .select((of) => of.fn.countAll<number>().as("total"));
  return matching(counted, filter).compile();
}

function matching<Output>(all: Select<Output>, filter: ActivityFilter): Select<Output> {
  let query = all;
  if (filter.types !== undefined) {
    query = query.where("type", "in", filter.types);
  }
  if (filter.server !== undefined) {
    query = query.where("server", "=", filter.server);
  }
  if (filter.tool !== undefined) {
    query = query.where("tool", "=", filter.tool);
  }
  if (filter.directions !== undefined) {
    query = query.where("direction", "in", filter.directions);
  }
  if (filter.decisions !== undefined) {
    query = query.where("decision", "in", filter.decisions);
  }
  if (filter.statuses !== undefined) {
    query = query.where("status", "in", filter.statuses);
  }
  if (filter.session !== undefined) {
    query = query.where("session", "=", filter.session);
  }
  if (filter.request !== undefined) {
    query = query.where("request_id", "=", filter.request);
  }
  if (filter.since !== undefined) {
    query = query.where("time", ">=", filter.since.toISOString());
  }
  if (filter.until !== undefined) {
    query = query.where("time", "<", filter.until.toISOString());
  }
  return query;
}
