import type { Edit, Node } from "jsonc-parser";
import type { JsonValue } from "../document.ts";
import { startOfBlanks } from "./blanks.ts";
import { commaAfter, EditError, editJsonc, membersOf } from "./tree.ts";

/** The formatting of an object, so that a new member matches the others. */
interface Layout {
  readonly eol: string;
  /** Of the members. */
  readonly indent: string;
  readonly unit: string;
}

/**
 * Sets a value in a JSON text with comments and trailing commas. Nothing else of the text changes. An existing value
 * is replaced; a new one becomes the last member of its object, in the object's formatting, after the comments that
 * are there.
 *
 * @param path names of members from the root on; missing objects on the way are created
 * @throws {EditError} if the text is not JSON, or the path leads through a value that is not an object
 */
export function setValue(text: string, path: readonly string[], value: JsonValue): string {
  return editJsonc(text, (body, root) => {
    const { node, rest } = follow(root, path);
    const [key, ...inner] = rest;
    const written = onOneLine(value);
    if (key === undefined) return [{ offset: node.offset, length: node.length, content: written }];
    if (node.type !== "object")
      throw new EditError("NOT_AN_OBJECT", "a value on the way is not an object");
    return insertion(body, root, node, [key, ...inner], written);
  });
}

/** Uses the spacing that people use: a JSON text contains no line breaks inside its tokens. */
function onOneLine(value: JsonValue): string {
  return JSON.stringify(value, null, 1)
    .replace(/\n */g, " ")
    .replace(/\[ (.*) \]$/, "[$1]");
}

function follow(root: Node, path: readonly string[]): { node: Node; rest: readonly string[] } {
  const members = membersOf(root, path);
  return { node: members.at(-1)?.value ?? root, rest: path.slice(members.length) };
}

function insertion(
  text: string,
  root: Node,
  object: Node,
  keys: readonly [string, ...string[]],
  value: string,
): Edit[] {
  const closing = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const lastEnd = last === undefined ? undefined : last.offset + last.length;
  const comma = lastEnd === undefined ? undefined : commaAfter(text, lastEnd, closing);
  // At the end of the object, after its comments, so that each comment stays with its member.
  const offset = Math.max(object.offset + 1, startOfBlanks(text, closing, " \t\r\n"));
  const broken = /[\r\n]/.test(text.slice(offset, closing));
  const layout = broken ? layoutOf(text, root, object) : undefined;
  const before = layout === undefined ? " " : layout.eol + layout.indent;
  const alone = last === undefined && offset === closing ? " " : "";
  const trailing = comma === undefined ? "" : ",";
  const after = layout === undefined ? alone : trailing;
  const content = before + memberText(keys, value, layout) + after;
  if (lastEnd === undefined || comma !== undefined) return [{ offset, length: 0, content }];
  // Two insertions at one place would have no defined order.
  if (lastEnd === offset) return [{ offset, length: 0, content: `,${content}` }];
  return [
    { offset: lastEnd, length: 0, content: "," },
    { offset, length: 0, content },
  ];
}

/** The innermost object goes on one line, those around it on separate lines. */
function memberText(
  [key, ...inner]: readonly string[],
  value: string,
  layout: Layout | undefined,
): string {
  const name = `${JSON.stringify(key)}: `;
  if (inner.length === 0) return name + value;
  if (layout === undefined || inner.length === 1) {
    return `${name}{ ${memberText(inner, value, undefined)} }`;
  }
  const indent = layout.indent + layout.unit;
  const text = memberText(inner, value, { ...layout, indent });
  return `${name}{${layout.eol}${indent}${text}${layout.eol}${layout.indent}}`;
}

function layoutOf(text: string, root: Node, object: Node): Layout {
  const eol = /\r\n|\r|\n/.exec(text)?.[0] ?? "\n";
  const [first] = root.children ?? [];
  const unit = (first && indentBefore(text, first.offset)) || "  ";
  const [sibling] = object.children ?? [];
  const own = sibling && indentBefore(text, sibling.offset);
  const outer = /(?:^|[\r\n])([ \t]*)[^\r\n]*$/.exec(
    text.slice(0, object.offset + object.length - 1),
  );
  return { eol, unit, indent: own ?? (outer?.[1] ?? "") + unit };
}

/** Returns the text between the start of a line and an offset, if it is white space. */
function indentBefore(text: string, offset: number): string | undefined {
  return /[\r\n]([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}
