import { embeddedVocabulary, type FindMetaschema } from "./dialects.ts";
import { isJson, type Json } from "./json.ts";
import { type Subschema, subschemas } from "./subschemas.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** An embedded resource that names a dialect of its own, and what holds it. */
export interface Foreign {
  readonly container: object;
  readonly name: string;
  readonly schema: Json;
  readonly vocabulary: Vocabulary;
  /** RFC 6901 pointer from the document's root. */
  readonly path: string;
}

/** Finds the resources in a document that name another dialect than what is around them. */
export function foreignResources(
  root: Json | boolean,
  vocabulary: Vocabulary,
  find: FindMetaschema,
): readonly Foreign[] {
  if (!isJson(root)) return [];
  const found: Foreign[] = [];
  const pending: { schema: Json; vocabulary: Vocabulary; path: string }[] = [
    { schema: root, vocabulary, path: "" },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const child of subschemas(next.schema, next.vocabulary)) {
      if (!isJson(child.value)) continue;
      const path = `${next.path}${child.pointer}`;
      const own = embeddedVocabulary(child.value, next.vocabulary, path, find);
      pending.push({ schema: child.value, vocabulary: own, path });
      if (own !== next.vocabulary) found.push(foreign(child, child.value, own, path));
    }
  }
  return found;
}

function foreign(
  { container, name }: Subschema,
  schema: Json,
  vocabulary: Vocabulary,
  path: string,
): Foreign {
  return { container, name, schema, vocabulary, path };
}
