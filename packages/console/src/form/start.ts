import { type JsonTree, type Member, printTree, readTree } from "../json/tree.ts";
import type { Picked } from "./expansion.ts";
import type { Part, SchemaSource } from "./source.ts";
import { type View, viewOf } from "./view.ts";

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
  view: View,
  parts: readonly Part[],
): JsonTree | undefined {
  const { defaultText: text } = view;
  if (text === undefined || text === "null") return undefined;
  return parts.every((part) => source.isValid(part, text)) ? treeOfText(text) : undefined;
}

function fill(
  source: SchemaSource,
  parts: readonly Part[],
  isRequired: boolean,
  filling: Filling,
  picked?: Picked,
): JsonTree | undefined {
  if (filling.left <= 0 || filling.depth > MAX_DEPTH) return undefined;
  filling.left -= 1;
  const view = viewOf(source, parts, undefined, picked);
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
export function startOf(
  source: SchemaSource,
  parts: readonly Part[],
  picked?: Picked,
): JsonTree | undefined {
  return fill(source, parts, true, { left: MAX_FILLED, depth: 0 }, picked);
}

/** Returns the initial text for the arguments of a tool: an object. */
export function startText(source: SchemaSource): string {
  const tree = startOf(source, [source.root]);
  return printTree(tree?.kind === "object" ? tree : { kind: "object", members: [] });
}

/**
 * Returns the new value when another branch of its union is chosen: the branch's initial value, plus whatever the
 * branch allows of the old value.
 * @param picked the branches that are shown now
 */
export function switchedTo(
  source: SchemaSource,
  parts: readonly Part[],
  old: JsonTree | undefined,
  picked: Picked,
): JsonTree | undefined {
  const start = startOf(source, parts, picked);
  if (old === undefined) return start;
  const view = viewOf(source, parts, start, picked);
  const isKept = (each: readonly Part[], tree: JsonTree): boolean => {
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
  if (start === undefined && own.length > 0 && isKept(own as readonly Part[], old)) return old;
  return start;
}
