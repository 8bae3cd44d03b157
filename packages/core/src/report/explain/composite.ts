import { closestOf } from "../../engine/closest.ts";
import { joinPointer, unescapePointer } from "../../json/pointer.ts";
import { quote } from "../../json/quote.ts";
import type { AllowedValues } from "../../keywords/explain.ts";
import { explanationOf } from "../../keywords/index.ts";
import { literalsOf, propertyNode } from "../../keywords/literals.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import { fieldPath, typeOf } from "../issues/issue.ts";
import { type Alternative, alternativesOf, type BranchFacts } from "./alternatives.ts";
import { passedBranches } from "./branches.ts";
import type { Fact } from "./fact.ts";
import type { IssueTree } from "./tree.ts";

/** Returns the author's title for a branch. */
function titleOf(node: SchemaNode | undefined): string | undefined {
  return node?.title ?? node?.$ref?.title;
}

/** Returns the display name of a branch: its index, plus the name of its definition or its title. */
function branchName(node: SchemaNode | undefined, index: number): string {
  const origin = node?.$ref?.origin ?? node?.origin ?? "";
  const name = /\/(?:\$defs|definitions)\/([^/]+)$/.exec(origin)?.[1];
  const called = name === undefined ? titleOf(node) : unescapePointer(name);
  return called === undefined ? `#${index}` : `#${index} ${quote(called)}`;
}

/**
 * Returns what is wrong with the member that distinguishes the branches, with all the values that the branches allow.
 */
function memberFact(
  branches: readonly Alternative[],
  path: string,
  name: string,
): Fact | undefined {
  const at = joinPointer(path, name);
  const [fact] = branches.flatMap(({ facts }) =>
    facts.filter(({ path: of, kind }) => of === at && (kind === "wanted" || kind === "missing")),
  );
  const choices = branches.flatMap(({ node }) => propertyNode(node, name) ?? []);
  const values = choices.flatMap((property) => literalsOf(property) ?? []);
  const [branch] = branches;
  if (fact === undefined || branch === undefined) return fact;
  return {
    ...inBranch(fact, branch, path),
    choices,
    wanted: unionAllowed([{ types: [], values }]),
  };
}

/**
 * Adds the error of the union to a fact about the same value, because another branch may accept that value in another
 * form.
 */
function atUnion(fact: Fact, { issue, error }: IssueTree): Fact {
  const isSame = error !== undefined && fact.path === fieldPath(issue);
  return isSame && fact.union === undefined ? { ...fact, union: error } : fact;
}

/** Adds to a fact the branch that its error is in. */
function inBranch(fact: Fact, { node }: Alternative, path: string): Fact {
  return { ...fact, within: [...(fact.within ?? []), { node, path }] };
}

/** Counts all issues of the pile on its first fact. */
function standingFor(facts: readonly Fact[], size: number): readonly Fact[] {
  return facts.map((fact, i) => ({ ...fact, issues: i === 0 ? size : 0 }));
}

/**
 * Returns what a failed `anyOf` or `oneOf` amounts to. This is one of: the types and values that all branches together
 * allow; the allowed values of the property that distinguishes the branches; the faults of the one branch that was
 * meant, or came closest; that too many branches match.
 * @param factsOf returns the facts that the issues of one branch amount to
 */
export function compositeFacts(tree: IssueTree, factsOf: BranchFacts): readonly Fact[] {
  const { issue, error, size } = tree;
  const path = fieldPath(issue);
  const common = { path, issue, issues: size, ...(error && { error }) };
  const passing = error === undefined ? [] : passedBranches(error);
  if (error !== undefined && passing.length > 1) {
    const all = explanationOf(error.keyword).branches?.of(error.node, error.params);
    const branches = passing.map((index) => branchName(all?.[index], index));
    return [{ ...common, kind: "ambiguous", branches }];
  }
  if (tree.branches.length === 0) return [{ ...common, kind: "other" }];
  const all = alternativesOf(tree, path, factsOf);
  const { left, closest, here, member } = closestOf(all, () => {});
  if (here) {
    const wanted = unionAllowed(all.flatMap((one) => one.wanted ?? []));
    const near = all.flatMap(({ facts }) => facts).find((fact) => fact.path === path);
    const union = error && { union: error };
    return [
      { ...common, ...(near?.error && { error: near.error }), ...union, kind: "wanted", wanted },
    ];
  }
  const telling = member === undefined ? undefined : memberFact(left, path, member);
  if (telling !== undefined) return standingFor([telling], size);
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
  const [best] = closest;
  const own = best?.facts.map((fact) => atUnion(inBranch(fact, best, path), tree)) ?? [];
  const facts = standingFor(own, size);
  if (left.length === 1) return facts;
  const title = titleOf(best?.node);
  const chosen = { alternatives: left.length, ...(title === undefined ? {} : { title }) };
  return facts.map((fact, i) => (i === 0 ? { ...fact, ...chosen } : fact));
}

/** Maximum number of values listed for one place. */
const MAX_VALUES = 1_000;

function isOf(value: unknown, types: readonly string[]): boolean {
  const type = typeOf(value);
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/**
 * Returns what a type and a list of values for the same place allow together: the values that have the type.
 * Undefined if no value does, or if neither is a list of values.
 */
export function intersectAllowed(a: AllowedValues, b: AllowedValues): AllowedValues | undefined {
  const [one, other] = a.values.length > 0 ? [a, b] : [b, a];
  if (one.values.length === 0 || one.types.length > 0 || other.values.length > 0) return undefined;
  const values = one.values.filter((value) => isOf(value, other.types));
  return values.length === 0 ? undefined : { types: [], values };
}

/**
 * Returns what at least one of several wishes allows: each type and value once, `integer` only without `number`.
 */
export function unionAllowed(wishes: readonly AllowedValues[]): AllowedValues {
  const types = new Set(wishes.flatMap((wanted) => wanted.types));
  if (types.has("number")) types.delete("integer");
  const values = new Map<string, unknown>();
  for (const { values: some } of wishes) {
    for (const value of some) {
      if (values.size >= MAX_VALUES) break;
      values.set(JSON.stringify(value) ?? "", value);
    }
  }
  return { types: [...types], values: [...values.values()] };
}
