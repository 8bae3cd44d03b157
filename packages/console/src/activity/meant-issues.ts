import { branchRoots } from "./branch-roots.ts";
import type { RecordIssue } from "./record.ts";

const UNIONS: ReadonlySet<string | null> = new Set(["anyOf", "oneOf"]);
const TELLING: ReadonlySet<string | null> = new Set(["type", "const", "enum"]);
const LITERAL: ReadonlySet<string | null> = new Set(["const", "enum"]);

/** Issues of a record, those about the branches of unions that were meant apart from others. */
export interface MeantIssues {
  readonly meant: readonly RecordIssue[];
  readonly others: readonly RecordIssue[];
}

/** The issues of each branch of a union, by its index. */
type Branches = ReadonlyMap<number, readonly RecordIssue[]>;

/** Places in the schema below which the issues of each branch stand. */
type Roots = readonly ReadonlySet<string>[];

/** Without the schema a branch is known by the places below itself. */
function ownRoots(issues: readonly RecordIssue[], union: string): Roots {
  const indices = issues.map(({ schemaPath }) => {
    const at = schemaPath?.startsWith(`${union}/`) ? schemaPath.slice(union.length + 1) : "";
    return Number(/^\d{1,4}(?=\/)/.exec(at)?.[0] ?? -1);
  });
  return Array.from({ length: Math.max(...indices) + 1 }, (_, i) => new Set([`${union}/${i}`]));
}

function isBelow({ schemaPath }: RecordIssue, roots: ReadonlySet<string>): boolean {
  if (schemaPath === null) return false;
  // Any place above it: the set is larger than a path is deep.
  for (let end = schemaPath.lastIndexOf("/"); end > 0; end = schemaPath.lastIndexOf("/", end - 1)) {
    if (roots.has(schemaPath.slice(0, end))) return true;
  }
  return false;
}

function branchesOf(issues: readonly RecordIssue[], union: RecordIssue, roots: Roots): Branches {
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

/** Branches without those that want another value at what most tells them apart; all where that leaves none. */
function without(branches: Branches, isOther: (issue: RecordIssue) => boolean): Branches {
  const left = [...branches].filter(([, issues]) => !issues.some(isOther));
  return left.length === 0 ? branches : new Map(left);
}

/** Returns the branches that were not meant: of another type, of another name, or with more that is wrong. */
function unmeant(branches: Branches, union: RecordIssue): readonly RecordIssue[] {
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

/** Returns what an issue says, and of what. */
const said = ({ path, schemaPath, message }: RecordIssue): string =>
  JSON.stringify([path, schemaPath, message]);

/** Returns the issues that are there more than once: something beside the union refers to what a branch does. */
function repeated(issues: readonly RecordIssue[]): ReadonlySet<string> {
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
 * Tells the issues of a record apart: those that only say why a value does not match a branch of a union that
 * was not meant, and all others. Where branches stand is reported by the places of issues.
 * @param schema that was applied, parsed, which tells where branches lead that are references; without it all issues of such
 *   branches are meant, as they are where branches share what they refer to, or a schema is inside of itself
 */
export function meantIssues(issues: readonly RecordIssue[], schema?: unknown): MeantIssues {
  const gone = new Set<RecordIssue>();
  const twice = schema === undefined ? undefined : repeated(issues);
  // A union stands behind the issues of its branches: the outer ones last.
  for (const union of issues.toReversed()) {
    const { keyword, schemaPath } = union;
    if (!UNIONS.has(keyword) || schemaPath === null || gone.has(union)) continue;
    const before = issues.slice(0, issues.indexOf(union)).filter((issue) => !gone.has(issue));
    const known = branchRoots(schema, schemaPath);
    const bySchema = known && branchesOf(before, union, known);
    // What branches share may be of any of them.
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
