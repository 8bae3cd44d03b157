import { Argument, type Command } from "commander";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { addCommonOptions, type ServeOptions } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import type { ImportOptions } from "./import/run-import.ts";

const EXAMPLES = `
Examples:
  $ touchstone config check touchstone.json
  $ touchstone config show touchstone.json -o yaml
  $ touchstone config schema > touchstone.schema.json
  $ touchstone config import ~/.mcpproxy/mcp_config.json --out touchstone.json

Exit status: 0 valid; 1 an import has to be fixed by hand; 2 wrong usage, or a
configuration that has errors or cannot be read; 3 the file to import cannot be read, or the result
not be written.`;

const CHECK_EXAMPLES = `
Examples:
  $ touchstone config check touchstone.json
  $ touchstone config check --servers ~/.cursor/mcp.json

Entries of a client's file that cannot be served are listed as skipped: serve starts without them.

No server is started: touchstone doctor does that.

Exit status: 0 no error, so serve can start with it; 2 wrong usage, or the configuration has errors or
cannot be read.`;

const SHOW_EXAMPLES = `
Examples:
  $ touchstone config show touchstone.json
  $ touchstone config show --servers ~/.cursor/mcp.json -o yaml

Exit status: 0 done; 2 wrong usage, or the configuration has errors or cannot be read.`;

const SCHEMA_EXAMPLES = `
Examples:
  $ touchstone config schema > touchstone.schema.json
  $ touchstone config schema touchstone.lock > touchstone.lock.schema.json

Exit status: 0 done; 2 wrong usage; 3 the schema cannot be written.`;

const IMPORT_EXAMPLES = `
Examples:
  $ touchstone config import ~/.mcpproxy/mcp_config.json
  $ touchstone config import ~/.mcpproxy/mcp_config.json --out touchstone.json

Exit status: 0 done; 1 the result has to be fixed by hand; 2 wrong usage, or the file is
not a configuration of mcpproxy's; 3 it cannot be read, or the result not be written.`;

const FILE = ["[file]", "the configuration, as with --config"] as const;
const SERVERS = ["--servers <file>", "use the servers in a client's file"] as const;

/** @throws CliExit if the file is given as an argument and as an option */
function named<T extends ServeOptions>(file: string | undefined, options: T): T {
  if (file === undefined) return options;
  if (options.config === undefined) return { ...options, config: file };
  throw new CliExit(EXIT_USAGE, "the configuration is named twice: as FILE, and with --config");
}

interface ShowOptions extends ServeOptions {
  readonly output: "json" | "yaml";
}

/** Adds `touchstone config check`, `show`, `schema` and `import`. Their modules are loaded only when they run. */
export function registerConfig(program: Command, io: CliIo): void {
  const config = program
    .command("config")
    .summary("check, show or import configuration files")
    .description("Check, show or import configuration files")
    .addHelpText("after", EXAMPLES);
  addCommonOptions(
    config
      .command("check")
      .description("Report every error of a configuration, with line and column")
      .addHelpText("after", CHECK_EXAMPLES)
      .argument(...FILE)
      .option(...SERVERS),
  ).action(async (file: string | undefined, options: ServeOptions) => {
    const { runConfigCheck } = await import("./check.ts");
    await runConfigCheck(named(file, options), io);
  });
  addCommonOptions(
    addOutput(
      config
        .command("show")
        .description("Show the settings of each server, with defaults filled in and no secrets")
        .addHelpText("after", SHOW_EXAMPLES)
        .argument(...FILE)
        .option(...SERVERS),
      ["json", "yaml"],
    ),
  ).action(async (file: string | undefined, options: ShowOptions) => {
    const { runConfigShow } = await import("./show.ts");
    runConfigShow(named(file, options), io);
  });
  addCommonOptions(
    config
      .command("schema")
      .description("Print the JSON Schema of touchstone.json, or of touchstone.lock, for editors")
      .addArgument(
        new Argument("[format]", "which file's format")
          .choices(["touchstone.json", "touchstone.lock"])
          .default("touchstone.json"),
      )
      .addHelpText("after", SCHEMA_EXAMPLES),
  ).action(async (format: string) => {
    if (format === "touchstone.lock") {
      const { LOCK_SCHEMA } = await import("@touchstone/protocol/lock");
      io.stdout.write(`${JSON.stringify(LOCK_SCHEMA, null, 2)}\n`);
      return;
    }
    const { configJsonSchema } = await import("@touchstone/gateway/config");
    io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  });
  addCommonOptions(
    config
      .command("import")
      .summary("print a touchstone.json made of mcpproxy's configuration")
      .description(
        "Print a touchstone.json with the servers and settings of mcpproxy's configuration, and " +
          "report what has no counterpart",
      )
      .argument("<file>", "mcpproxy's configuration, such as ~/.mcpproxy/mcp_config.json")
      .option("--out <file>", "output file, which must not exist yet (default: stdout)")
      .addHelpText("after", IMPORT_EXAMPLES),
  ).action(async (file: string, options: ImportOptions) => {
    const { runConfigImport } = await import("./import/run-import.ts");
    runConfigImport(file, options, io);
  });
}
