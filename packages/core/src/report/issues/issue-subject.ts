import type { KeywordError } from "../../engine/context.ts";
import { joinPointer, pointerTokens } from "../../json/pointer.ts";
import { sometimesInPlace } from "../../keywords/edges.ts";
import { alwaysApplied, certainChild } from "../../keywords/literals.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import { type Default, defaultFor, satisfies } from "./default.ts";
import type { SuggestionLookup } from "./suggestion-lookup.ts";

/** Maximum number of schemas examined for one place. */
const MAX_NODES = 64;
/** What one schema of a place costs, in cells of a {@link SuggestionLookup}. */
const NODE_CELLS = 40;

/** A schema that is known to check the value at a place, such as a branch of a union that was meant. */
export interface CheckingSchema {
  readonly node: SchemaNode;
  /** RFC 6901 pointer. */
  readonly path: string;
}

/** A value that is wrong, or that has wrong members. */
export interface IssueSubject {
  readonly error: KeywordError;
  /** The branches that the error is in. */
  readonly within?: readonly CheckingSchema[] | undefined;
  /** If it was not certain which branch was meant: the schemas of the value in each of them. */
  readonly alternatives?: readonly SchemaNode[] | undefined;
}

function below(
  nodes: readonly SchemaNode[],
  token: string,
  lookup: SuggestionLookup,
): readonly SchemaNode[] {
  const found = new Set<SchemaNode>();
  for (const node of nodes) {
    const next = certainChild(node, token);
    if (next === undefined || found.has(next)) continue;
    const applied = alwaysApplied(next);
    if (!lookup.compare(applied.length * NODE_CELLS)) return [];
    for (const one of applied) found.add(one);
    if (found.size >= MAX_NODES) break;
  }
  return [...found];
}

function surelyAt(
  root: SchemaNode,
  pointer: string,
  lookup: SuggestionLookup,
): readonly SchemaNode[] {
  const known = lookup.nodesOf(root);
  const before = known.get(pointer);
  if (before !== undefined) return before;
  let nodes = alwaysApplied(root);
  lookup.compare(nodes.length * NODE_CELLS);
  for (const token of pointerTokens(pointer)) {
    if (nodes.length === 0) break;
    nodes = below(nodes, token, lookup);
  }
  known.set(pointer, nodes);
  return nodes;
}

/**
 * Returns the schemas that check the value at a pointer to, or above, the place of an error, whatever the rest of the
 * value is: directly, through references and `allOf`, or in the branches that the error is in. Those of other `anyOf`,
 * `oneOf` and conditions do not count. At most 64 for each of these; fewer if the effort is spent.
 */
export function checkersAt(
  { error, within = [] }: IssueSubject,
  pointer: string,
  lookup: SuggestionLookup,
): ReadonlySet<SchemaNode> {
  const found = new Set(surelyAt(error.root, pointer, lookup));
  for (const { node, path } of within) {
    if (pointer !== path && !pointer.startsWith(`${path}/`)) continue;
    for (const one of surelyAt(node, pointer.slice(path.length), lookup)) {
      found.add(one);
    }
  }
  return found;
}

/**
 * Returns whether the value of an error is required: a property that the schemas of its object require, or an item
 * whose removal may leave too few items, or move others to a place with another schema. Conditional requirements do not
 * count. An item counts as needed if the schemas of its array are not known.
 */
export function isValueRequired(subject: IssueSubject, lookup: SuggestionLookup): boolean {
  const { instancePath } = subject.error;
  const name = pointerTokens(instancePath).at(-1) ?? "";
  const above = instancePath.slice(0, Math.max(0, instancePath.lastIndexOf("/")));
  const nodes = [...checkersAt(subject, above, lookup)];
  if (nodes.some(({ required }) => required?.includes(name))) return true;
  if (!/^\d+$/.test(name)) return false;
  return nodes.length === 0 || nodes.some(mayCountItems);
}

function mayCountItems(node: SchemaNode): boolean {
  const { minItems = 0, prefixItems, contains } = node;
  if (minItems > 0 || prefixItems !== undefined || contains !== undefined) return true;
  return sometimesInPlace(node).length > 0;
}

/**
 * Returns whether all schemas that check the place of an error, as far as they do not depend on other values, accept
 * another value there. Returns false if that costs too much to find out.
 */
export function isAccepted(
  subject: IssueSubject,
  value: unknown,
  lookup: SuggestionLookup,
): boolean {
  const { error, alternatives } = subject;
  const own = alternatives ?? [error.node];
  if (!own.some((node) => satisfies(node, value, lookup))) return false;
  const others = checkersAt(
    alternatives === undefined ? subject : { error },
    error.instancePath,
    lookup,
  );
  return [...others].every((other) => own.includes(other) || satisfies(other, value, lookup));
}

/**
 * Returns the `default` that a schema has for the missing property or the wrong value of an error, if every schema
 * that surely checks the place accepts it. See {@link defaultFor}.
 */
export function acceptedDefault(
  subject: IssueSubject,
  lookup: SuggestionLookup,
): Default | undefined {
  const { error } = subject;
  const found = defaultFor(error, lookup);
  if (found === undefined) return undefined;
  const { missingProperty } = error.params;
  const at =
    typeof missingProperty === "string"
      ? joinPointer(error.instancePath, missingProperty)
      : error.instancePath;
  const checkers = [...checkersAt(subject, at, lookup)];
  return checkers.every((node) => satisfies(node, found.value, lookup)) ? found : undefined;
}
