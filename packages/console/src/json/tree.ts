import { encodeUtf8, type ScanError, scanJson } from "@touchstone/core/advanced";

/** A JSON text as a tree whose scalars and keys keep their original text. */
export type JsonTree = ScalarNode | ArrayNode | ObjectNode;

export interface ScalarNode {
  readonly kind: "scalar";
  /** The token as it was written: `1.0`, `9007199254740993`, `"\u0061"`. */
  readonly text: string;
}

export interface ArrayNode {
  readonly kind: "array";
  readonly items: readonly JsonTree[];
}

export interface ObjectNode {
  readonly kind: "object";
  /** In text order; if a name occurs twice, the last one counts. */
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  /** The name as it was written, quotes included. */
  readonly key: string;
  readonly value: JsonTree;
}

/** The tree of a text, or why there is none. */
export type ReadTree =
  | { readonly ok: true; readonly tree: JsonTree }
  | { readonly ok: false; readonly error: ScanError };

/** Maximum nesting that is read; a scalar has depth 1. It is also core's maximum depth for checks. */
export const MAX_TREE_DEPTH = 64;

const SPACE = /[\t\n\r ]/;

/** Reads a text that is known to be JSON. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  #space(): void {
    while (SPACE.test(this.#text.charAt(this.#at))) this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #scalar(): string {
    if (this.#text[this.#at] === '"') return this.#string();
    const start = this.#at;
    while (/[\w.+-]/.test(this.#text.charAt(this.#at))) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  /** Calls `read` before each element until the closing bracket. */
  #elements(close: string, read: () => void): void {
    this.#at++;
    this.#space();
    while (this.#text[this.#at] !== close) {
      read();
      this.#space();
      if (this.#text[this.#at] === ",") this.#at++;
      this.#space();
    }
    this.#at++;
  }

  value(): JsonTree {
    this.#space();
    const open = this.#text[this.#at];
    if (open === "[") {
      const items: JsonTree[] = [];
      this.#elements("]", () => items.push(this.value()));
      return { kind: "array", items };
    }
    if (open !== "{") return { kind: "scalar", text: this.#scalar() };
    const members: Member[] = [];
    this.#elements("}", () => {
      const key = this.#string();
      this.#space();
      this.#at++;
      members.push({ name: String(JSON.parse(key)), key, value: this.value() });
    });
    return { kind: "object", members };
  }
}

/**
 * Reads a JSON text (RFC 8259) nested up to {@link MAX_TREE_DEPTH}. Never throws: errors have a message and the byte
 * offset where they were detected.
 */
export function readTree(text: string): ReadTree {
  const { error } = scanJson(encodeUtf8(text), { maxDepth: MAX_TREE_DEPTH });
  if (error !== undefined) return { ok: false, error };
  return { ok: true, tree: new Reader(text).value() };
}

function print(tree: JsonTree, indent: string, out: string[]): void {
  if (tree.kind === "scalar") {
    out.push(tree.text);
    return;
  }
  const isArray = tree.kind === "array";
  const [open, close] = isArray ? "[]" : "{}";
  const inner = `${indent}  `;
  let before = `${open}\n${inner}`;
  if (isArray) {
    for (const item of tree.items) {
      out.push(before);
      print(item, inner, out);
      before = `,\n${inner}`;
    }
  } else {
    for (const { key, value } of tree.members) {
      out.push(`${before}${key}: `);
      print(value, inner, out);
      before = `,\n${inner}`;
    }
  }
  const isEmpty = (isArray ? tree.items : tree.members).length === 0;
  out.push(isEmpty ? `${open}${close}` : `\n${indent}${close}`);
}

/** Returns the text of a tree, indented by two spaces; scalars and keys keep their original text. */
export function printTree(tree: JsonTree): string {
  const out: string[] = [];
  print(tree, "", out);
  return out.join("");
}

/** Returns the tree of a JavaScript value; undefined if the value has no JSON text or is nested too deep. */
export function treeOf(value: unknown): JsonTree | undefined {
  try {
    const text: unknown = JSON.stringify(value);
    const read = typeof text === "string" ? readTree(text) : undefined;
    return read?.ok === true ? read.tree : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the value of a tree, with numbers as doubles; if a name occurs twice, the last one counts. */
export function toValue(tree: JsonTree): unknown {
  return JSON.parse(printTree(tree));
}

/** Returns JSON text with line breaks and indentation; other text unchanged. */
export function prettyJson(text: string): string {
  const read = readTree(text);
  return read.ok ? printTree(read.tree) : text;
}
