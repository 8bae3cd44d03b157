import { escapePointer } from "../../json/pointer.ts";
import { isJson, type Json } from "./json.ts";
import { keywordOf, type Vocabulary } from "./vocabulary.ts";

/** What stands where a vocabulary has a schema: a member of a schema, or of a list or map in one. */
export interface Subschema {
  readonly value: unknown;
  readonly container: object;
  readonly name: string;
  readonly keyword: string;
  /** RFC 6901 pointer that starts at the schema. */
  readonly pointer: string;
}

/** The direct subschemas of a schema, in the order of its members. */
export function subschemas(schema: Json, vocabulary: Vocabulary): readonly Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of Object.keys(schema)) {
    const holding = keywordOf(vocabulary, keyword)?.holding;
    const held = schema[keyword];
    if (holding === undefined) continue;
    if (holding === "schema" || (holding === "schema or list" && !Array.isArray(held))) {
      const pointer = `/${keyword}`;
      found.push({ value: held, container: schema, name: keyword, keyword, pointer });
    } else if (holding === "map" ? isJson(held) : Array.isArray(held)) {
      const container = held as Json;
      for (const name of Object.keys(container)) {
        const pointer = `/${keyword}/${escapePointer(name)}`;
        found.push({ value: container[name], container, name, keyword, pointer });
      }
    }
  }
  return found;
}
