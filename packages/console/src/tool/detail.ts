import {
  type CompiledSchema,
  compileSchema,
  encodeUtf8,
  jsonText,
  locatePointers,
  scanJson,
} from "@touchstone/core";
import { readSummary, type ToolSummary } from "../api/tool-summary.ts";
import { SchemaSource } from "../form/source.ts";
import { startText } from "../form/start.ts";
import { printTree, readTree } from "../json/tree.ts";

/** A schema of a tool: its text, in which numbers are exact, and what judges by it. */
export interface ToolSchema {
  readonly text: string;
  readonly compiled: CompiledSchema;
}

/** All that the page knows of a tool. */
export interface ToolDetail {
  readonly summary: ToolSummary;
  readonly input: ToolSchema;
  readonly output?: ToolSchema;
  /** What a form for the arguments is drawn from. */
  readonly source: SchemaSource;
  /** The arguments that a form starts with. */
  readonly prefill: string;
}

/** Nesting of a description that is read; the server limits schemas to far less. */
const MAX_DEPTH = 1000;

function toolSchema(text: string): ToolSchema {
  const read = readTree(text);
  return {
    text: read.ok ? printTree(read.tree) : text,
    compiled: compileSchema({ text }),
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
    prefill: startText(source),
  };
}
