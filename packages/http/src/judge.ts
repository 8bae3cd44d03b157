import {
  type Check,
  type CheckLater,
  type Issue,
  messageOf,
  type PathStyle,
  READ_NOW,
  type RepairedText,
  type RepairKind,
  repairText,
  SchemaCache,
} from "@touchstone/core";
import type { Settings } from "./options.ts";
import type { Tool } from "./tool.ts";

/** A check, and what is odd in the schema itself. */
export interface Judgement extends Check {
  readonly schemaWarnings: readonly Issue[];
  /** Repairs the text that was judged; undefined if that does not make it valid. Absent if no schema was applied. */
  readonly repair?: (kinds: readonly RepairKind[]) => RepairedText | undefined;
}

/** Judges a JSON text by a tool's input schema. Never rejects. */
export type Judge = (
  tool: Pick<Tool, "name" | "inputSchema" | "texts">,
  text: Uint8Array,
  maxIssues?: number,
) => Promise<Judgement>;

/** Limits of a {@link Judge}. */
export interface JudgeOptions {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxIssues: number;
  readonly paths: PathStyle;
}

/** What could not be checked now. */
function refused(error: unknown): Check {
  const message = `the check was not made: ${messageOf(error)}; try again`;
  const issue: Issue = { path: "", message, rule: "budget", keyword: "budget" };
  const none = { warnings: [], suggestions: [] };
  return { valid: false, outcome: "unknown", errors: [issue], ...none, counts: { budget: 1 } };
}

/**
 * A check that a repair makes again: this one may be cut at fewer issues, and its paths may be the engine's own.
 */
function withoutSources(check: Check): Check {
  return { ...check, errors: check.errors.map((issue) => ({ ...issue })) };
}

/**
 * A judge with a cache of its own. Schemas are compiled once for each content, whichever object
 * they come in, since hosts may build their tools again for every request.
 * @param later makes checks of more than a few milliseconds; without it, they hold up the event loop
 */
export function createJudge(
  { maxBytes, maxDepth, maxIssues, paths }: JudgeOptions,
  later?: CheckLater,
): Judge {
  const schemas = new SchemaCache(later === undefined ? {} : { readNow: READ_NOW });
  return async ({ inputSchema, texts }, text, most = maxIssues) => {
    const written = (inputSchema ?? undefined) === undefined ? undefined : texts?.inputSchema;
    const schema = typeof written === "string" ? { text: written } : { value: inputSchema };
    const compiled = schemas.get(schema);
    const options = { maxBytes, maxDepth, maxIssues: most, paths };
    const check =
      later === undefined
        ? compiled.check(text, options)
        : await Promise.resolve(compiled.checkLater(text, later, options)).catch(refused);
    return {
      ...check,
      get schemaWarnings() {
        return compiled.warnings;
      },
      repair: (kinds) =>
        repairText({
          schema: compiled,
          declared: inputSchema,
          bytes: text,
          check: withoutSources(check),
          repair: kinds,
          limits: { maxBytes, maxDepth },
        }),
    };
  };
}

/** Returns a judge that also finds what the host forbids. What is forbidden is not repaired. */
export function withForbidden(judge: Judge, { forbidden }: Pick<Settings, "forbidden">): Judge {
  if (forbidden === undefined) return judge;
  return async (tool, text, most) => {
    const judgement = await judge(tool, text, most);
    const found = forbidden(tool, text);
    if (found.length === 0) return judgement;
    const { repair: _, outcome, ...rest } = judgement;
    return {
      ...rest,
      valid: false,
      outcome: judgement.valid ? "violation" : outcome,
      errors: [...judgement.errors, ...found],
      counts: { ...judgement.counts, policy: found.length },
    };
  };
}
