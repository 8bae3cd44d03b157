import {
  arrayItems,
  isObject,
  type JsonObject,
  type JsonRange,
  joinPointer,
  jsonText,
  locateJson,
  locatePointers,
  type MemberPlan,
  parseJson,
} from "@touchstone/core/advanced";
import { type Edit, memberRemovals } from "@touchstone/protocol/advanced";
import { around, isObjectAt, shifted, shortValueAt } from "./edits.ts";

/** Where an output schema is once it is wrapped. */
const INNER = "/properties/result";
/** A longer output schema is left out: its references would have to be read as a whole. */
const MAX_BYTES = 262_144;

const TOOL: MemberPlan = { name: true, outputSchema: { type: true, $schema: true, $id: true } };

/** Keywords whose values are data, in which nothing is a reference. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords that hold schemas under names that the author chose. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
  "dependencies",
]);

/** How the output schema of a tool is shown to clients of revisions in which structured content is an object. */
export interface ShownOutputSchema {
  /** The tool's name; undefined if it is not a string. */
  readonly name: string | undefined;
  readonly edits: readonly Edit[];
}

/**
 * Yields the tools of a list whose output schema has another root than an object, and how to show each: as the schema
 * of `{"result": …}`, as the official SDKs do for such clients. Every byte of the schema stays, except for references
 * to its root, which has moved.
 * @param list the range of the array
 */
export function* shownOutputSchemas(
  bytes: Uint8Array,
  list: JsonRange,
): Generator<ShownOutputSchema, void, undefined> {
  for (const item of arrayItems(bytes, list)) {
    if (!isObjectAt(bytes, item)) continue;
    const tool = bytes.subarray(item.start, item.end);
    const { members, error } = locateJson(tool, { members: TOOL });
    const schema = members.get("/outputSchema");
    if (error !== undefined || schema === undefined || !isObjectAt(tool, schema)) continue;
    const type = members.get("/outputSchema/type");
    if (type !== undefined && shortValueAt(tool, type) === "object") continue;
    const named = members.get("/name");
    const name = named && shortValueAt(tool, named);
    yield {
      name: typeof name === "string" ? name : undefined,
      edits: shifted(wrapped(tool, schema, members), item.start),
    };
  }
}

function wrapped(
  tool: Uint8Array,
  schema: JsonRange,
  members: ReadonlyMap<string, JsonRange>,
): readonly Edit[] {
  const inside = tool.subarray(schema.start, schema.end);
  const references = movedReferences(inside);
  if (references === undefined) return memberRemovals(tool, [schema]);
  const dialect = members.get("/outputSchema/$schema");
  const head = dialect === undefined ? "" : `"$schema":${jsonText(tool, dialect)},`;
  return [
    ...around(
      schema,
      `{${head}"type":"object","properties":{"result":`,
      '},"required":["result"]}',
    ),
    ...shifted(references, schema.start),
  ];
}

/** Returns the edits of references to the root of a schema; undefined if they cannot be found or written. */
function movedReferences(schema: Uint8Array): readonly Edit[] | undefined {
  if (schema.length > MAX_BYTES) return undefined;
  const parsed = parseJson(schema);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  // With an id of its own, its references lead to it wherever it is.
  if (hasOwnBase(parsed.value)) return [];
  const found = [...referencesIn(parsed.value)];
  if (found.some(({ isKey, beside }) => isKey && beside)) return undefined;
  const places = locatePointers(schema, new Set(found.map(({ pointer }) => pointer)));
  return found.flatMap(({ pointer, text, isKey }): Edit[] => {
    const place = places.get(pointer);
    if (place?.found !== true) return [];
    const edit = { range: place.value, text: JSON.stringify(text) };
    return isKey && place.key !== undefined ? [{ range: place.key, text: '"$ref"' }, edit] : [edit];
  });
}

interface MovedReference {
  readonly pointer: string;
  readonly text: string;
  /** Whether it becomes a `$ref`. */
  readonly isKey: boolean;
  /** Whether a `$ref` is beside it. */
  readonly beside: boolean;
}

function hasOwnBase({ $id }: JsonObject): boolean {
  return $id !== undefined && !(typeof $id === "string" && $id.startsWith("#"));
}

/** Yields the references to the root, or to a pointer from there, that do not go by an `$id` further inside. */
function* referencesIn(root: JsonObject): Generator<MovedReference, void, undefined> {
  const is2019 = typeof root["$schema"] === "string" && root["$schema"].includes("2019-09");
  const moves = is2019 && root["$recursiveAnchor"] !== true;
  const places: { value: unknown; pointer: string; isNames: boolean }[] = [
    { value: root, pointer: "", isNames: false },
  ];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, pointer, isNames } = place;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) {
        places.push({ value: item, pointer: joinPointer(pointer, i), isNames: false });
      }
      continue;
    }
    if (!isObject(value) || (!isNames && pointer !== "" && hasOwnBase(value))) continue;
    for (const [key, held] of Object.entries(value)) {
      const at = joinPointer(pointer, key);
      if (isNames) places.push({ value: held, pointer: at, isNames: false });
      else if ((key === "$ref" || key === "$dynamicRef") && typeof held === "string") {
        const text = movedReference(held);
        if (text !== undefined) yield { pointer: at, text, isKey: false, beside: false };
      } else if (key === "$recursiveRef" && held === "#" && moves) {
        yield { pointer: at, text: `#${INNER}`, isKey: true, beside: "$ref" in value };
      } else if (!DATA.has(key)) {
        places.push({ value: held, pointer: at, isNames: BY_NAME.has(key) });
      }
    }
  }
}

function movedReference(reference: string): string | undefined {
  if (reference === "#") return `#${INNER}`;
  return reference.startsWith("#/") ? `#${INNER}${reference.slice(1)}` : undefined;
}
