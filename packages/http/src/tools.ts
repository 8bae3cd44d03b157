import { encodeUtf8, parseJson } from "@touchstone/core/advanced";
import { encodeJson } from "./answers/encode.ts";
import type { FaultListener } from "./fault.ts";
import { runWithTimeLimit, TIMED_OUT } from "./time-limit.ts";
import type { Tool, ToolsProvider, ToolTexts } from "./tool.ts";

/** The tools by name, in the order of the host's list. */
export type Tools = ReadonlyMap<string, Tool>;

/** Reads a tool's members once. @throws errors of getters of the host's object */
function readTool(entry: unknown): Tool | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const tool = entry as Tool;
  const { name, description, title, inputSchema, outputSchema, annotations, icons, texts } = tool;
  if (typeof name !== "string") return undefined;
  const read = { name, description, title, inputSchema, outputSchema, annotations, icons };
  if (typeof texts !== "object" || texts === null) return read;
  return { ...read, texts: { inputSchema: texts.inputSchema, outputSchema: texts.outputSchema } };
}

/** How to call the host's function that returns the tools. */
export interface AskToolsOptions {
  /** Aborted when the client leaves. */
  readonly left: AbortSignal;
  /** How long the host may take, in milliseconds. */
  readonly hostTimeoutMs: number;
  readonly report: FaultListener;
}

/**
 * Gets the host's tools. An unreadable entry is left out and hides no others; of two with the same name the last one
 * counts. Never rejects: returns undefined if the host returns no list, or none in time.
 */
export async function askTools(
  provider: ToolsProvider,
  { left, hostTimeoutMs, report }: AskToolsOptions,
): Promise<Tools | undefined> {
  let list: unknown;
  try {
    list =
      typeof provider === "function"
        ? await runWithTimeLimit<unknown>(hostTimeoutMs, left, (signal) => provider({ signal }))
        : provider;
  } catch (cause) {
    report({ code: "tools_unavailable", message: "the tools function threw", cause });
    return undefined;
  }
  if (list === TIMED_OUT) {
    const message = `the tools function did not end within ${hostTimeoutMs} ms`;
    report({ code: "tools_unavailable", message });
    return undefined;
  }
  if (!Array.isArray(list)) {
    const message = "the tools are not an array";
    report({ code: "tools_unavailable", message, cause: list });
    return undefined;
  }
  const tools = new Map<string, Tool>();
  for (const [index, entry] of list.entries()) {
    try {
      const tool = readTool(entry);
      if (tool !== undefined) tools.set(tool.name, tool);
      else
        report({
          code: "bad_tool",
          message: `the tool at index ${index} has no name`,
          cause: entry,
        });
    } catch (cause) {
      report({ code: "bad_tool", message: `the tool at index ${index} cannot be read`, cause });
    }
  }
  return tools;
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const isText = (value: unknown): boolean => typeof value === "string";

/** Returns the JSON text of a schema: the host's own if it has one; undefined if there is none. */
function schemaText(tool: Tool, key: keyof ToolTexts): string | undefined {
  const text = tool.texts?.[key];
  if (typeof text !== "string") return encodeJson(tool[key]);
  return parseJson(text).ok ? text.trim() : undefined;
}

/** Members that are shown if they have MCP's type. */
const SHOWN: readonly (readonly [key: keyof Tool, is: (value: unknown) => boolean])[] = [
  ["outputSchema", (value) => isObject(value) || typeof value === "boolean"],
  ["annotations", (value) => isObject(value) && !Array.isArray(value)],
  ["title", isText],
  ["icons", Array.isArray],
];
const SUMMARY: readonly string[] = ["annotations", "title"];

/** Returns the input schema; `false`, which no arguments satisfy, if the value cannot be a schema. */
function encodeSchema(tool: Tool, report: FaultListener): string {
  const { name, inputSchema } = tool;
  const text = (inputSchema ?? undefined) === undefined ? "{}" : schemaText(tool, "inputSchema");
  if (text !== undefined && /^(?:\{|true$|false$)/.test(text)) return text;
  const message = `inputSchema ${text === undefined ? "has no JSON text" : "is not a JSON Schema"}`;
  report({ code: "bad_declaration", message, tool: name });
  return "false";
}

/** How many tools of a list, and how many characters, to write in one turn of the event loop. */
const STEP_TOOLS = 250;
const STEP_CHARACTERS = 1_000_000;

function encodeTool(tool: Tool, whole: boolean, report: FaultListener): string {
  const { name, description } = tool;
  const members = [
    `"name":${JSON.stringify(name)}`,
    `"description":${JSON.stringify(typeof description === "string" ? description : "")}`,
  ];
  const add = (key: keyof Tool): void => {
    const text = key === "outputSchema" ? schemaText(tool, key) : encodeJson(tool[key]);
    if (text !== undefined) members.push(`"${key}":${text}`);
    else report({ code: "bad_declaration", message: `${key} has no JSON text`, tool: name });
  };
  if (whole) members.push(`"inputSchema":${encodeSchema(tool, report)}`);
  for (const [key, is] of SHOWN) {
    if ((whole || SUMMARY.includes(key)) && is(tool[key])) add(key);
  }
  return `{${members.join(",")}}`;
}

/**
 * Returns the JSON text of a list of tools, in parts: name and description of each, annotations and title if it has
 * them.
 */
export async function encodeList(
  tools: Tools,
  report: FaultListener,
): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let text = "[";
  let count = 0;
  for (const tool of tools.values()) {
    text += `${count === 0 ? "" : ","}${encodeTool(tool, false, report)}`;
    count += 1;
    if (count % STEP_TOOLS !== 0 && text.length < STEP_CHARACTERS) continue;
    parts.push(encodeUtf8(text));
    text = "";
    // Other requests are served in between.
    await new Promise((go) => setTimeout(go, 0));
  }
  return [...parts, encodeUtf8(`${text}]`)];
}

/**
 * Returns the JSON text of one tool, with its schemas: `{}` for a missing input schema, `false` for an unusable one.
 */
export function encodeDetail(tool: Tool, report: FaultListener): string {
  return encodeTool(tool, true, report);
}
