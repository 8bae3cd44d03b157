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
import {
  duplicateNotes,
  type ReadTool,
  readTools,
  refuseLong,
  shownNames,
  UnusableTextError,
} from "./tools.ts";

const WHAT = "Arguments";

/**
 * Validates the arguments of a call against the input schema of its tool.
 * @throws UnusableTextError
 */
export function answerCall({ tools: text, tool: index, args }: Questions["call"]): ToolCallAnswer {
  const { tools, notes: toolNotes } = readTools(text, "Tools");
  const names = shownNames(tools);
  // Use the page's list of tools: a link may contain any index.
  const tool = tools[Math.min(index, tools.length - 1)];
  if (tool === undefined) throw new UnusableTextError("Tools: this tool does not exist");
  refuseLong(args, WHAT);
  const declared = isObject(tool.value) ? tool.value["inputSchema"] : undefined;
  if (declared === undefined) {
    throw new UnusableTextError(`Tools: ${JSON.stringify(tool.name)} declares no inputSchema`);
  }
  const schema = compileDeclared({ text: schemaText(tool) });
  const check = judgeText(schema, args);
  const parsed = parseJson(args);
  const notes = parsed.ok ? [...toolNotes, ...argumentNotes(args)] : toolNotes;
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

/** Returns the errors that `strict` finds in arguments besides those of their schema: the protocol's own check. */
function argumentNotes(args: string): readonly string[] {
  return duplicateNotes(encodeUtf8(args)).map(
    (note) => `${WHAT}: ${note} In strict mode the gateway blocks the call.`,
  );
}

function schemaText({ text }: ReadTool): string {
  const bytes = encodeUtf8(text);
  const place = locatePointers(bytes, ["/inputSchema"]).get("/inputSchema");
  return place === undefined ? "true" : jsonText(bytes, place.value);
}

/** Repairs arguments with the safe kinds of repairs; if that does not make them valid, with all kinds. */
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
