import { ClientFileError, type Entry, type Member, type Node, nodeEnd } from "./entries.ts";

/** Deepest nesting of arrays and tables in a value. */
const MAX_DEPTH = 100;
/** Codex keeps each server in a subtable of this one. */
const ROOT = "mcp_servers";

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\u001b", '"': '"', "\\": "\\" },
};
const CODES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BLANKS = /[ \t]*/y;
/** Numbers, dates and booleans; only booleans are ever used. */
const OTHER_VALUE = /[^\s,\]}#"'[{=]+(?: \d[\d:.Z+-]*)?/y;

/**
 * Returns the servers in Codex's `config.toml`: the tables `[mcp_servers.NAME]`, or `NAME = { … }` below `[mcp_servers]`
 * (https://developers.openai.com/codex/mcp; TOML 1.0, https://toml.io/en/v1.0.0).
 * @throws ClientFileError if the text is not TOML
 */
export function readTomlEntries(text: string): readonly Entry[] {
  return new Reader(text).entries();
}

interface Found {
  readonly members: Map<string, Member>;
  inline: boolean;
  duplicate?: string;
}

class Reader {
  readonly #text: string;
  readonly #found: Map<string, Found> = new Map();
  #at = 0;
  #table: readonly string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  entries(): readonly Entry[] {
    for (;;) {
      this.#skipLines();
      if (this.#at >= this.#text.length) break;
      if (this.#text[this.#at] === "[") this.#header();
      else this.#assignment();
      this.#endOfLine();
    }
    return [...this.#found].map(([name, { members, inline, duplicate }]) => ({
      name,
      members,
      format: "toml",
      inline,
      ...(duplicate === undefined ? {} : { duplicate }),
    }));
  }

  #header(): void {
    const isList = this.#text.startsWith("[[", this.#at);
    this.#at += isList ? 2 : 1;
    const keys = this.#keys().map(({ value }) => String(value));
    if (!this.#text.startsWith(isList ? "]]" : "]", this.#at)) this.#fail('a "]" is expected');
    this.#at += isList ? 2 : 1;
    // Arrays of tables are never servers.
    this.#table = isList ? ["", ...keys] : keys;
    const [root, name] = this.#table;
    if (root === ROOT && name !== undefined) this.#entry(name);
  }

  #assignment(): void {
    const keys = this.#keys();
    if (this.#text[this.#at] !== "=") this.#fail('a "=" is expected');
    this.#at += 1;
    this.#blanks();
    const value = this.#value(0);
    const path = [...this.#table, ...keys.map((key) => String(key.value))];
    const [root, name, member, inner] = path;
    const key = keys.at(-1);
    if (root !== ROOT || name === undefined || key === undefined) return;
    // A dotted key does not create a table that other members could be added to.
    if (keys.length > 1) return void this.#entry(name);
    if (member === undefined) {
      if (value.type !== "object") return;
      const found = this.#entry(name);
      found.inline = true;
      for (const property of value.children ?? []) this.#add(found, property);
    } else if (inner === undefined) {
      this.#add(this.#entry(name), propertyOf(key, value));
    } else {
      // Members of `[mcp_servers.NAME.env]` are only noted as present, because variables are not shown.
      const { members } = this.#entry(name);
      const table = members.get(member)?.value;
      const property = propertyOf(key, value);
      if (table?.type === "object") table.children?.push(property);
      else {
        const object: Node = { ...property, type: "object", children: [property] };
        members.set(member, { property, key, value: object });
      }
    }
  }

  #entry(name: string): Found {
    const found = this.#found.get(name) ?? { members: new Map(), inline: false };
    this.#found.set(name, found);
    return found;
  }

  #add(found: Found, property: Node): void {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) return;
    const name = String(key.value);
    if (found.members.has(name)) found.duplicate = name;
    found.members.set(name, { property, key, value });
  }

  /** Reads one key, or several separated by dots. */
  #keys(): readonly Node[] {
    const keys: Node[] = [];
    for (;;) {
      this.#blanks();
      keys.push(this.#key());
      this.#blanks();
      if (this.#text[this.#at] !== ".") return keys;
      this.#at += 1;
    }
  }

  #key(): Node {
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") return this.#string(false);
    const offset = this.#at;
    const value = this.#match(BARE_KEY);
    if (value === "") this.#fail("a key is expected");
    return { type: "string", offset, length: value.length, value };
  }

  #value(depth: number): Node {
    if (depth > MAX_DEPTH) this.#fail("it nests too deep");
    const offset = this.#at;
    switch (this.#text[offset]) {
      case '"':
      case "'":
        return this.#string(true);
      case "[":
        return this.#list(depth);
      case "{":
        return this.#inlineTable(depth);
      default: {
        const word = this.#match(OTHER_VALUE);
        if (word === "") this.#fail("a value is expected");
        const isFlag = word === "true" || word === "false";
        return isFlag
          ? { type: "boolean", offset, length: word.length, value: word === "true" }
          : { type: "number", offset, length: word.length, value: word };
      }
    }
  }

  #list(depth: number): Node {
    const offset = this.#at;
    const children: Node[] = [];
    this.#at += 1;
    for (;;) {
      this.#skipLines();
      if (this.#text[this.#at] === "]") break;
      children.push(this.#value(depth + 1));
      this.#skipLines();
      if (this.#text[this.#at] === "]") break;
      if (this.#text[this.#at] !== ",") this.#fail('a "," or a "]" is expected');
      this.#at += 1;
    }
    this.#at += 1;
    return { type: "array", offset, length: this.#at - offset, children };
  }

  #inlineTable(depth: number): Node {
    const offset = this.#at;
    const children: Node[] = [];
    this.#at += 1;
    for (;;) {
      this.#skipLines();
      if (this.#text[this.#at] === "}") break;
      const keys = this.#keys();
      if (this.#text[this.#at] !== "=") this.#fail('a "=" is expected');
      this.#at += 1;
      this.#skipLines();
      const value = this.#value(depth + 1);
      const [key] = keys;
      if (keys.length === 1 && key !== undefined) children.push(propertyOf(key, value));
      this.#skipLines();
      if (this.#text[this.#at] === "}") break;
      if (this.#text[this.#at] !== ",") this.#fail('a "," or a "}" is expected');
      this.#at += 1;
    }
    this.#at += 1;
    return { type: "object", offset, length: this.#at - offset, children };
  }

  /** @param long whether it may have three quotes and span several lines */
  #string(long: boolean): Node {
    const offset = this.#at;
    const quote = this.#text[offset] ?? "";
    const isLong = long && this.#text.startsWith(quote.repeat(3), offset);
    const end = isLong ? quote.repeat(3) : quote;
    this.#at += end.length;
    let value = "";
    while (!this.#text.startsWith(end, this.#at)) {
      const next = this.#text[this.#at];
      if (next === undefined || (!isLong && (next === "\n" || next === "\r"))) {
        this.#fail("a text does not end");
      }
      if (next === "\u007f" || (next < " " && !"\t\n\r".includes(next))) {
        this.#fail("a text contains a control character");
      }
      if (next === "\\" && quote === '"') value += this.#escape(isLong);
      else {
        value += next;
        this.#at += 1;
      }
    }
    this.#at += end.length;
    // Up to two more quotes before the closing ones belong to the text.
    for (let more = 0; isLong && more < 2 && this.#text[this.#at] === quote; more += 1) {
      value += quote;
      this.#at += 1;
    }
    if (isLong) value = value.replace(/^\r?\n/, "");
    return { type: "string", offset, length: this.#at - offset, value };
  }

  #escape(isLong: boolean): string {
    const sign = this.#text[this.#at + 1] ?? "";
    const simple = ESCAPES[sign];
    if (simple !== undefined) {
      this.#at += 2;
      return simple;
    }
    const digits = CODES[sign];
    if (digits !== undefined) {
      const hex = this.#text.slice(this.#at + 2, this.#at + 2 + digits);
      const code =
        /^[0-9A-Fa-f]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : -1;
      if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        this.#fail("an escape is not valid in TOML");
      }
      this.#at += 2 + digits;
      return String.fromCodePoint(code);
    }
    // A backslash at the end of a line continues the text at the next character that is not white space.
    const blank = isLong ? /\\[ \t]*\r?\n\s*/y : undefined;
    if (blank !== undefined && this.#match(blank) !== "") return "";
    return this.#fail("an escape is not valid in TOML");
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #blanks(): void {
    this.#match(BLANKS);
  }

  /** Skips white space, line breaks and comments. */
  #skipLines(): void {
    for (;;) {
      this.#match(/\s*/y);
      if (this.#text[this.#at] !== "#") return;
      this.#match(/[^\n]*/y);
    }
  }

  #endOfLine(): void {
    this.#blanks();
    if (this.#text[this.#at] === "#") this.#match(/[^\n]*/y);
    if (this.#at < this.#text.length && this.#match(/\r?\n/y) === "") {
      this.#fail("there is text after the value");
    }
  }

  #fail(what: string): never {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    throw new ClientFileError(`it is not TOML: ${what} on line ${line}`);
  }
}

function propertyOf(key: Node, value: Node): Node {
  const length = nodeEnd(value) - key.offset;
  return { type: "property", offset: key.offset, length, children: [key, value] };
}
