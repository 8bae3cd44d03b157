import { joinPointer } from "../json/pointer.ts";
import { embeddedVocabulary, type FindMetaschema } from "./dialects.ts";
import { isJson, type Json } from "./json.ts";
import { type Subschema, subschemas, tokensTo } from "./subschemas.ts";
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

/** A schema on the way, and how it was come to. */
interface Step {
  readonly schema: Json;
  readonly vocabulary: Vocabulary;
  readonly way: { readonly from: Step; readonly child: Subschema } | undefined;
}

function pathOf(step: Step): string {
  const tokens: string[] = [];
  for (let { way } = step; way !== undefined; { way } = way.from) {
    tokens.push(...tokensTo(way.from.schema, way.child).toReversed());
  }
  return tokens.toReversed().reduce(joinPointer, "");
}

/** Finds the resources in a document that name another dialect than what is around them. */
export function foreignResources(
  root: Json | boolean,
  vocabulary: Vocabulary,
  find: FindMetaschema,
): readonly Foreign[] {
  if (!isJson(root)) return [];
  const found: Foreign[] = [];
  const pending: Step[] = [{ schema: root, vocabulary, way: undefined }];
  for (let from = pending.pop(); from !== undefined; from = pending.pop()) {
    const around = from.vocabulary;
    for (const child of subschemas(from.schema, around)) {
      const { value: schema } = child;
      if (!isJson(schema)) continue;
      const here: Step = { schema, vocabulary: around, way: { from, child } };
      const own = embeddedVocabulary(schema, around, () => pathOf(here), find);
      pending.push(own === around ? here : { ...here, vocabulary: own });
      if (own === around) continue;
      const { container, name } = child;
      found.push({ container, name, schema, vocabulary: own, path: pathOf(here) });
    }
  }
  return found;
}
