import { writeFileSync } from "node:fs";
import { parseJson } from "@touchstone/core/advanced";
import { ConfigError, parseConfig } from "@touchstone/gateway/config";
import { plural } from "@touchstone/util/plural";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../../io/exit.ts";
import { readFile } from "../../io/read-file.ts";
import { writeError } from "../../io/write-error.ts";
import type { CliIo } from "../../terminal/cli-io.ts";
import { safeText } from "../../terminal/safe-text.ts";
import { terminalJson } from "../../terminal/serialise.ts";
import { importMcpproxy } from "./mcpproxy.ts";
import { isJsonObject, type Json } from "./note.ts";

/** Largest file to read, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface ImportOptions {
  /** The file to write; `-` or absent means stdout. */
  readonly out?: string;
}

/**
 * Converts an mcpproxy configuration to the contents of `touchstone.json`, and reports on stderr what was dropped or
 * changed.
 * @throws CliExit 1 if the result must be corrected by hand, 2 if the file is not an mcpproxy configuration, 3 if a
 *   file cannot be read or written
 */
export function runConfigImport(file: string, options: ImportOptions, io: CliIo): void {
  const out = options.out === "-" ? undefined : options.out;
  const { config, notes, variables } = importMcpproxy(read(file));
  const text = terminalJson(config, "lines");
  if (out === undefined) io.stdout.write(text);
  else write(out, text);
  const servers = isJsonObject(config["mcpServers"]) ? Object.keys(config["mcpServers"]).length : 0;
  io.stderr.write(`touchstone: imported ${plural(servers, "server")}; skipped or changed:\n`);
  for (const { path, reason } of notes)
    io.stderr.write(`  ${safeText(path)}: ${safeText(reason)}\n`);
  if (notes.length === 0) io.stderr.write("  nothing\n");
  const faults = faultsOf(text, variables, out ?? "the result");
  if (faults !== "") throw new CliExit(EXIT_FINDINGS, `fix this before you use it:\n${faults}`);
}

/** Returns the faults that Touchstone would find in the result. Its variables need not be set yet. */
function faultsOf(text: string, variables: ReadonlySet<string>, file: string): string {
  const env = Object.fromEntries([...variables].map((name) => [name, "set"]));
  try {
    parseConfig(text, { file, env });
    return "";
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

function read(file: string): Exclude<Parameters<typeof importMcpproxy>[0], undefined> {
  const parsed = parseJson(readFile(file, MAX_BYTES), { maxDepth: 100 });
  if (!parsed.ok) {
    throw new CliExit(EXIT_USAGE, `${file}: not JSON: ${parsed.message}`);
  }
  const value = parsed.value as Json;
  if (!isJsonObject(value) || value["mcpServers"] === undefined) {
    const wanted = "an object with mcpServers, as mcpproxy keeps it in ~/.mcpproxy/mcp_config.json";
    throw new CliExit(EXIT_USAGE, `${file}: no configuration of mcpproxy's: it must be ${wanted}`);
  }
  return value;
}

/** Writes a new file, readable only by its owner because it may hold secrets. Never overwrites. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw writeError(file, error);
  }
}
