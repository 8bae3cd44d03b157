import type { Issue } from "@touchstone/core";
import { branchRoots } from "./branch-roots.ts";

const UNIONS: ReadonlySet<string | undefined> = new Set(["anyOf", "oneOf"]);
const TELLING: ReadonlySet<string | undefined> = new Set(["type", "const", "enum"]);
const LITERAL: ReadonlySet<string | undefined> = new Set(["const", "enum"]);

/** Issues of a record; those of union branches that were not meant are separate. */
export interface RelevantIssues {
  readonly meant: readonly Issue[];
  readonly others: readonly Issue[];
}

/** The issues of each branch of a union, by branch index. */
type Branches = ReadonlyMap<number, readonly Issue[]>;

/** Locations in the schema that contain the issues of each branch. */
type Roots = readonly ReadonlySet<string>[];

/** Without the schema, a branch is known only by the locations below itself. */
function ownRoots(issues: readonly Issue[], union: string): Roots {
  const indices = issues.map(({ schemaPath }) => {
    const at = schemaPath?.startsWith(`${union}/`) ? schemaPath.slice(union.length + 1) : "";
    return Number(/^\d{1,4}(?=\/)/.exec(at)?.[0] ?? -1);
  });
  return Array.from({ length: Math.max(...indices) + 1 }, (_, i) => new Set([`${union}/${i}`]));
}

function isBelow({ schemaPath }: Issue, roots: ReadonlySet<string>): boolean {
  if (schemaPath === undefined) return false;
  // Look up each ancestor: the set has more entries than a path has levels.
  for (let end = schemaPath.lastIndexOf("/"); end > 0; end = schemaPath.lastIndexOf("/", end - 1)) {
    if (roots.has(schemaPath.slice(0, end))) return true;
  }
  return false;
}

function branchesOf(issues: readonly Issue[], union: Issue, roots: Roots): Branches {
  const here = issues.filter(
    ({ path }) => path === union.path || path.startsWith(`${union.path}/`),
  );
  const branches = roots.map((places, index) => {
    return [index, here.filter((issue) => isBelow(issue, places))] as const;
  });
  return new Map(branches.filter(([, own]) => own.length > 0));
}

function areApart(branches: Branches): boolean {
  const all = [...branches.values()].flat();
  return new Set(all).size === all.length;
}

/**
 * Returns the branches without those that require another value for the most distinguishing member; all branches if
 * none would be left.
 */
function without(branches: Branches, isOther: (issue: Issue) => boolean): Branches {
  const left = [...branches].filter(([, issues]) => !issues.some(isOther));
  return left.length === 0 ? branches : new Map(left);
}

/** Returns the issues of branches that were not meant: of another type, with another name, or with more issues. */
function unmeant(branches: Branches, union: Issue): readonly Issue[] {
  const isMember = (path: string): boolean =>
    path.startsWith(`${union.path}/`) && !path.slice(union.path.length + 1).includes("/");
  const ofType = without(
    branches,
    ({ path, keyword }) => path === union.path && TELLING.has(keyword),
  );
  const named = without(ofType, ({ path, keyword }) => isMember(path) && LITERAL.has(keyword));
  const least = Math.min(...[...named.values()].map(({ length }) => length));
  return [...branches].flatMap(([index, issues]) =>
    named.get(index)?.length === least ? [] : issues,
  );
}

/** Returns a key for what an issue says and where. */
const said = ({ path, schemaPath, message }: Issue): string =>
  JSON.stringify([path, schemaPath, message]);

/**
 * Returns the issues that occur more than once: a branch and something outside the union refer to the same schema.
 */
function repeated(issues: readonly Issue[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const issue of issues) {
    const key = said(issue);
    if (seen.has(key)) twice.add(key);
    seen.add(key);
  }
  return twice;
}

/**
 * Separates issues that only say why a value does not match a union branch that was not meant from all others. Issue
 * locations show which branch they belong to.
 * @param schema the applied schema, parsed; it shows where branches that are references lead. Without it, all issues
 *   of such branches count as meant. So do they if branches share what they refer to, or a schema contains itself
 */
export function splitRelevantIssues(issues: readonly Issue[], schema?: unknown): RelevantIssues {
  const gone = new Set<Issue>();
  const twice = schema === undefined ? undefined : repeated(issues);
  // A union follows the issues of its branches, outer unions last.
  for (const union of issues.toReversed()) {
    const { keyword, schemaPath } = union;
    if (!UNIONS.has(keyword) || schemaPath === undefined || gone.has(union)) continue;
    const before = issues.slice(0, issues.indexOf(union)).filter((issue) => !gone.has(issue));
    const known = branchRoots(schema, schemaPath);
    const bySchema = known && branchesOf(before, union, known);
    // Issues in a part that branches share may belong to any of them.
    const isTold = bySchema !== undefined && areApart(bySchema);
    const branches = isTold ? bySchema : branchesOf(before, union, ownRoots(before, schemaPath));
    if (branches.size < 2) continue;
    for (const issue of unmeant(branches, union)) {
      if (twice?.has(said(issue)) !== true) gone.add(issue);
    }
  }
  return {
    meant: issues.filter((issue) => !gone.has(issue)),
    others: issues.filter((issue) => gone.has(issue)),
  };
}
