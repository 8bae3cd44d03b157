import { type Expression, type SqlBool, sql } from "kysely";
import type { Excuse, Excuses } from "../../policy/excuses.ts";

/** A database takes no query of any length; a tool beyond these goes by what is excused of its server. */
const MAX_EXCUSES = 4_000;

/** Whether a record's classes of issues, of which there are some, are all excused. */
export function isExcused(excuses: Excuses): Expression<SqlBool> {
  if (excuses.length === 0) return sql<SqlBool>`1 = 0`;
  const arms = bounded(excuses).map(
    (excuse) => sql`WHEN ${isAbout(excuse)} THEN ${hasOnly(excuse)}`,
  );
  return sql<SqlBool>`CASE ${sql.join(arms, sql` `)} ELSE 1 = 0 END`;
}

function bounded(excuses: Excuses): Excuses {
  if (excuses.length <= MAX_EXCUSES) return excuses;
  const wide = excuses.filter(({ tool }) => tool === undefined);
  const tools = excuses.filter(({ tool }) => tool !== undefined);
  return [...tools.slice(0, Math.max(0, MAX_EXCUSES - wide.length)), ...wide];
}

function isAbout({ direction, server, tool }: Excuse) {
  const parts = [sql`direction = ${sql.lit(direction)}`];
  if (server !== undefined) parts.push(sql`server = ${server}`);
  if (tool !== undefined) parts.push(sql`tool = ${tool}`);
  return sql.join(parts, sql` AND `);
}

/** Takes the excused classes out of the list: nothing is left of one that holds no others. */
function hasOnly({ rules }: Excuse) {
  const list = sql`',' || replace(coalesce(rules, '-'), ',', ',,') || ','`;
  const left = rules.reduce(
    (rest, rule) => sql`replace(${rest}, ${sql.lit(`,${rule},`)}, '')`,
    list,
  );
  return sql`(${left}) = ''`;
}
