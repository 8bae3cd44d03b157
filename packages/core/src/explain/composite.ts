import { literalsOf, propertyNode } from "../issues/literals.ts";
import { quote } from "../issues/quote.ts";
import { unescapePointer } from "../json/pointer.ts";
import type { SchemaNode } from "../schema/graph/node.ts";
import { passingOf } from "./branches.ts";
import type { Fact, Wanted } from "./fact.ts";
import { merge } from "./merge.ts";
import type { IssueTree } from "./tree.ts";

/** A branch of an `anyOf` or `oneOf` that failed, and what there is to tell of it. */
interface Alternative {
  readonly node: SchemaNode;
  readonly facts: readonly Fact[];
}

/** What the author calls a branch. */
function titleOf(node: SchemaNode | undefined): string | undefined {
  return node?.title ?? node?.ref?.title;
}

/** How a branch is called: by its place, and by the name of its definition or its title. */
function branchName(node: SchemaNode | undefined, index: number): string {
  const origin = node?.ref?.origin ?? node?.origin ?? "";
  const name = /\/(?:\$defs|definitions)\/([^/]+)$/.exec(origin)?.[1];
  const called = name === undefined ? titleOf(node) : unescapePointer(name);
  return called === undefined ? `#${index}` : `#${index} ${quote(called)}`;
}

/** What a branch wants at the place of the composite itself; values say more than types. */
function wantedAt(facts: readonly Fact[], path: string): Wanted | undefined {
  const here = facts.filter((fact) => fact.kind === "wanted" && fact.path === path);
  const exact = here.find(({ wanted }) => (wanted?.values.length ?? 0) > 0);
  return (exact ?? here[0])?.wanted;
}

/**
 * The alternatives that are left when a property tells them apart: those whose `const` or `enum` for
 * it is met. Where it is met by none, the property itself is what is wrong.
 */
function discriminate(
  alternatives: readonly Alternative[],
  path: string,
): Fact | readonly Alternative[] {
  const faults = alternatives.flatMap(({ facts }) => facts);
  const names = new Set<string>();
  for (const { path: at, kind } of faults) {
    const isBelow = (kind === "wanted" || kind === "missing") && at.startsWith(`${path}/`);
    if (isBelow && !at.slice(path.length + 1).includes("/")) names.add(at.slice(path.length + 1));
  }
  for (const token of names) {
    const name = unescapePointer(token);
    const values = alternatives.map(({ node }) => {
      const property = propertyNode(node, name);
      return property === undefined ? undefined : literalsOf(property);
    });
    if (values.includes(undefined)) continue;
    const at = `${path}/${token}`;
    const wrong = ({ facts }: Alternative): Fact | undefined =>
      facts.find((fact) => fact.path === at && (fact.kind === "wanted" || fact.kind === "missing"));
    const left = alternatives.filter((alternative) => wrong(alternative) === undefined);
    if (left.length > 0) return left;
    const [fact] = alternatives.flatMap((alternative) => wrong(alternative) ?? []);
    const wanted = { types: [], values: values.flatMap((some) => some ?? []) };
    if (fact !== undefined) return { ...fact, wanted: merge([wanted]) };
  }
  return alternatives;
}

/**
 * How far a branch is off: by the things that are wrong; then by how far down they are, since a value
 * that fits above was meant; then by what is missing, since nobody gives another branch's properties.
 */
function distance({ facts }: Alternative): readonly number[] {
  const depths = facts.map(({ path }) => path.split("/").length);
  const missing = facts.filter(({ kind }) => kind === "missing" || kind === "missing_any");
  return [facts.length, -Math.max(0, ...depths), missing.length];
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((far, i) => far !== b[i]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}

/** The first of those that are least off. */
function closest(alternatives: readonly Alternative[]): Alternative | undefined {
  let best: Alternative | undefined;
  let least: readonly number[] = [];
  for (const alternative of alternatives) {
    const off = distance(alternative);
    if (best !== undefined && !isLess(off, least)) continue;
    best = alternative;
    least = off;
  }
  return best;
}

function isFact(found: Fact | readonly Alternative[]): found is Fact {
  return "kind" in found;
}

/** Counts the issues of the whole pile on the first of its facts. */
function standingFor(facts: readonly Fact[], size: number): readonly Fact[] {
  return facts.map((fact, i) => ({ ...fact, issues: i === 0 ? size : 0 }));
}

/**
 * What an `anyOf` or `oneOf` that failed comes to: the types and values that all branches together
 * allow; the allowed values of the property that tells the branches apart; the faults of the one
 * branch that was meant, or came closest; or that too many branches match.
 * @param factsOf what the issues of one branch come to
 */
export function compositeFacts(
  tree: IssueTree,
  factsOf: (trees: readonly IssueTree[]) => readonly Fact[],
): readonly Fact[] {
  const { issue, error, size } = tree;
  const common = { path: issue.path, issue, issues: size, ...(error && { error }) };
  const passing = error === undefined ? [] : passingOf(error);
  if (error !== undefined && passing.length > 1) {
    const branches = passing.map((index) => branchName(error.node.oneOf?.[index], index));
    return [{ ...common, kind: "ambiguous", branches }];
  }
  if (tree.branches.length === 0) return [{ ...common, kind: "other" }];
  const all = tree.branches.map(({ node, issues }) => ({ node, facts: factsOf(issues) }));
  const here = all.map(({ facts }) => wantedAt(facts, issue.path));
  const open = all.filter((_, i) => here[i] === undefined);
  if (open.length === 0) {
    const wanted = merge(here.flatMap((one) => one ?? []));
    const near = all.flatMap(({ facts }) => facts).find(({ path }) => path === issue.path);
    return [{ ...common, ...(near?.error && { error: near.error }), kind: "wanted", wanted }];
  }
  const left = open.length === 1 ? open : discriminate(open, issue.path);
  if (isFact(left)) return standingFor([left], size);
  const missing = left.map(({ facts }) => (facts.length === 1 ? facts[0] : undefined));
  const isHere = (fact: Fact | undefined): boolean =>
    fact?.kind === "missing" && fact.issue.instancePath === issue.instancePath;
  if (left.length > 1 && missing.every(isHere)) {
    const paths = [...new Set(missing.flatMap((fact) => fact?.path ?? []))];
    const [first] = missing;
    if (first !== undefined && paths.length > 1) {
      return [{ ...first, kind: "missing_any", paths, issues: size }];
    }
  }
  const best = closest(left);
  const facts = standingFor(best?.facts ?? [], size);
  if (left.length === 1) return facts;
  const title = titleOf(best?.node);
  const chosen = { alternatives: left.length, ...(title === undefined ? {} : { title }) };
  return facts.map((fact, i) => (i === 0 ? { ...fact, ...chosen } : fact));
}
