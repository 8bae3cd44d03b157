import { type Command, Option } from "commander";
import { addCommonOptions, type ServeOptions } from "../common-options.ts";
import type { CliIo } from "../io.ts";
import type { ImportOptions } from "./import/run-import.ts";

const EXAMPLES = `
Examples:
  $ touchstone config check --config touchstone.json
  $ touchstone config show --config touchstone.json --format yaml
  $ touchstone config schema > touchstone.schema.json
  $ touchstone config import ~/.mcpproxy/mcp_config.json --out touchstone.json

Exit status: 0 nothing wrong; 1 an import has to be mended by hand; 2 wrong usage, or a
configuration that has faults or cannot be read; 3 the file to import cannot be read, or the result
not be written.`;

const SERVERS = ["--servers <file>", "take the servers of a client's file"] as const;

/** Adds `touchstone config check`, `show`, `schema` and `import`. What they need is loaded when they run. */
export function registerConfig(program: Command, io: CliIo): void {
  const config = program
    .command("config")
    .summary("look into configuration files")
    .description("Look into configuration files")
    .addHelpText("after", EXAMPLES);
  addCommonOptions(
    config
      .command("check")
      .description("Tell every fault of a configuration, with line and column")
      .option(...SERVERS),
  ).action(async (options: ServeOptions) => {
    const { runConfigCheck } = await import("./check.ts");
    runConfigCheck(options, io);
  });
  addCommonOptions(
    config
      .command("show")
      .description("Show what holds for each server, with defaults filled in and no secrets")
      .option(...SERVERS)
      .addOption(
        new Option("-f, --format <format>", "json or yaml")
          .choices(["json", "yaml"])
          .default("json"),
      ),
  ).action(async (options: ServeOptions & { readonly format: "json" | "yaml" }) => {
    const { runConfigShow } = await import("./show.ts");
    runConfigShow(options, io);
  });
  config
    .command("schema")
    .description("Print the JSON Schema of touchstone.json, for editors")
    .action(async () => {
      const { configJsonSchema } = await import("@touchstone/gateway/config");
      io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
  config
    .command("import")
    .description(
      "Print a touchstone.json with the servers and settings of mcpproxy's configuration, and tell " +
        "what has no counterpart. Exit status 1 where the result has to be mended.",
    )
    .argument("<file>", "mcpproxy's configuration, such as ~/.mcpproxy/mcp_config.json")
    .option("--out <file>", "write to this file, which must not be there yet")
    .action(async (file: string, options: ImportOptions) => {
      const { runConfigImport } = await import("./import/run-import.ts");
      runConfigImport(file, options, io);
    });
}
