import { isObject } from "./object.ts";
import type { JsonTree, Member, ObjectNode } from "./tree.ts";
import { toValue, treeOf } from "./tree.ts";

/** Path to a value from the root: member names and item indexes. */
export type JsonPath = readonly (string | number)[];

function lastMember({ members }: ObjectNode, name: string): number {
  return members.findLastIndex((member) => member.name === name);
}

/** Returns the value at a path; if a name occurs twice, its last member. */
export function treeAt(tree: JsonTree, path: JsonPath): JsonTree | undefined {
  let at: JsonTree | undefined = tree;
  for (const token of path) {
    if (at?.kind === "array") at = at.items[Number(token)];
    else if (at?.kind === "object") at = at.members[lastMember(at, String(token))]?.value;
    else return undefined;
  }
  return at;
}

/** Returns another value for the existing one; undefined removes it. */
type Change = (tree: JsonTree | undefined) => JsonTree | undefined;

function withMember(object: ObjectNode, name: string, value: JsonTree | undefined): ObjectNode {
  const index = lastMember(object, name);
  if (value === undefined) {
    return { kind: "object", members: object.members.filter((member) => member.name !== name) };
  }
  const old = object.members[index];
  const member: Member = { name, key: old?.key ?? JSON.stringify(name), value };
  const members = index < 0 ? [...object.members, member] : object.members.with(index, member);
  return { kind: "object", members };
}

/**
 * Changes the value at a path. Adds a missing member; adds an item only at the end of its array. Returns the tree
 * unchanged if the path leads nowhere.
 */
function changeAt(
  tree: JsonTree | undefined,
  path: JsonPath,
  change: Change,
): JsonTree | undefined {
  const [token, ...rest] = path;
  if (token === undefined) return change(tree);
  if (tree?.kind === "object") {
    const name = String(token);
    const old = tree.members[lastMember(tree, name)]?.value;
    const next = changeAt(old, rest, change);
    return next === old ? tree : withMember(tree, name, next);
  }
  const index = Number(token);
  if (
    tree?.kind !== "array" ||
    !Number.isInteger(index) ||
    index < 0 ||
    index > tree.items.length
  ) {
    return tree;
  }
  const old = tree.items[index];
  const next = changeAt(old, rest, change);
  if (next === old) return tree;
  const items = next === undefined ? [] : [next];
  return { kind: "array", items: tree.items.toSpliced(index, 1, ...items) };
}

/** Returns the tree with `value` at a path. */
export function setValueAt(tree: JsonTree, path: JsonPath, value: JsonTree): JsonTree {
  return changeAt(tree, path, () => value) ?? tree;
}

/**
 * Returns the tree with `value` at a path, creating the path if needed: whatever is missing or in the way becomes an
 * array before an index and an object before a name.
 */
export function setCreatingPath(tree: JsonTree, path: JsonPath, value: JsonTree): JsonTree {
  let open = tree;
  path.forEach((token, at) => {
    const before = path.slice(0, at);
    const kind = typeof token === "number" ? "array" : "object";
    if (treeAt(open, before)?.kind === kind) return;
    open = setValueAt(open, before, kind === "array" ? { kind, items: [] } : { kind, members: [] });
  });
  return setValueAt(open, path, value);
}

/** Returns the tree without the member or item at a path; the root cannot be removed. */
export function removeAt(tree: JsonTree, path: JsonPath): JsonTree {
  return path.length === 0 ? tree : (changeAt(tree, path, () => undefined) ?? tree);
}

/** Returns the tree with an item of the array at `path` moved; unchanged if an index is outside the array. */
export function moveItem(tree: JsonTree, path: JsonPath, from: number, to: number): JsonTree {
  const move: Change = (array) => {
    if (array?.kind !== "array") return array;
    const item = array.items[from];
    if (item === undefined || array.items[to] === undefined || from === to) return array;
    return { kind: "array", items: array.items.toSpliced(from, 1).toSpliced(to, 0, item) };
  };
  return changeAt(tree, path, move) ?? tree;
}

/** Returns the tree with `value` inserted before the item at `index` of the array at `path`. */
export function insertItem(
  tree: JsonTree,
  path: JsonPath,
  index: number,
  value: JsonTree,
): JsonTree {
  const insert: Change = (array) =>
    array?.kind === "array" && index >= 0 && index <= array.items.length
      ? { kind: "array", items: array.items.toSpliced(index, 0, value) }
      : array;
  return changeAt(tree, path, insert) ?? tree;
}

/**
 * Returns the tree with the member at a path renamed, in its old position. Unchanged if there is no such member or
 * its object already has a member with the new name.
 */
export function renameMember(tree: JsonTree, path: JsonPath, name: string): JsonTree {
  const old = path.at(-1);
  const rename: Change = (object) => {
    if (object?.kind !== "object" || lastMember(object, name) >= 0) return object;
    const index = lastMember(object, String(old));
    const member = object.members[index];
    if (member === undefined) return object;
    const renamed = { name, key: JSON.stringify(name), value: member.value };
    return { kind: "object", members: object.members.with(index, renamed) };
  };
  return changeAt(tree, path.slice(0, -1), rename) ?? tree;
}

/**
 * Returns a tree with the given value that keeps as much of the old tree as possible. Whatever a form did not change
 * keeps its text, so a number that does not fit a double survives an edit next to it. An `undefined` member is
 * absent; an item that is `undefined` or has no JSON text is null. A member `__proto__` that the value lacks stays,
 * because copying an object name by name loses it.
 */
export function reconcile(tree: JsonTree | undefined, value: unknown): JsonTree | undefined {
  if (Array.isArray(value)) {
    const old = tree?.kind === "array" ? tree.items : [];
    const items = value.map(
      (item: unknown, index): JsonTree =>
        reconcile(old[index], item) ?? { kind: "scalar", text: "null" },
    );
    const same = tree?.kind === "array" && items.length === old.length;
    return same && items.every((item, i) => item === old[i]) ? tree : { kind: "array", items };
  }
  if (isObject(value)) {
    const old = tree?.kind === "object" ? tree : undefined;
    let next: ObjectNode = old ?? { kind: "object", members: [] };
    for (const { name } of old?.members ?? []) {
      const isLost = name === "__proto__" && !Object.hasOwn(value, name);
      if (!isLost && (!Object.hasOwn(value, name) || value[name] === undefined)) {
        next = withMember(next, name, undefined);
      }
    }
    for (const [name, member] of Object.entries(value)) {
      const before = next.members[lastMember(next, name)]?.value;
      const after = reconcile(before, member);
      if (after !== undefined && after !== before) next = withMember(next, name, after);
    }
    return next;
  }
  const same = tree?.kind === "scalar" && Object.is(toValue(tree), value);
  return same ? tree : treeOf(value);
}
