import type { Readable } from "node:stream";
import {
  type CompiledSchema,
  compileSchema,
  locatePointers,
  positionsOf,
  quotePointer,
  SCHEMA_LIMITS,
  type SchemaFault,
  scanJson,
} from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import { CliExit, EXIT_FAILED } from "../exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { readWhole } from "./files.ts";
import type { ValidateOptions } from "./options.ts";
import { PatientDeadline } from "./patience.ts";

function faultLines(name: string, bytes: Uint8Array, fault: SchemaFault): readonly string[] {
  const faults = fault.details ?? [fault];
  const { error } = scanJson(bytes);
  const places =
    error === undefined
      ? locatePointers(bytes, new Set(faults.map(({ path }) => path)))
      : undefined;
  const offsetOf = ({ path }: SchemaFault): number =>
    error?.offset ?? places?.get(path)?.value.start ?? 0;
  const positions = positionsOf(bytes, faults.map(offsetOf));
  return faults.map((one) => {
    const { line, column } = positions.get(offsetOf(one)) ?? { line: 1, column: 1 };
    return `${safeText(name)}:${line}:${column} ${quotePointer(one.path)} ${safeText(one.message)}`;
  });
}

/**
 * Reads and compiles the schema of the options.
 * @throws CliExit 3 where it, or a document beside it, cannot be read or used
 */
export async function loadSchema(
  options: ValidateOptions,
  stdin: Readable,
): Promise<CompiledSchema> {
  const { schema: name, dialect } = options;
  const documents = new Map<string, Uint8Array>();
  for (const [uri, file] of options.document) {
    documents.set(uri, await readWhole(file, SCHEMA_LIMITS.maxBytes, stdin));
  }
  const text = await readWhole(name, SCHEMA_LIMITS.maxBytes, stdin);
  const deadline = new PatientDeadline(nodeDeadline);
  const schema = compileSchema(
    { text },
    { deadline, documents, ...(dialect === undefined ? {} : { dialect }) },
  );
  const { fault } = schema;
  deadline.settle();
  if (fault === undefined) return schema;
  if (fault.code === "too_slow") {
    const what = `the schema ${safeText(name)} takes too long to read; split it into smaller ones`;
    throw new CliExit(EXIT_FAILED, what);
  }
  const lines = faultLines(name, text, fault);
  throw new CliExit(EXIT_FAILED, `the schema cannot be used:\n  ${lines.join("\n  ")}`);
}
