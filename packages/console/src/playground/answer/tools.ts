import { encodeUtf8, isObject, parseJson, scanJson } from "@touchstone/core/advanced";
import { findToolList, toolTexts } from "@touchstone/protocol/advanced";
import { MAX_FIELD } from "../question.ts";

/** Maximum number of tools in one list. */
const MAX_TOOLS = 500;
/** Maximum length of a name that is shown, in UTF-16 code units. */
export const MAX_NAME = 120;
const MORE_PAGES =
  'This is one page of the list: "nextCursor" names another one, which is missing.';
/** Maximum number of findings of a kind that the page lists. */
const MAX_LISTED = 200;

/** A text that cannot be used, with a message for the person who entered it. */
export class UnusableTextError extends Error {
  override readonly name: string = "UnusableTextError";
}

/** One tool of a list. */
export interface ReadTool {
  /** Its whole name, or `#` and its index. */
  readonly name: string;
  /** Different for each name, also for a tool whose name looks like the index of another tool. */
  readonly key: string;
  readonly text: string;
  readonly value: unknown;
}

export interface ReadTools {
  readonly tools: readonly ReadTool[];
  readonly notes: readonly string[];
}

/** Returns the first items of a list, and how many more there are. */
export function listed<Item>(
  all: readonly Item[],
  most: number = MAX_LISTED,
): { readonly items: readonly Item[]; readonly more: number } {
  return { items: all.slice(0, most), more: Math.max(0, all.length - most) };
}

/**
 * Throws if a text is too long to be examined.
 * @param what names the text
 * @throws UnusableTextError
 */
export function refuseLong(text: string, what: string): void {
  if (text.length > MAX_FIELD) {
    throw new UnusableTextError(
      `${what}: ${text.length} characters are too many; the playground takes ${MAX_FIELD}`,
    );
  }
}

/**
 * Reads the tools of a pasted text: a `tools/list` result, the JSON-RPC response with it, a list of tools, one tool, or
 * a JSON Schema, which becomes the input schema of a tool without a name.
 * @param what names the text in messages
 * @throws UnusableTextError
 */
export function readTools(text: string, what: string): ReadTools {
  refuseLong(text, what);
  if (text.trim() === "") throw new UnusableTextError(`${what}: paste a tools/list or a schema`);
  const bytes = encodeUtf8(text);
  const parsed = parseJson(bytes);
  if (!parsed.ok) throw new UnusableTextError(`${what}: not JSON: ${parsed.message}`);
  const { value } = parsed;
  const list = findToolList(value);
  const found = list ?? { tools: [toolOf(value, what)], pointer: undefined, hasMorePages: false };
  if (found.tools.length === 0) throw new UnusableTextError(`${what}: the list has no tools`);
  if (found.tools.length > MAX_TOOLS) {
    const count = found.tools.length;
    throw new UnusableTextError(
      `${what}: ${count} tools are too many; the playground takes ${MAX_TOOLS}`,
    );
  }
  const own = isObject(value) && "inputSchema" in value ? text : `{"inputSchema":${text}}`;
  const texts = found.pointer === undefined ? [own] : toolTexts(bytes, found.pointer);
  const tools = found.tools.map((tool, index): ReadTool => {
    const name = isObject(tool) ? tool["name"] : undefined;
    const isNamed = typeof name === "string";
    return {
      name: isNamed ? name : `#${index}`,
      key: isNamed ? `name ${name}` : `index ${index}`,
      text: texts[index] ?? "null",
      value: tool,
    };
  });
  const notes = [...(found.hasMorePages ? [MORE_PAGES] : []), ...duplicateNotes(bytes)];
  return { tools, notes };
}

/** Returns the names of tools to show. */
export function shownNames(tools: readonly ReadTool[]): readonly string[] {
  return tools.map(({ name }) => name.slice(0, MAX_NAME));
}

/** Returns one tool, or a schema as a tool. @throws UnusableTextError */
function toolOf(value: unknown, what: string): unknown {
  if (typeof value === "boolean") return { inputSchema: value };
  if (!isObject(value)) {
    throw new UnusableTextError(
      `${what}: paste a tools/list result, a list of tools, a tool or a JSON Schema`,
    );
  }
  if (isObject(value["mcpServers"])) {
    throw new UnusableTextError(
      `${what}: this is a configuration of servers; paste the tools/list result of a server`,
    );
  }
  return "inputSchema" in value ? value : { inputSchema: value };
}

/** Returns what readers of a text should know about keys that occur twice in an object. */
export function duplicateNotes(bytes: Uint8Array): readonly string[] {
  const { duplicates } = scanJson(bytes, { duplicates: true });
  const [first] = duplicates;
  if (first === undefined) return [];
  const count = duplicates.length === 1 ? "A key occurs" : `${duplicates.length} keys occur`;
  return [
    `${count} twice, the first at ${first.path.slice(0, MAX_NAME)}. Readers differ in which value they take.`,
  ];
}
