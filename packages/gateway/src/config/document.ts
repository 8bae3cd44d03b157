import { isObject } from "@touchstone/core/advanced";
import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Member names and array indexes from the root of a document to a value. */
export type Path = readonly (string | number)[];

/** Offsets of a value and, if it is an object's member, of its key. */
export interface ValueOffsets {
  readonly value: number;
  readonly key?: number;
}

/** A key that cannot become part of a value, and where it is. */
export interface KeyFault {
  readonly path: Path;
  readonly offset: number;
}

/** A text that was read whole. */
export interface Document {
  readonly value: JsonValue;
  /** By the JSON text of the value's {@link Path}. */
  readonly places: ReadonlyMap<string, ValueOffsets>;
  /** Second occurrences of a key; the value has the first. */
  readonly duplicates: readonly KeyFault[];
  /** Keys named `__proto__`, which the value does not have. */
  readonly prototypes: readonly KeyFault[];
}

/** Why a text could not be read, and at which offset. */
export interface SyntaxFault {
  readonly code: "SYNTAX" | "TOO_DEEP";
  readonly message: string;
  readonly offset: number;
}

const MAX_DEPTH = 100;
const MAX_SYNTAX_FAULTS = 20;
/** How to fix a pasted Windows path. */
const BACKSLASH = "write a backslash as \\\\, or a path with /";
const SYNTAX_TEXTS: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not a JSON value; strings need double quotes",
  InvalidNumberFormat: "this is not a JSON number",
  PropertyNameExpected: "a key in double quotes is expected here",
  ValueExpected: "a value is expected here",
  ColonExpected: "a colon is expected here, between key and value",
  CommaExpected: "a comma is expected here",
  CloseBraceExpected: 'a closing "}" is expected here',
  CloseBracketExpected: 'a closing "]" is expected here',
  EndOfFileExpected: "nothing may follow the closing brace",
  UnexpectedEndOfComment: 'this comment has no closing "*/"',
  UnexpectedEndOfString: "this string has no closing quote",
  UnexpectedEndOfNumber: "this number breaks off",
  InvalidUnicode: `\\u takes four hexadecimal digits; ${BACKSLASH}`,
  InvalidEscapeCharacter: `this escape does not exist in JSON; ${BACKSLASH}`,
  InvalidCharacter: "control characters must be escaped",
};

/**
 * Reads JSON (RFC 8259) with line and block comments and trailing commas. Never throws.
 *
 * @returns the document, or up to 20 syntax faults in the order of the text
 */
export function parseDocument(
  text: string,
): Document | { readonly faults: readonly SyntaxFault[] } {
  const deep = offsetBeyondDepth(text);
  if (deep !== undefined) {
    const message = `nested deeper than ${MAX_DEPTH} levels`;
    return { faults: [{ code: "TOO_DEEP", message, offset: deep }] };
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) return { faults: syntaxFaults(errors) };
  return convert(root);
}

/** The parser is recursive, so the depth is determined from the tokens first. */
function offsetBeyondDepth(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= text.length) return undefined;
    const first = text[offset];
    if (first === "{" || first === "[") depth += 1;
    else if (first === "}" || first === "]") depth -= 1;
    if (depth > MAX_DEPTH) return offset;
  }
}

function syntaxFaults(errors: readonly ParseError[]): SyntaxFault[] {
  if (errors.length === 0) {
    return [{ code: "SYNTAX", message: "the file is empty; write at least {}", offset: 0 }];
  }
  const seen = new Set<number>();
  const faults: SyntaxFault[] = [];
  for (const { error, offset } of errors) {
    if (seen.has(offset) || faults.length === MAX_SYNTAX_FAULTS) continue;
    seen.add(offset);
    const message = SYNTAX_TEXTS[printParseErrorCode(error)] ?? "this is not JSON";
    faults.push({ code: "SYNTAX", message, offset });
  }
  return faults;
}

function convert(root: Node): Document {
  const places = new Map<string, ValueOffsets>();
  const duplicates: KeyFault[] = [];
  const prototypes: KeyFault[] = [];
  const visit = (node: Node, path: Path, key?: number): JsonValue => {
    places.set(
      pathKey(path),
      key === undefined ? { value: node.offset } : { value: node.offset, key },
    );
    if (node.type === "array") {
      return (node.children ?? []).map((child, index) => visit(child, [...path, index]));
    }
    if (node.type !== "object") return node.value;
    const object: JsonObject = {};
    for (const { children: [keyNode, valueNode] = [] } of node.children ?? []) {
      if (keyNode === undefined || valueNode === undefined) continue;
      const name = String(keyNode.value);
      const fault = { path: [...path, name], offset: keyNode.offset };
      if (name === "__proto__") prototypes.push(fault);
      else if (Object.hasOwn(object, name)) duplicates.push(fault);
      else object[name] = visit(valueNode, fault.path, keyNode.offset);
    }
    return object;
  };
  return { value: visit(root, []), places, duplicates, prototypes };
}

/** Returns the key of {@link Document.places}. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** Returns whether a value of a document is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}
