import { pointerTokens } from "@touchstone/core";
import { treeAt } from "../json/edit.ts";
import { type JsonTree, printTree } from "../json/tree.ts";

/** Where a form's schema keeps the texts of its `enum`, where JavaScript would write one of its values in another way. */
export const TEXTS = "x-texts";

/** A value that was chosen, as the schema writes it: a `number` of JavaScript would lose digits. */
export class Declared {
  readonly text: string;

  /** @param text JSON */
  constructor(text: string) {
    this.text = text;
  }
}

/** A value on one line, as it is written. No string of JSON holds a line break as such. */
export function lineOf(tree: JsonTree): string {
  return printTree(tree).replaceAll(/\n */g, "");
}

/** What stands in a schema at a pointer (RFC 6901), on one line; undefined where nothing does. */
export function declaredText(schema: JsonTree | undefined, pointer: string): string | undefined {
  const tree = schema && treeAt(schema, pointerTokens(pointer));
  return tree && lineOf(tree);
}

/**
 * The texts of the values that a form's schema offers, for {@link TEXTS}; undefined where JavaScript writes them alike.
 * @param pointers to the values, in the tool's schema
 */
export function declaredTexts(
  schema: JsonTree | undefined,
  pointers: readonly string[],
): readonly string[] | undefined {
  const texts = pointers.flatMap((pointer) => declaredText(schema, pointer) ?? []);
  const isAlike = texts.every((text) => JSON.stringify(JSON.parse(text)) === text);
  return isAlike || texts.length < pointers.length ? undefined : texts;
}

/**
 * The text of a value that a form's schema offers, as the tool's schema writes it.
 * @param index of the value in the `enum`
 */
export function choiceText(
  schema: Readonly<Record<string, unknown>>,
  index: number,
  value: unknown,
): string {
  const own = JSON.stringify(value);
  const { [TEXTS]: texts } = schema;
  const text: unknown = Array.isArray(texts) ? texts[index] : undefined;
  // Where parts of a schema were merged, some values may be gone, and the texts of others be left.
  return typeof text === "string" && JSON.stringify(JSON.parse(text)) === own ? text : own;
}
