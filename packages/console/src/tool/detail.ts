import {
  type CompiledSchema,
  compileDeclared,
  encodeUtf8,
  jsonText,
  locatePointers,
  scanJson,
} from "@touchstone/core/advanced";
import { readSummary, type ToolSummary } from "../api/tool-summary.ts";
import { SchemaSource } from "../form/source.ts";
import { initialText } from "../form/start.ts";
import { printTree, readTree } from "../json/tree.ts";

/** A tool's schema: its text, which keeps numbers exact, and its compiled form. */
export interface ToolSchema {
  readonly text: string;
  readonly compiled: CompiledSchema;
}

/** Everything that the page knows about a tool. */
export interface ToolDetail {
  readonly summary: ToolSummary;
  readonly input: ToolSchema;
  readonly output?: ToolSchema;
  /** The source from which the arguments form is built. */
  readonly source: SchemaSource;
  /** The initial arguments of the form. */
  readonly prefill: string;
}

/** Maximum nesting of a description; the server's limit for schemas is far lower. */
const MAX_DEPTH = 1000;

function toolSchema(text: string): ToolSchema {
  const read = readTree(text);
  return {
    text: read.ok ? printTree(read.tree) : text,
    compiled: compileDeclared({ text }),
  };
}

/**
 * Reads the answer of `GET /tools/{name}`. Undefined if it is not a tool. Never throws: a schema that
 * cannot be used has its fault in `compiled`.
 */
export function readDetail(text: string): ToolDetail | undefined {
  const bytes = encodeUtf8(text);
  if (scanJson(bytes, { maxDepth: MAX_DEPTH }).error !== undefined) return undefined;
  const summary = readSummary(JSON.parse(text));
  if (summary === undefined) return undefined;
  const places = locatePointers(bytes, ["/inputSchema", "/outputSchema"]);
  const member = (pointer: string): string | undefined => {
    const place = places.get(pointer);
    return place?.found === true ? jsonText(bytes, place.value) : undefined;
  };
  const input = toolSchema(member("/inputSchema") ?? "{}");
  const output = member("/outputSchema");
  const source = new SchemaSource(input.text);
  return {
    summary,
    input,
    ...(output === undefined ? {} : { output: toolSchema(output) }),
    source,
    prefill: initialText(source),
  };
}
