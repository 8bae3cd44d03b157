import type { Readable } from "node:stream";
import {
  type CompiledSchema,
  compileDeclared,
  isObject,
  isTool,
  SCHEMA_LIMITS,
  withoutByteOrderMark,
} from "@touchstone/core/advanced";
import { duplicateKeys } from "../findings/duplicate-keys.ts";
import { remarkLines } from "../findings/text-remarks.ts";
import { CliExit, EXIT_FAILED } from "../io/exit.ts";
import { readWhole } from "../io/input-pieces.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { ValidateOptions } from "./options.ts";

/** A usable schema with warnings about its texts, one line each. */
export interface LoadedSchema {
  /** As its author wrote it, with numbers as doubles. */
  readonly declared: unknown;
  readonly schema: CompiledSchema;
  readonly warnings: readonly string[];
}

/**
 * Reads and compiles the schema given by the options.
 * @throws CliExit 3 if the schema or an additional document cannot be read or used, or if it is `tools/list` output
 *   rather than a schema
 */
export async function loadSchema(options: ValidateOptions, stdin: Readable): Promise<LoadedSchema> {
  const { schema: name, dialect } = options;
  const documents = new Map<string, Uint8Array>();
  for (const [uri, file] of options.document) {
    documents.set(uri, await readSchema(file, stdin));
  }
  const text = await readSchema(name, stdin);
  const schema = compileDeclared(
    { text },
    { documents, messages: "plain", ...(dialect === undefined ? {} : { dialect }) },
  );
  const { error: fault } = schema;
  if (fault === undefined) {
    refuseTools(name, text);
    const beside = [...options.document].flatMap(([uri, file]) => {
      const bytes = documents.get(uri) as Uint8Array;
      return remarkLines(file, bytes, duplicateKeys(bytes));
    });
    const own = remarkLines(name, text, [...schema.warnings, ...duplicateKeys(text)]);
    return { schema, declared: JSON.parse(text.toString()), warnings: [...own, ...beside] };
  }
  const faults = (fault.details ?? [fault]).map((one) => ({ ...one, rule: "schema" as const }));
  const lines = remarkLines(name, text, faults);
  throw new CliExit(EXIT_FAILED, `the schema cannot be used:\n  ${lines.join("\n  ")}`);
}

/** `tools/list` output contains no JSON Schema keywords, so it would accept everything as a schema. */
function refuseTools(name: string, text: Buffer): void {
  const value: unknown = JSON.parse(text.toString());
  const tools = isObject(value) ? value["tools"] : undefined;
  if (isTool(value)) {
    const what = `${safeText(name)} is a tool of tools/list, not a schema; pass its inputSchema`;
    throw new CliExit(EXIT_FAILED, what);
  }
  if (Array.isArray(tools) && tools.some(isTool)) {
    const what = `${safeText(name)} is a list of tools, not a schema; pass the inputSchema of one`;
    throw new CliExit(EXIT_FAILED, `${what} (touchstone check is for lists)`);
  }
}

async function readSchema(name: string, stdin: Readable): Promise<Buffer> {
  return withoutByteOrderMark(await readWhole(name, SCHEMA_LIMITS.maxBytes, stdin));
}
