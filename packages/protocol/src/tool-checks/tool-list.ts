import { arrayItems, jsonText, locatePointers } from "@touchstone/core/advanced";

/** Where the tools may be in a captured text: a list, a `tools/list` result, or a JSON-RPC response with one. */
const PLACES = ["", "/tools", "/result/tools"] as const;

/** Where a list of tools is in a text. */
export interface ToolListPlace {
  /** RFC 6901 pointer to the list. */
  readonly pointer: (typeof PLACES)[number];
  readonly tools: readonly unknown[];
  /** Whether the result says that the server has more tools (MCP 2025-11-25, Pagination). */
  readonly hasMorePages: boolean;
}

/** Finds the list of tools in a parsed JSON value; undefined if it holds none. */
export function findToolList(value: unknown): ToolListPlace | undefined {
  for (const pointer of PLACES) {
    const tools = memberAt(value, pointer);
    if (!Array.isArray(tools)) continue;
    const cursor = pointer === "" ? "" : pointer.replace(/tools$/, "nextCursor");
    const hasMorePages = cursor !== "" && typeof memberAt(value, cursor) === "string";
    return { pointer, tools, hasMorePages };
  }
  return undefined;
}

function memberAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of pointer.split("/").slice(1)) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

/** Returns the JSON texts of the items of a list in a text. */
export function toolTexts(bytes: Uint8Array, list: string): readonly string[] {
  const place = locatePointers(bytes, new Set([list])).get(list);
  if (place?.found !== true) return [];
  return [...arrayItems(bytes, place.value)].map((range) => jsonText(bytes, range));
}
