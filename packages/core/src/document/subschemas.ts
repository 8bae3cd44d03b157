import { isJson, type Json } from "./json.ts";
import { keywordOf, type Vocabulary } from "./vocabulary.ts";

/** What stands where a vocabulary has a schema: a member of a schema, or of a list or map in one. */
export interface Subschema {
  readonly value: unknown;
  readonly container: object;
  readonly name: string;
  readonly keyword: string;
}

/** The direct subschemas of a schema, in the order of its members. */
export function subschemas(schema: Json, vocabulary: Vocabulary): readonly Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of Object.keys(schema)) {
    const holds = keywordOf(vocabulary, keyword)?.holds;
    if (holds === undefined) continue;
    const held = schema[keyword];
    if (holds === "schema" || (holds === "schema or list" && !Array.isArray(held))) {
      found.push({ value: held, container: schema, name: keyword, keyword });
    } else if (holds === "map" ? isJson(held) : Array.isArray(held)) {
      const container = held as Json;
      for (const name of Object.keys(container)) {
        found.push({ value: container[name], container, name, keyword });
      }
    }
  }
  return found;
}

/** The reference tokens that lead from a schema to one of its subschemas. */
export function tokensTo(schema: Json, { container, keyword, name }: Subschema): readonly string[] {
  return container === schema ? [keyword] : [keyword, name];
}
