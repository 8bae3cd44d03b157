import { type Command, Option } from "commander";
import { addCommonOptions, type ServeOptions } from "../common-options.ts";
import type { CliIo } from "../io.ts";

const EXAMPLES = `
Examples:
  $ touchstone config check --config touchstone.json
  $ touchstone config show --config touchstone.json --format yaml
  $ touchstone config schema > touchstone.schema.json

Exit status: 0 nothing wrong; 2 wrong usage, or a configuration with faults.`;

const SERVERS = ["--servers <file>", "take the servers of a client's file"] as const;

/** Adds `touchstone config check`, `show` and `schema`. What they need is loaded when they run. */
export function registerConfig(program: Command, io: CliIo): void {
  const config = program
    .command("config")
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
}
