import { type JsonTree, type Member, printTree, readTree } from "../json/tree.ts";
import type { ChosenBranches } from "./expansion.ts";
import type { SchemaSource, Subschema } from "./source.ts";
import { type FormView, formView } from "./view.ts";

/** Maximum values and levels to fill in: even a short schema may require billions. */
const MAX_FILLED = 500;
const MAX_DEPTH = 8;

interface Filling {
  left: number;
  readonly depth: number;
}

function treeOfText(text: string): JsonTree | undefined {
  const read = readTree(text);
  return read.ok ? read.tree : undefined;
}

/** Returns the `default` of a value, if it is valid and not null. */
function defaultTree(
  source: SchemaSource,
  view: FormView,
  parts: readonly Subschema[],
): JsonTree | undefined {
  const { defaultText: text } = view;
  if (text === undefined || text === "null") return undefined;
  return parts.every((part) => source.isValid(part, text)) ? treeOfText(text) : undefined;
}

function fill(
  source: SchemaSource,
  parts: readonly Subschema[],
  isRequired: boolean,
  filling: Filling,
  picked?: ChosenBranches,
): JsonTree | undefined {
  if (filling.left <= 0 || filling.depth > MAX_DEPTH) return undefined;
  filling.left -= 1;
  const view = formView(source, parts, undefined, picked);
  const given = defaultTree(source, view, parts);
  if (given !== undefined || !isRequired) return given;
  const [only, ...others] = view.choices;
  if (view.kind === "choice" && only !== undefined && others.length === 0)
    return treeOfText(only.text);
  if (view.kind !== "object") return undefined;
  const members: Member[] = [];
  const inside: Filling = { left: filling.left, depth: filling.depth + 1 };
  for (const [name, each] of view.properties) {
    const value = fill(source, each, view.required.has(name), inside);
    if (value !== undefined) members.push({ name, key: JSON.stringify(name), value });
    if (inside.left <= 0) break;
  }
  filling.left = inside.left;
  return { kind: "object", members };
}

/**
 * Returns the initial value when a user begins to fill in a field: its `default`; for an object, the defaults of its
 * properties, and required properties that can have only one value. At most 500 values. Undefined if there is nothing
 * to start with. Ignores a `default` that is invalid or null.
 * @param picked the branches chosen in the value's own unions
 */
export function initialValue(
  source: SchemaSource,
  parts: readonly Subschema[],
  picked?: ChosenBranches,
): JsonTree | undefined {
  return fill(source, parts, true, { left: MAX_FILLED, depth: 0 }, picked);
}

/** Returns the initial text for the arguments of a tool: an object. */
export function initialText(source: SchemaSource): string {
  const tree = initialValue(source, [source.root]);
  return printTree(tree?.kind === "object" ? tree : { kind: "object", members: [] });
}

/**
 * Returns the new value when another branch of its union is chosen: the branch's initial value, plus whatever the
 * branch allows of the old value.
 * @param picked the branches that are shown now
 */
export function valueForBranch(
  source: SchemaSource,
  parts: readonly Subschema[],
  old: JsonTree | undefined,
  picked: ChosenBranches,
): JsonTree | undefined {
  const start = initialValue(source, parts, picked);
  if (old === undefined) return start;
  const view = formView(source, parts, start, picked);
  const isKept = (each: readonly Subschema[], tree: JsonTree): boolean => {
    const text = printTree(tree);
    return each.every((part) => source.isValid(part, text));
  };
  if (view.kind === "object" && old.kind === "object") {
    const begun = start?.kind === "object" ? start.members : [];
    const members = old.members.filter(({ name, value }) => {
      const each = view.properties.get(name);
      return each !== undefined && isKept(each, value);
    });
    const names = new Set(members.map(({ name }) => name));
    return {
      kind: "object",
      members: [...members, ...begun.filter(({ name }) => !names.has(name))],
    };
  }
  const shown = view.unions.map(({ branches, index }) => branches[index]);
  const own = shown.filter((part) => part !== undefined && !part.at.includes("/type:"));
  if (start === undefined && own.length > 0 && isKept(own as readonly Subschema[], old)) return old;
  return start;
}
