import { REGISTRY } from "../keywords/index.ts";
import type { SchemaNode, SchemaNumber, SchemaValue } from "../keywords/node.ts";
import { ACCEPTOR_SUPPORT } from "./can-tell.ts";
import { isPlainText } from "./image-lists.ts";
import { ALL_KINDS, KINDS } from "./layout.ts";

/** Maximum number of references followed in a row for one node. */
const MAX_REFERENCES = 16;

/** Sets of kinds of values that a schema's own keywords allow, leave open and check. */
export interface NodeKinds {
  readonly allowed: number;
  /** The kinds for which the schema has keywords that an image cannot hold. */
  readonly unsure: number;
  readonly judged: number;
}

/** The largest divisor that an image can hold. */
const MAX_DIVISOR = 0xffff_ffff;

function kindOf({ value }: SchemaValue): number {
  if (value === null) return KINDS.null;
  if (Array.isArray(value)) return KINDS.array;
  return KINDS[typeof value as "boolean" | "number" | "string" | "object"];
}

function kindsOf(values: readonly SchemaValue[]): number {
  return values.reduce((kinds, value) => kinds | kindOf(value), 0);
}

function holdsDivisor(divisor: SchemaNumber | undefined): boolean {
  if (divisor === undefined) return true;
  const { value } = divisor;
  return Number.isInteger(value) && value > 0 && value <= MAX_DIVISOR;
}

/** Returns whether every property of an object can be found by the bytes of its name. */
function holdsNames({ properties, required = [] }: SchemaNode): boolean {
  return required.every(isPlainText) && [...(properties?.keys() ?? [])].every(isPlainText);
}

/**
 * Returns the kinds of values that a schema's own keywords allow, leave open and check, without the keywords that
 * apply other schemas in place.
 */
function kindsOfNode(node: SchemaNode): NodeKinds {
  let allowed = ALL_KINDS;
  let unsure = 0;
  let judged = 0;
  if (node.type !== undefined) {
    allowed = node.type.reduce((kinds, name) => kinds | KINDS[name], 0);
  }
  for (const values of [node.enum, node.const && [node.const]]) {
    if (values === undefined) continue;
    const kinds = kindsOf(values);
    allowed &= kinds;
    judged |= kinds & ~(KINDS.array | KINDS.object);
    unsure |= kinds & (KINDS.array | KINDS.object);
  }
  for (const { name, appliesTo } of REGISTRY) {
    if (node[name] === undefined) continue;
    const kinds = appliesTo === "any" ? ALL_KINDS : KINDS[appliesTo];
    if (ACCEPTOR_SUPPORT[name] === "checked") judged |= kinds;
    if (ACCEPTOR_SUPPORT[name] === "unknown") unsure |= kinds;
  }
  if (!holdsDivisor(node.multipleOf)) unsure |= KINDS.number;
  if (!holdsNames(node)) unsure |= KINDS.object;
  return { allowed, unsure, judged };
}

/** Returns whether a schema itself requires anything of a value. */
export function hasRequirement({ allowed, unsure, judged }: NodeKinds): boolean {
  return allowed !== ALL_KINDS || unsure !== 0 || judged !== 0;
}

/** Returns whether a schema applies others in place, not counting a lone reference. */
function appliesOthers(node: SchemaNode): boolean {
  return REGISTRY.some(
    ({ name }) =>
      ACCEPTOR_SUPPORT[name] === "in place" && name !== "$ref" && node[name] !== undefined,
  );
}

/** The kinds of the schemas of a graph, by their own keywords without their subschemas. Reads each schema once. */
export class NodeKindCache {
  private readonly known = new Map<SchemaNode, NodeKinds>();

  kinds(node: SchemaNode): NodeKinds {
    let kinds = this.known.get(node);
    if (kinds === undefined) {
      kinds = kindsOfNode(node);
      this.known.set(node, kinds);
    }
    return kinds;
  }

  /**
   * Returns the schema to write for a schema: the target of a lone reference; undefined if every value satisfies it.
   */
  written(schema: SchemaNode): SchemaNode | undefined {
    let node = schema;
    for (let i = 0; i < MAX_REFERENCES; i++) {
      const { $ref } = node;
      if ($ref === undefined || appliesOthers(node) || hasRequirement(this.kinds(node))) break;
      node = $ref;
    }
    if (node.always !== undefined) return node.always ? undefined : node;
    const others = node.$ref !== undefined || appliesOthers(node);
    return others || hasRequirement(this.kinds(node)) ? node : undefined;
  }
}
