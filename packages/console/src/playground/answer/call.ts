import {
  type Check,
  type CompiledSchema,
  compileDeclared,
  decodeUtf8,
  encodeUtf8,
  isObject,
  jsonText,
  locatePointers,
  parseJson,
  repairsNamed,
  repairText,
} from "@touchstone/core/advanced";
import { explainInput } from "@touchstone/gateway/explain";
import { definitionDiff } from "@touchstone/protocol/compare";
import { judgeText } from "../../check/check-text.ts";
import type { CallRepair, Questions, ToolCallAnswer } from "../question.ts";
import { type ReadTool, readTools, refuseLong, UnusableTextError } from "./tools.ts";

const WHAT = "Arguments";

/**
 * Checks the arguments of a call by the input schema of its tool.
 * @throws UnusableTextError
 */
export function answerCall({ tools: text, tool: index, args }: Questions["call"]): ToolCallAnswer {
  const { tools, notes } = readTools(text, "Tools");
  const names = tools.map(({ name }) => name);
  const tool = tools[index] ?? tools[0];
  if (tool === undefined) throw new UnusableTextError("Tools: there is no such tool");
  refuseLong(args, WHAT);
  const declared = isObject(tool.value) ? tool.value["inputSchema"] : undefined;
  if (declared === undefined) {
    throw new UnusableTextError(`Tools: ${JSON.stringify(tool.name)} declares no inputSchema`);
  }
  const schema = compileDeclared({ text: schemaText(tool) });
  const check = judgeText(schema, args);
  const parsed = parseJson(args);
  if (!parsed.ok && parsed.code !== "depth") {
    return { names, notes, check, agentText: undefined, repair: undefined };
  }
  if (parsed.ok && !isObject(parsed.value)) {
    throw new UnusableTextError(`${WHAT}: MCP calls a tool with a JSON object`);
  }
  const found = schema.validateText(args);
  return {
    names,
    notes,
    check,
    agentText: found.valid ? undefined : explainInput(tool.name, found),
    repair: repairOf(args, found, schema, declared),
  };
}

function schemaText({ text }: ReadTool): string {
  const bytes = encodeUtf8(text);
  const place = locatePointers(bytes, ["/inputSchema"]).get("/inputSchema");
  return place === undefined ? "true" : jsonText(bytes, place.value);
}

/** Repairs arguments by the kinds that are safe; if that does not make them valid, by all. */
function repairOf(
  args: string,
  check: Check,
  schema: CompiledSchema,
  declared: unknown,
): CallRepair | undefined {
  if (check.valid) return undefined;
  const bytes = encodeUtf8(args);
  for (const kinds of ["safe", "all"] as const) {
    const errors = check.errors.map((issue) => ({ ...issue }));
    const repair = repairsNamed([kinds]);
    const made = repairText({ bytes, check: { ...check, errors }, schema, declared, repair });
    if (made === undefined) continue;
    const steps = made.repairs.map(({ kind, path }) => `${kind} at ${path || "the root"}`);
    return { kinds, steps, diff: definitionDiff(args, decodeUtf8(made.bytes)) };
  }
  return undefined;
}
