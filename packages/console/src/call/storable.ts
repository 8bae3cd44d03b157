import { viewsAt } from "../form/lookup.ts";
import type { SchemaSource } from "../form/source.ts";
import type { JsonPath } from "../json/edit.ts";
import { type JsonTree, printTree, readTree } from "../json/tree.ts";

/** Longer drafts are not stored and last only as long as the page. */
const MAX_KEPT = 100_000;
/** Names of properties whose values are never stored, whatever their schema says. */
const SECRET =
  /pass(?:word|phrase|wd)|secret|token|api[-_]?key|credential|private[-_]?key|authorization/i;

function withoutSecrets(
  source: SchemaSource,
  tree: JsonTree,
  path: JsonPath,
): JsonTree | undefined {
  // Schemas can mark values as not to be shown (JSON Schema 2020-12, Validation, section 9.4).
  if (viewsAt(source, undefined, path).some(({ isSecret }) => isSecret)) return undefined;
  if (tree.kind === "array") {
    const items = tree.items.map((item, index) => withoutSecrets(source, item, [...path, index]));
    return items.includes(undefined) ? undefined : { kind: "array", items: items as JsonTree[] };
  }
  if (tree.kind !== "object") return tree;
  const members = tree.members.flatMap((member) => {
    const { name } = member;
    const value = SECRET.test(name)
      ? undefined
      : withoutSecrets(source, member.value, [...path, name]);
    return value === undefined ? [] : [{ ...member, value }];
  });
  return { kind: "object", members };
}

/**
 * Returns a draft without possible secrets, as far as its names and schema reveal them. Undefined if nothing can be
 * stored. Text that is not yet JSON is stored unchanged, unless it contains such a name or the schema marks secrets.
 */
export function storableDraft(text: string, source: SchemaSource): string | undefined {
  if (text.length > MAX_KEPT) return undefined;
  const read = readTree(text);
  if (!read.ok) return SECRET.test(text) || source.hasSecrets ? undefined : text;
  if (!SECRET.test(text) && !source.hasSecrets) return text;
  const tree = withoutSecrets(source, read.tree, []);
  return tree && printTree(tree);
}
