import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** A value or key of a document, as jsonc-parser returns it. */
export type { Node };

/** A member of an object, as written in the text. */
export interface Member {
  readonly property: Node;
  readonly key: Node;
  readonly value: Node;
}

/** A server's entry in a client's file. */
export interface Entry {
  readonly name: string;
  /** The project that the entry belongs to, if the file separates projects. */
  readonly project?: string;
  readonly members: ReadonlyMap<string, Member>;
  /** A key that occurs twice. */
  readonly duplicate?: string;
  /** The format of the file; JSON if absent. */
  readonly format?: "toml" | "yaml";
  /**
   * Whether it is an inline table of TOML or a flow mapping of YAML: members are on one line, separated by commas.
   */
  readonly inline?: boolean;
  /** The client assumes the HTTP+SSE transport for a `url` without a type. */
  readonly bareUrl?: "sse";
}

/** A range of the text, and its replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A client's file that cannot be read. */
export class ClientFileError extends Error {
  override readonly name: string = "ClientFileError";
}

/**
 * Where clients keep their servers: `mcpServers`, `servers` and the older settings of VS Code, and Zed's setting.
 */
const CONTAINERS: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  ["mcp", "servers"],
  ["mcp.servers"],
  ["context_servers"],
];
/** Where opencode keeps its servers, next to other settings. */
const OPENCODE: readonly string[] = ["mcp"];
const OPENCODE_TYPES: readonly unknown[] = ["local", "remote"];

/** Returns the members of an object. If a key occurs twice, the last one counts, as it does for clients. */
export function membersOf(node: Node): ReadonlyMap<string, Member> {
  const found = new Map<string, Member>();
  for (const property of node.type === "object" ? (node.children ?? []) : []) {
    const [key, value] = property.children ?? [];
    if (key !== undefined && value !== undefined)
      found.set(String(key.value), { property, key, value });
  }
  return found;
}

function duplicateIn(node: Node): string | undefined {
  const seen = new Set<string>();
  for (const { children } of node.children ?? []) {
    const name = String(children?.[0]?.value);
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Returns the servers of an object by key, or those of a list (mcpproxy, Continue) by their own names. */
export function namedServers(container: Node | undefined): readonly (readonly [string, Node])[] {
  if (container === undefined) return [];
  const all: (readonly [string, Node])[] =
    container.type === "array"
      ? (container.children ?? []).map((item) => [
          String(membersOf(item).get("name")?.value.value ?? ""),
          item,
        ])
      : [...membersOf(container)].map(([name, { value }]) => [name, value]);
  return all.filter(([, { type }]) => type === "object");
}

function entriesIn(container: Node | undefined, project?: string): Entry[] {
  return namedServers(container).map(([name, value]) => {
    const duplicate = duplicateIn(value);
    return {
      name,
      members: membersOf(value),
      ...(project === undefined ? {} : { project }),
      ...(duplicate === undefined ? {} : { duplicate }),
    };
  });
}

function isOpencode({ members }: Entry): boolean {
  return OPENCODE_TYPES.includes(members.get("type")?.value.value);
}

function at(root: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = root;
  for (const name of path) node = node === undefined ? undefined : membersOf(node).get(name)?.value;
  return node;
}

/** Messages for the parser's error codes. */
const PARSE_FAULTS: ReadonlyMap<string, string> = new Map([
  ["InvalidNumberFormat", "a number cannot be read"],
  ["PropertyNameExpected", "a key in double quotes is expected"],
  ["ValueExpected", "a value is expected here"],
  ["ColonExpected", "a colon is expected"],
  ["CommaExpected", "a comma is expected"],
  ["CloseBraceExpected", 'a closing "}" is expected'],
  ["CloseBracketExpected", 'a closing "]" is expected'],
  ["EndOfFileExpected", "there is text after the value"],
  ["UnexpectedEndOfComment", "a comment does not end"],
  ["UnexpectedEndOfString", "a text does not end"],
]);

function wordsOf(code: ParseError["error"]): string {
  return PARSE_FAULTS.get(printParseErrorCode(code)) ?? "this is not JSON";
}

/**
 * Returns the servers in a client's file, which is JSON with comments and trailing commas.
 * @throws ClientFileError if it is not
 */
export function readEntries(text: string): readonly Entry[] {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    // The parser recurses as deep as the nesting.
    if (error instanceof RangeError) throw new ClientFileError("it nests too deep");
    throw error;
  }
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length;
    throw new ClientFileError(`it is not JSON: ${wordsOf(first.error)} on line ${line}`);
  }
  if (root?.type !== "object") throw new ClientFileError("it is not an object");
  const own = [
    ...CONTAINERS.flatMap((path) => entriesIn(at(root, path))),
    ...entriesIn(at(root, OPENCODE)).filter(isOpencode),
  ];
  // Claude Code keeps the servers of projects in the user's file.
  const projects = at(root, ["projects"]);
  const theirs = [...(projects === undefined ? [] : membersOf(projects))].flatMap(
    ([project, { value }]) => entriesIn(at(value, ["mcpServers"]), project),
  );
  return [...own, ...theirs];
}

/**
 * Refuses a file that cannot contain servers, because it is not a client's file.
 * @param text a text that {@link readEntries} could read
 * @throws ClientFileError that names what the file must contain
 */
export function assertHoldsServers(text: string): void {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const places = [...CONTAINERS, ["projects"], OPENCODE];
  // An array is mcpproxy's form: its entries contain their own names.
  const isPlace = (node: Node | undefined): boolean =>
    node?.type === "object" || (node?.type === "array" && entriesIn(node).some(({ name }) => name));
  if (root !== undefined && places.some((path) => isPlace(at(root, path)))) return;
  const wanted = 'an object "mcpServers", or "servers" as VS Code keeps them';
  throw new ClientFileError(
    `it is not a file of an MCP client: that has ${wanted}; name another one`,
  );
}

/** Returns the source text of a value or key. */
export function rawText(text: string, { offset, length }: Node): string {
  return text.slice(offset, offset + length);
}

/** Returns the offset after the last character of a node. */
export function nodeEnd({ offset, length }: Node): number {
  return offset + length;
}

/** Returns the strings of a list; undefined if it is not a list of strings. */
export function stringsOf(node: Node | undefined): readonly string[] | undefined {
  if (node?.type !== "array") return undefined;
  const items = node.children ?? [];
  return items.every(({ type }) => type === "string")
    ? items.map(({ value }) => String(value))
    : undefined;
}

/** Returns the text with all edits applied; they must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = "";
  let from = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}
