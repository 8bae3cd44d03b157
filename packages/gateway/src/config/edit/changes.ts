import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonValue, parseDocument } from "../document.ts";
import { removeValue } from "./removal.ts";
import { setValue } from "./value.ts";

/** A value to set in the text of a `touchstone.json`, or to remove. */
export interface ConfigChange {
  /** Names of members, from the root on. */
  readonly path: readonly string[];
  /** Undefined removes the value, so that the level above applies. */
  readonly value: JsonValue | undefined;
}

/**
 * Applies changes to the text of a `touchstone.json`, in order. Comments, order, formatting and all other values
 * stay.
 * @throws {EditError} if the text cannot be edited there
 */
export function editText(text: string, changes: readonly ConfigChange[]): string {
  return changes.reduce(
    (edited, { path, value }) =>
      value === undefined
        ? // The entry of a server itself is never removed by what is removed inside it.
          removeValue(edited, path, path[0] === "mcpServers" && path.length > 2 ? 2 : 0)
        : setValue(edited, path, value),
    text,
  );
}

/**
 * Parses a text. Returns a function that returns the value at a path; undefined if there is none, or the text cannot be
 * read.
 */
export function valuesIn(text: string): (path: readonly string[]) => JsonValue | undefined {
  const document = parseDocument(text.replace(/^\uFEFF/, ""));
  const root = "faults" in document ? undefined : document.value;
  return (path) =>
    path.reduce<JsonValue | undefined>(
      (at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
      root,
    );
}

/**
 * Returns the changes that undo the changes from one text to another.
 * @param now the current text
 * @returns undefined if a value that they set has changed since
 */
export function inverseChanges(
  changes: readonly ConfigChange[],
  before: string,
  now: string,
): readonly ConfigChange[] | undefined {
  const [old, current] = [valuesIn(before), valuesIn(now)];
  const isOwn = changes.every(({ path, value }) => isDeepStrictEqual(current(path), value));
  if (!isOwn) return undefined;
  return changes.toReversed().map(({ path }) => ({ path, value: old(path) }));
}

/** Returns changes as an object that contains nothing else, for people to paste. */
export function changesAsObject(changes: readonly ConfigChange[]): JsonValue {
  const root: Record<string, JsonValue> = Object.create(null);
  for (const { path, value } of changes) {
    if (value === undefined) continue;
    let at = root;
    for (const name of path.slice(0, -1)) {
      const inside = at[name];
      const next: Record<string, JsonValue> = isJsonObject(inside) ? inside : Object.create(null);
      at[name] = next;
      at = next;
    }
    at[path.at(-1) ?? ""] = value;
  }
  return root;
}
