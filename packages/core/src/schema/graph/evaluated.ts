import { alwaysInPlace, sometimesInPlace } from "./edges.ts";
import type { SchemaNode } from "./node.ts";

/** Which members of an object a schema evaluates, whatever the object is. */
export interface EvaluatedProperties {
  /** Whether it evaluates all. */
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
}

/** Which items of an array a schema evaluates, whatever the array is. */
export interface EvaluatedItems {
  readonly all: boolean;
  /** How many items from the first on. */
  readonly prefix: number;
  /** Besides, those that one of these matches. */
  readonly contains: readonly SchemaNode[];
}

/** Counts what is collected; collecting for many schemas, each of which sees many, is quadratic. */
export interface Allowance {
  left: number;
}

/** The nodes that judge the same value always, and those that do so for some values only. */
function inPlace(
  node: SchemaNode,
  allowance: Allowance,
): { readonly always: ReadonlySet<SchemaNode>; readonly sometimes: ReadonlySet<SchemaNode> } {
  const always = new Set<SchemaNode>([node]);
  for (const each of always) {
    for (const child of alwaysInPlace(each)) always.add(child);
    allowance.left--;
    if (allowance.left < 0) break;
  }
  const sometimes = new Set<SchemaNode>();
  for (const each of always) for (const child of sometimesInPlace(each)) sometimes.add(child);
  for (const each of sometimes) {
    for (const child of alwaysInPlace(each)) sometimes.add(child);
    for (const child of sometimesInPlace(each)) sometimes.add(child);
    allowance.left--;
    if (allowance.left < 0) break;
  }
  return { always, sometimes };
}

function propertiesOf(node: SchemaNode, names: Set<string>, patterns: Set<string>): void {
  for (const name of node.properties?.keys() ?? []) names.add(name);
  for (const [{ source }] of node.patternProperties ?? []) patterns.add(source);
}

/**
 * What a node's `unevaluatedProperties` finds evaluated (2020-12 Core, section 11.3), where that is
 * the same for every object that the rest of the node accepts: then all of what is always in place
 * has been accepted, and what is only sometimes in place evaluates nothing more.
 * @returns `undefined` where it depends on the object, or where the allowance is spent.
 */
export function evaluatedProperties(
  node: SchemaNode,
  allowance: Allowance,
): EvaluatedProperties | undefined {
  const { always, sometimes } = inPlace(node, allowance);
  const names = new Set<string>();
  const patterns = new Set<string>();
  for (const each of always) {
    propertiesOf(each, names, patterns);
    const rest = each === node ? undefined : each.unevaluatedProperties;
    if (each.additionalProperties !== undefined || rest !== undefined) {
      return { all: true, names, patterns };
    }
  }
  allowance.left -= names.size + patterns.size;
  for (const each of sometimes) {
    if (allowance.left < 0) return undefined;
    if (each.additionalProperties !== undefined) return undefined;
    if (each.unevaluatedProperties !== undefined) return undefined;
    for (const name of each.properties?.keys() ?? []) if (!names.has(name)) return undefined;
    for (const [{ source }] of each.patternProperties ?? []) {
      if (!patterns.has(source)) return undefined;
    }
    allowance.left -= (each.properties?.size ?? 0) + (each.patternProperties?.length ?? 0);
  }
  return allowance.left < 0 ? undefined : { all: false, names, patterns };
}

/**
 * {@link evaluatedProperties} for `unevaluatedItems` (2020-12 Core, section 11.2). What `contains`
 * matches depends on the array, but on one item at a time.
 */
export function evaluatedItems(node: SchemaNode, allowance: Allowance): EvaluatedItems | undefined {
  const { always, sometimes } = inPlace(node, allowance);
  let prefix = 0;
  const contains = new Set<SchemaNode>();
  for (const each of always) {
    prefix = Math.max(prefix, each.prefixItems?.length ?? 0);
    if (each.contains !== undefined && each.containsEvaluates === true) contains.add(each.contains);
    const rest = each === node ? undefined : each.unevaluatedItems;
    if (each.items !== undefined || rest !== undefined) {
      return { all: true, prefix, contains: [] };
    }
  }
  for (const each of sometimes) {
    if (each.items !== undefined || each.unevaluatedItems !== undefined) return undefined;
    if ((each.prefixItems?.length ?? 0) > prefix) return undefined;
    if (each.contains === undefined || each.containsEvaluates !== true) continue;
    if (!contains.has(each.contains)) return undefined;
  }
  allowance.left -= prefix + contains.size;
  return allowance.left < 0 ? undefined : { all: false, prefix, contains: [...contains] };
}
