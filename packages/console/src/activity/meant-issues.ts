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

function branchesOf(issues: readonly RecordIssue[], union: RecordIssue): Branches {
  const root = `${union.schemaPath}/`;
  const branches = new Map<number, RecordIssue[]>();
  for (const issue of issues) {
    const at = issue.schemaPath?.startsWith(root) ? issue.schemaPath.slice(root.length) : "";
    const index = /^\d+(?=\/)/.exec(at)?.[0];
    const isHere = issue.path === union.path || issue.path.startsWith(`${union.path}/`);
    if (index === undefined || !isHere) continue;
    const branch = branches.get(Number(index));
    if (branch === undefined) branches.set(Number(index), [issue]);
    else branch.push(issue);
  }
  return branches;
}

/** Branches without those that want another value at what most tells them apart; all where that leaves none. */
function without(branches: Branches, isOther: (issue: RecordIssue) => boolean): Branches {
  const left = [...branches].filter(([, issues]) => !issues.some(isOther));
  return left.length === 0 ? branches : new Map(left);
}

/** The branches that were not meant: of another type, of another name, or with more that is wrong. */
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

/**
 * Tells the issues of a record apart: those that only say why a value does not match a branch of a union that
 * was not meant, and all others. A record holds no schema; where branches stand is told by the places of its
 * issues, so that all are meant of branches that stand behind a reference.
 */
export function meantIssues(issues: readonly RecordIssue[]): MeantIssues {
  const gone = new Set<RecordIssue>();
  // A union stands behind the issues of its branches: the outer ones last.
  for (const union of issues.toReversed()) {
    if (!UNIONS.has(union.keyword) || union.schemaPath === null || gone.has(union)) continue;
    const before = issues.slice(0, issues.indexOf(union)).filter((issue) => !gone.has(issue));
    const branches = branchesOf(before, union);
    if (branches.size < 2) continue;
    for (const issue of unmeant(branches, union)) gone.add(issue);
  }
  return {
    meant: issues.filter((issue) => !gone.has(issue)),
    others: issues.filter((issue) => gone.has(issue)),
  };
}
