import { TouchstoneError } from "@touchstone/util";
import {
  applyEdits,
  createScanner,
  type Edit,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";

/** Why a text cannot be edited at a path. */
export const EDIT_ERRORS = {
  NOT_JSON: [409, "The text is not JSON with comments and trailing commas"],
  NOT_AN_OBJECT: [409, "The path leads through a value that is not an object"],
} as const;

/** A text that cannot be edited at a path. */
export class EditError extends TouchstoneError<keyof typeof EDIT_ERRORS> {
  constructor(code: keyof typeof EDIT_ERRORS, message: string) {
    super("EditError", EDIT_ERRORS, code, message);
  }
}

const BOM = "\uFEFF";

/** A member of an object, and its value. */
export interface Member {
  readonly property: Node;
  readonly value: Node;
}

/**
 * Edits a JSON text with comments, trailing commas and possibly a byte order mark.
 * @param edits returns the edits of the text without its mark, in the order of the text
 * @throws {EditError} if the text is not JSON
 */
export function editJsonc(text: string, edits: (body: string, root: Node) => Edit[]): string {
  const body = text.startsWith(BOM) ? text.slice(BOM.length) : text;
  const errors: ParseError[] = [];
  const root = parseTree(body, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0)
    throw new EditError("NOT_JSON", "the text is not JSON");
  return text.slice(0, text.length - body.length) + applyEdits(body, edits(body, root));
}

/** Of equal names the first one counts, as when the text is read. */
function memberOf(object: Node, name: string): Member | undefined {
  if (object.type !== "object") return undefined;
  for (const property of object.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key?.value === name && value !== undefined) return { property, value };
  }
  return undefined;
}

/** Returns the members along a path, from the root on, as far as there are any. */
export function membersOf(root: Node, path: readonly string[]): readonly Member[] {
  const members: Member[] = [];
  for (const name of path) {
    const member = memberOf(members.at(-1)?.value ?? root, name);
    if (member === undefined) break;
    members.push(member);
  }
  return members;
}

/** Returns the offset of the next token if it is a comma. */
export function commaAfter(text: string, offset: number, end: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return at < end && text[at] === "," ? at : undefined;
}

/** Returns whether a comment is in a value. */
export function hasComment(text: string, node: Node): boolean {
  const scanner = createScanner(text, false);
  scanner.setPosition(node.offset);
  const end = node.offset + node.length;
  for (;;) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    if (at >= end) return false;
    if (text[at] === "/") return true;
  }
}
