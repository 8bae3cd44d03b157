import { joinPointer } from "../../json/pointer.ts";
import type { SchemaGraph, SchemaNode, SchemaValue } from "../../keywords/node.ts";

type Json = Readonly<Record<string, unknown>>;
type Draft<T> = { -readonly [K in keyof T]?: unknown };

const SAME = [
  ..."multipleOf maximum exclusiveMaximum minimum exclusiveMinimum".split(" "),
  ..."maxLength minLength maxItems minItems uniqueItems maxContains minContains".split(" "),
  ..."maxProperties minProperties required format".split(" "),
];
const NUMBERS = new Set(SAME.slice(0, 5));
const ONE = [
  ..."items contains additionalProperties propertyNames not if then else".split(" "),
  ..."unevaluatedItems unevaluatedProperties".split(" "),
];
const LISTS = ["prefixItems", "allOf", "anyOf", "oneOf"];
const MAPS = ["properties", "dependentSchemas"];

function uriFragment(pointer: string): string {
  return `#${pointer.split("/").map(encodeURIComponent).join("/").replace("/%24defs/", "/$defs/")}`;
}

/**
 * The graph of a 2020-12 schema whose only references are `$ref` to a pointer in it. Independent of
 * the real builder, so that tests of the interpreter do not depend on that.
 * @throws if the schema has an id, an anchor or another reference.
 */
export function plainGraph(root: unknown): SchemaGraph {
  const nodes: SchemaNode[] = [];
  const known = new Map<unknown, SchemaNode>();

  function resolve(ref: string): SchemaNode {
    if (!ref.startsWith("#/") && ref !== "#") throw new Error(`not a local reference: ${ref}`);
    let target: unknown = root;
    const pointer = decodeURIComponent(ref.slice(1));
    for (const token of pointer.split("/").slice(1)) {
      target = (target as Json)[token.replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    return node(target, pointer);
  }

  function value(part: unknown): SchemaValue {
    return { value: part };
  }

  function node(schema: unknown, pointer: string): SchemaNode {
    const before = known.get(schema);
    if (before !== undefined && typeof schema === "object") return before;
    const made: Draft<SchemaNode> = { id: nodes.length, origin: uriFragment(pointer) };
    nodes.push(made as SchemaNode);
    if (typeof schema === "boolean") {
      made.always = schema;
      return made as SchemaNode;
    }
    known.set(schema, made as SchemaNode);
    fill(made, schema as Json, pointer);
    return made as SchemaNode;
  }

  function fill(made: Draft<SchemaNode>, schema: Json, pointer: string): void {
    const drafts = made as Record<string, unknown>;
    const has = (keyword: string): boolean => Object.hasOwn(schema, keyword);
    const below = (keyword: string, token: string | number, part: unknown): SchemaNode =>
      node(part, joinPointer(joinPointer(pointer, keyword), token));
    for (const keyword of ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor"]) {
      if (has(keyword)) throw new Error(`not plain: ${keyword}`);
    }
    if (has("$ref")) made.$ref = resolve(String(schema["$ref"]));
    if (has("type")) made.type = [schema["type"]].flat();
    if (has("const")) made.const = value(schema["const"]);
    if (has("enum")) made.enum = (schema["enum"] as unknown[]).map(value);
    if (has("pattern")) made.pattern = { source: schema["pattern"] };
    for (const keyword of SAME) {
      if (!has(keyword)) continue;
      drafts[keyword] = NUMBERS.has(keyword) ? { value: schema[keyword] } : schema[keyword];
    }
    for (const keyword of ONE) {
      if (has(keyword)) drafts[keyword] = node(schema[keyword], joinPointer(pointer, keyword));
    }
    for (const keyword of LISTS) {
      if (!has(keyword)) continue;
      drafts[keyword] = (schema[keyword] as unknown[]).map((part, i) => below(keyword, i, part));
    }
    for (const keyword of MAPS) {
      if (!has(keyword)) continue;
      const parts = Object.entries(schema[keyword] as Json);
      drafts[keyword] = new Map(parts.map(([name, part]) => [name, below(keyword, name, part)]));
    }
    if (has("dependentRequired")) {
      made.dependentRequired = new Map(Object.entries(schema["dependentRequired"] as Json));
    }
    if (has("patternProperties")) {
      made.patternProperties = Object.entries(schema["patternProperties"] as Json).map(
        ([source, part]) => [{ source }, below("patternProperties", source, part)],
      );
    }
    if (has("contains")) made.containsEvaluates = true;
  }

  const made = node(root, "");
  return { root: made, nodes, lossy: false, unknownFormats: new Map() };
}
