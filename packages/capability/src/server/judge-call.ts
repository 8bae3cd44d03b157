import { type CompiledSchema, isObject, type SchemaCache } from "@touchstone/core/advanced";
import { LEVELS, type Level } from "../announcement.ts";
import type { RequestedCall } from "../request.ts";
import { judgeArguments } from "../schema-level.ts";
import { errorFindings, type Findings, type LevelNotRun } from "../validation-result.ts";
import type { Settings } from "./options.ts";
import { type CheckedCall, runCheck } from "./run-check.ts";
import type { ListedTool } from "./tool-list.ts";

/** What is needed to check a call. */
export interface JudgeContext {
  readonly settings: Settings;
  readonly schemas: SchemaCache;
  readonly tools: ReadonlyMap<string, ListedTool>;
  /** The name of the validation tool. */
  readonly method: string;
  readonly request: unknown;
  readonly signal: AbortSignal | undefined;
}

/** Known levels in their order, then the others. */
function inOrder(entries: ReadonlyMap<string, LevelNotRun>): readonly LevelNotRun[] {
  const known = LEVELS.flatMap((level) => entries.get(level) ?? []);
  return [...known, ...[...entries.values()].filter((entry) => !known.includes(entry))];
}

function merge(parts: readonly Findings[]): Findings {
  const more = parts.reduce((sum, part) => sum + (part.more ?? 0), 0);
  const levels = new Map<string, LevelNotRun>();
  for (const entry of parts.flatMap(({ levelsNotRun }) => levelsNotRun)) {
    levels.set(entry.level, entry);
  }
  return {
    issues: parts.flatMap(({ issues }) => issues),
    suggestions: parts.flatMap(({ suggestions }) => suggestions),
    levelsNotRun: inOrder(levels),
    more,
  };
}

/** Requested levels that are not supported, and supported ones that were not requested. */
function leftOut(requested: readonly string[] | undefined, { served }: Settings): LevelNotRun[] {
  const out: LevelNotRun[] = [];
  for (const level of LEVELS) {
    if (level === "syntax") continue;
    if (!served.has(level)) out.push({ level, reason: "not_served" });
    else if (!(requested?.includes(level) ?? true)) out.push({ level, reason: "not_requested" });
  }
  for (const level of new Set(requested)) {
    if (!LEVELS.some((known) => known === level)) out.push({ level, reason: "not_served" });
  }
  return out;
}

async function runLevel(level: Level, call: CheckedCall, settings: Settings): Promise<Findings> {
  const checks = [
    ...(settings.everywhere.get(level) ?? []),
    ...(settings.checks.get(call.tool)?.get(level) ?? []),
  ];
  return merge(await Promise.all(checks.map((check) => runCheck(check, level, call, settings))));
}

const hasErrors = (findings: Findings): boolean =>
  findings.issues.some(({ severity }) => severity === "error");

/**
 * Checks one call: the schema, then the author's checks of the form, then the deeper levels in parallel, which run
 * only for arguments of the right form. Never rejects, and never runs the tool.
 */
export async function judgeCall(call: RequestedCall, context: JudgeContext): Promise<Findings> {
  const { settings, tools, method, schemas } = context;
  if (call.tool === method) {
    return errorFindings(
      `${method} is the tool that validates; it cannot validate itself`,
      "protocol",
    );
  }
  const tool = tools.get(call.tool);
  if (tool === undefined) return errorFindings(`Tool not found: ${call.tool}`, "protocol");
  const schema: CompiledSchema = schemas.get({ value: tool.inputSchema });
  const form = judgeArguments(schema, call.arguments, settings.limits);
  const out = leftOut(call.levels, settings);
  const wanted = LEVELS.filter(
    (level) => level !== "syntax" && !out.some((entry) => entry.level === level),
  );
  const end = (parts: readonly Findings[], levelsNotRun: readonly LevelNotRun[]): Findings => {
    const found = merge([...parts, { issues: [], suggestions: [], levelsNotRun }]);
    const { outputSchema } = tool;
    return outputSchema === undefined ? found : { ...found, outputSchema };
  };
  const failed = wanted.map((level) => ({ level, reason: "syntax_failed" as const }));
  if (hasErrors(form) || !isObject(call.arguments)) return end([form], [...out, ...failed]);
  const checked: CheckedCall = {
    tool: call.tool,
    arguments: call.arguments,
    request: context.request,
    signal: context.signal,
  };
  const syntax = await runLevel("syntax", checked, settings);
  if (hasErrors(syntax)) return end([form, syntax], [...out, ...failed]);
  const deeper = await Promise.all(wanted.map((level) => runLevel(level, checked, settings)));
  return end([form, syntax, ...deeper], out);
}
