import { writeFileSync } from "node:fs";
import { lintFor, type ProviderName, rewriteSchema } from "@touchstone/protocol/lint";
import { nameOf } from "../check/run-check.ts";
import type { CliIo } from "../io.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";
import { toJson } from "../terminal/serialise.ts";
import { writeError } from "../write-error.ts";

interface Schema {
  readonly [keyword: string]: unknown;
}

function schemaOf(tool: unknown): Schema | undefined {
  if (typeof tool !== "object" || tool === null || !("inputSchema" in tool)) return undefined;
  const { inputSchema } = tool;
  const isSchema = typeof inputSchema === "object" && inputSchema !== null;
  return isSchema && !Array.isArray(inputSchema) ? (inputSchema as Schema) : undefined;
}

/**
 * Writes the tools as a `tools/list` result whose input schemas accept the same arguments and are
 * refused by fewer of the providers, and tells on stderr what was done and what is left.
 * @throws CliExit 3 where the file is there already, or cannot be written
 */
export function rewriteTools(
  tools: readonly unknown[],
  file: string,
  providers: readonly ProviderName[],
  io: CliIo,
): void {
  const said: string[] = [];
  let judged = 0;
  let accepted = 0;
  const rewritten = tools.map((tool, index) => {
    const schema = schemaOf(tool);
    if (schema === undefined) return tool;
    const made = rewriteSchema(schema, providers);
    judged += made.samples.judged;
    accepted += made.samples.accepted;
    const name = safeText(nameOf(tool, index));
    for (const change of made.changes) said.push(`  ${name}: ${change}`);
    for (const { step, value } of made.refused) {
      const shown = safeText(JSON.stringify(value)?.slice(0, 200) ?? "");
      said.push(`  ${name}: ${step} was not done: it would change the verdict on ${shown}`);
    }
    return { ...(tool as object), inputSchema: made.schema };
  });
  const left = lintFor(rewritten, providers).filter(({ severity }) => severity === "error");
  try {
    writeFileSync(file, toJson({ tools: rewritten }, "lines"), { flag: "wx" });
  } catch (error) {
    throw writeError(file, error);
  }
  for (const line of said) io.stderr.write(`${line}\n`);
  const tried = `tried on ${judged} sampled values, of which ${accepted} were accepted, with the same verdicts`;
  io.stderr.write(
    `touchstone: wrote ${safeText(file)}; ${said.length === 0 ? "nothing to change" : tried}\n`,
  );
  if (left.length === 0) return;
  const concerned = new Set(left.map(({ tool }) => tool)).size;
  const errors = counted(left.length, "error");
  const verb = left.length === 1 ? "is" : "are";
  const where = counted(concerned, "tool");
  io.stderr.write(
    `touchstone: ${errors} in ${where} ${verb} left: no other schema is known that accepts just the same\n`,
  );
}
