import { type JsonPath, treeAt } from "../json/edit.ts";
import type { JsonTree } from "../json/tree.ts";
import type { SchemaSource, Subschema } from "./source.ts";
import { additionalPropertyParts, type FormView, formView } from "./view.ts";

/** Maximum number of union branches to examine. */
const MAX_VIEWS = 30;

/** Returns the views of a value: one if it decides its unions, else one per branch. */
function viewsOf(
  source: SchemaSource,
  parts: readonly Subschema[],
  value: JsonTree | undefined,
): readonly FormView[] {
  const view = formView(source, parts, value);
  const [union] = view.unions;
  if (union === undefined || value !== undefined) return [view];
  return union.branches
    .slice(0, MAX_VIEWS)
    .map((_, index) => formView(source, parts, undefined, new Map([[union.at, index]])));
}

/**
 * Returns what a schema says about the value at a path, whether or not the value exists.
 * @param tree the whole value; undefined while it cannot be read
 */
export function viewsAt(
  source: SchemaSource,
  tree: JsonTree | undefined,
  path: JsonPath,
): readonly FormView[] {
  let views = viewsOf(source, [source.root], tree);
  path.forEach((token, index) => {
    const value = tree && treeAt(tree, path.slice(0, index + 1));
    const below = views.flatMap((view) => {
      const parts =
        typeof token === "number"
          ? (view.prefix[token] ?? view.items ?? [])
          : (view.properties.get(token) ?? additionalPropertyParts(source, view, token));
      return parts.length === 0 ? [] : viewsOf(source, parts, value);
    });
    views = below.slice(0, MAX_VIEWS);
  });
  return views;
}
