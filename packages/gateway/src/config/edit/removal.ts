import type { Edit, Node } from "jsonc-parser";
import { startOfBlanks } from "./blanks.ts";
import { commaAfter, editJsonc, hasComment, membersOf } from "./tree.ts";

/**
 * Removes a value, and objects around it that become empty; objects with comments stay. Every comment outside the
 * value stays. Without such a value, the text stays as it is.
 *
 * @param keep how many members of the path are never removed
 * @throws {EditError} if the text is not JSON
 */
export function removeValue(text: string, path: readonly string[], keep = 0): string {
  return editJsonc(text, (body, root) => {
    const chain = membersOf(root, path);
    if (chain.length < path.length) return [];
    let at = chain.length - 1;
    for (; at > keep; at -= 1) {
      const around = chain[at - 1]?.value;
      if (around?.children?.length !== 1 || hasComment(body, around)) break;
    }
    const member = chain[at];
    return member === undefined ? [] : removal(body, member.property);
  });
}

function removal(text: string, property: Node): Edit[] {
  const object = property.parent;
  if (object === undefined) return [];
  const closing = object.offset + object.length - 1;
  const end = property.offset + property.length;
  const after = commaAfter(text, end, closing);
  const own = partsOf(text, property, after === end ? end + 1 : end);
  if (after !== undefined) return after === end ? own : [...own, cut(after)];
  const siblings = object.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  const comma = before && commaAfter(text, before.offset + before.length, closing);
  return comma === undefined ? own : [cut(comma), ...own];
}

/**
 * Returns the ranges of a member to remove: all of it, or its key, colon and value if comments are between them.
 */
function partsOf(text: string, { offset, colonOffset, children }: Node, end: number): Edit[] {
  const [key, value] = children ?? [];
  if (key === undefined || value === undefined || colonOffset === undefined) return [];
  if (!text.slice(key.offset + key.length, value.offset).includes("/")) {
    return [around(text, offset, end)];
  }
  const length = end - value.offset;
  return [
    { offset, length: key.length, content: "" },
    cut(colonOffset),
    { offset: value.offset, length, content: "" },
  ];
}

const cut = (offset: number): Edit => ({ offset, length: 1, content: "" });

/** Includes the line if nothing else is on it, else the space before. */
function around(text: string, from: number, to: number): Edit {
  const start = startOfBlanks(text, from, " \t");
  const rest = /^[ \t]*(\r\n|\r|\n)/.exec(text.slice(to));
  const begins = start > 0 && /[\r\n]/.test(text[start - 1] ?? "");
  const stop = begins && rest !== null ? to + rest[0].length : to;
  const keepsIndent = begins && rest === null;
  const offset = keepsIndent ? from : start;
  return { offset, length: stop - offset, content: "" };
}
