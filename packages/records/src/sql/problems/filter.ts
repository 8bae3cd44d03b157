import { type RawBuilder, sql } from "kysely";
import type { ActivityScope } from "../../filter.ts";
import type { ProblemKey } from "../../problems/problem.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import type { Dialect } from "../tables.ts";
import { byRequest, evaluatedPerRow } from "../way.ts";
import { numberedQueries } from "./fold.ts";

/** Returns the key of a problem; undefined if the problem is unknown. */
async function problemKey(
  db: ReadDatabase,
  run: RunQuery,
  id: string,
): Promise<ProblemKey | undefined> {
  const [row] = await numberedQueries(db.dialect, run)<ProblemKey>(
    "SELECT server, tool, direction, place, rule, keyword FROM problems WHERE id = $1",
    [id],
  );
  return row;
}

type Sql = RawBuilder<unknown>;

/** Returns a scope with the key of its problem. */
export async function withProblem<Scope extends ActivityScope>(
  db: ReadDatabase,
  run: RunQuery,
  scope: Scope,
): Promise<Scope> {
  if (scope.problem === undefined) return scope;
  const issue = (await problemKey(db, run, scope.problem)) ?? null;
  // Both columns have an index.
  const { server = issue?.server, tool = issue?.tool } = scope;
  const named = issue === null || server === "" ? {} : { server, tool };
  return { ...scope, ...named, issue };
}

/** Returns the condition that a decision about a call has an issue of a problem. */
export function hasIssue(dialect: Dialect, key: ProblemKey): Sql {
  return sql`EXISTS (SELECT 1 FROM activity decided ${byRequest(dialect)} WHERE decided.request_id = activity.request_id
    AND ${isAbout(dialect, key)} ${evaluatedPerRow(dialect)})`;
}

/** Returns the condition that the record `decided` is a decision with an issue of a problem. */
export function isAbout(dialect: Dialect, key: ProblemKey): Sql {
  const { server, tool, direction, place, rule, keyword } = key;
  const none = place === "" && keyword === "" ? withoutIssues(rule) : sql``;
  const match =
    dialect === "sqlite"
      ? sql`CASE WHEN json_valid(decided.issues) THEN EXISTS (SELECT 1 FROM json_each(decided.issues) one
          WHERE one.value ->> '$.rule' = ${rule} AND coalesce(one.value ->> '$.keyword', '') = ${keyword}
            AND ${atPlace(place)}) ELSE 0 END`
      : sql`decided.issues ~ ${issueText(key)}`;
  return sql`(decided.type = 'policy_decision' AND decided.decision IN ('warning', 'blocked')
    AND coalesce(decided.server, '') = ${server} AND decided.tool = ${tool}
    AND decided.direction = ${direction} AND (${match}${none}))`;
}

/** The problem of a decision without issues: see `problemsIn`. */
function withoutIssues(rule: string): Sql {
  const outcome = sql`coalesce(decided.outcome, '')`;
  if (rule === "guard" || rule === "budget") {
    return sql` OR (decided.issues = '[]' AND ${outcome} = ${rule})`;
  }
  if (rule !== "schema") return sql``;
  return sql` OR (decided.issues = '[]' AND ${outcome} NOT IN ('guard', 'budget'))`;
}

/** Splits a place into names; `undefined` stands for any item of an array. A place that was cut is only a prefix. */
function namesIn(place: string): {
  readonly names: readonly (string | undefined)[];
  readonly isCut: boolean;
} {
  const isCut = place.endsWith("…");
  const names = (isCut ? place.slice(0, -1) : place)
    .split("/")
    .map((name) => (name === "*" ? undefined : name.replaceAll("~2", "*")));
  return { names, isCut };
}

/** SQLite has no regular expressions: `*` of GLOB matches any text, so texts that are not an index are excluded. */
function atPlace(place: string): Sql {
  const path = sql`one.value ->> '$.path'`;
  const { names, isCut } = namesIn(place);
  const glob = (other: number): string =>
    names
      .map((name, at) =>
        name === undefined ? (at === other ? "*[^0-9]*" : "?*") : name.replace(/[*?[]/g, "[$&]"),
      )
      .join("/") + (isCut ? "*" : "");
  const others = names.flatMap((name, at) =>
    name === undefined ? [sql` AND ${path} NOT GLOB ${glob(at)}`] : [],
  );
  return sql`${path} GLOB ${glob(-1)}${others.length === 0 ? sql`` : sql.join(others, sql``)}`;
}

/**
 * Returns a regular expression for the JSON text of an issue in records. PostgreSQL's own JSON functions refuse some
 * texts.
 */
function issueText({ place, rule, keyword }: ProblemKey): string {
  const { names, isCut } = namesIn(place);
  const exact = (text: string): string =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const path = names.map((name) => (name === undefined ? "[0-9]+" : exact(name))).join("/");
  const text = '([^"\\\\]|\\\\.)*';
  const end = keyword === "" ? '(?!,"keyword")' : `,"keyword":"${exact(keyword)}"`;
  return `\\{"path":"${path}${isCut ? text : ""}","message":"${text}","rule":"${exact(rule)}"${end}`;
}
