import { writeFileSync } from "node:fs";
import { lintFor, type ProviderName, rewriteSchema } from "@touchstone/protocol/lint";
import { plural } from "@touchstone/util/plural";
import { writeError } from "../io/write-error.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { Progress } from "../terminal/progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type ListedTools, toolFindingName } from "../tools/list-tools.ts";
import {
  AmbiguousNumberError,
  clampToDoubles,
  markExactNumbers,
  writeExactJson,
} from "./exact-numbers.ts";

interface Schema {
  readonly [keyword: string]: unknown;
}

function schemaOf(tool: unknown): Schema | undefined {
  if (typeof tool !== "object" || tool === null || !("inputSchema" in tool)) return undefined;
  const { inputSchema } = tool;
  const isSchema = typeof inputSchema === "object" && inputSchema !== null;
  return isSchema && !Array.isArray(inputSchema) ? (inputSchema as Schema) : undefined;
}

interface Rewritten {
  readonly tool: unknown;
  /** The same tool with marks for numbers that JavaScript would write differently. */
  readonly marked: unknown;
}

/** Returns a tool with marked numbers, or a text that lists the ambiguous ones. */
function markedOr(tool: object, source: string): { readonly marked: unknown } | string {
  try {
    return { marked: markExactNumbers(tool, source) };
  } catch (error) {
    if (error instanceof AmbiguousNumberError) return error.message;
    throw error;
  }
}

/**
 * Writes the tools as a `tools/list` result whose input schemas accept the same arguments and are refused by fewer
 * providers. Reports on stderr what was changed and what remains. Numbers stay as they were written.
 * @throws CliExit 3 if the file already exists, or cannot be written
 */
export function rewriteTools(
  { tools, texts }: Pick<ListedTools, "texts" | "tools">,
  file: string,
  providers: readonly ProviderName[],
  io: CliIo,
): void {
  const said: string[] = [];
  let [proved, tried, judged, accepted] = [0, 0, 0, 0];
  const sources = texts();
  const progress = new Progress(io);
  const rewritten = tools.map((tool, index): Rewritten => {
    const source = sources[index] ?? JSON.stringify(tool);
    const schema = schemaOf(tool);
    if (schema === undefined) return { tool, marked: markExactNumbers(tool, source) };
    progress.at(() => `rewriting, ${index} of ${plural(tools.length, "tool")}`);
    const made = rewriteSchema(clampToDoubles(schema), providers);
    const name = safeText(toolFindingName(tool, index));
    const changed = { ...(tool as object), inputSchema: made.schema };
    const marked = markedOr(changed, source);
    if (typeof marked === "string") {
      said.push(
        `  ${name}: unchanged: JavaScript cannot tell these of its numbers apart: ${marked}`,
      );
      return { tool, marked: markExactNumbers(tool, source) };
    }
    const isProved = made.changes.every(({ evidence }) => evidence === "proof");
    const isChanged = made.changes.length > 0;
    proved += Number(isChanged && isProved);
    tried += Number(isChanged && !isProved);
    judged += made.samples.judged;
    accepted += made.samples.accepted;
    for (const { did } of made.changes) said.push(`  ${name}: ${did}`);
    for (const { step, value } of made.refused) {
      const shown = safeText(JSON.stringify(value)?.slice(0, 200) ?? "");
      said.push(`  ${name}: ${step} was not done: it would change the result for ${shown}`);
    }
    return { tool: changed, ...marked };
  });
  progress.clear();
  const left = lintFor(
    rewritten.map(({ tool }) => tool),
    providers,
  ).filter(({ severity }) => severity === "error");
  try {
    const marked = rewritten.map((each) => each.marked);
    writeFileSync(file, writeExactJson({ tools: marked }), { flag: "wx" });
  } catch (error) {
    throw writeError(file, error);
  }
  for (const line of said) io.stderr.write(`${line}\n`);
  const evidence = [
    proved === 0 ? "" : `${plural(proved, "schema")} proved to accept the same as before`,
    tried === 0
      ? ""
      : `${plural(tried, "schema")} not proved, but tried on ${judged} values (${accepted} accepted) with the same results`,
  ];
  const shown = evidence.filter((text) => text !== "").join("; ");
  io.stderr.write(
    `touchstone: wrote ${safeText(file)}; ${shown === "" ? "nothing was changed" : shown}\n`,
  );
  if (left.length === 0) return;
  const concerned = new Set(left.map(({ tool }) => tool)).size;
  const errors = plural(left.length, "error");
  const verb = left.length === 1 ? "is" : "are";
  const where = plural(concerned, "tool");
  io.stderr.write(
    `touchstone: ${errors} in ${where} ${verb} left: no other schema is known that accepts just the same\n`,
  );
}
