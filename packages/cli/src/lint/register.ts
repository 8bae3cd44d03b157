import type { ProviderName } from "@touchstone/protocol/advanced";
import { type Command, InvalidArgumentError } from "commander";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import {
  addCommonOptions,
  addHeaderOptions,
  parseReportFile,
  parseSeconds,
} from "../options/common-options.ts";
import { addFindingOptions, addReports } from "../options/output-option.ts";
import { RepeatableOption } from "../options/repeated-options.ts";
import { serverOnlyFlags } from "../tools/typed-for-server.ts";
import type { LintCommandOptions } from "./run-lint.ts";

const EXAMPLES = `
Examples:
  $ touchstone lint tools-list.json
  $ touchstone lint --for openai,anthropic,bedrock,gemini,vscode -- npx -y @modelcontextprotocol/server-everything
  $ touchstone lint --for gemini-openapi tools-list.json --rewrite tools-for-gemini.json
  $ touchstone lint --for openai-strict https://example.com/mcp -o sarif > lint.sarif

Exit status: 0 clean; 1 findings of the level of --fail-on or above; 2 wrong usage, or no tools in
the file; 3 the server does not answer, or a file cannot be read or written.`;

/** Listed here because importing them would make every command load the package of these checks. */
export const PROVIDERS: readonly ProviderName[] = Object.keys({
  openai: true,
  "openai-strict": true,
  anthropic: true,
  bedrock: true,
  nova: true,
  gemini: true,
  "gemini-openapi": true,
  moonshot: true,
  "llama-cpp": true,
  vscode: true,
} satisfies Record<ProviderName, true>) as ProviderName[];

interface Named {
  readonly for?: readonly ProviderName[];
}

function providers(text: string, before: readonly ProviderName[] = []): readonly ProviderName[] {
  const named = text.split(",").map((word) => word.trim());
  const known: readonly string[] = PROVIDERS;
  const unknown = named.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`"${unknown}" is none of ${PROVIDERS.join(", ")}.`);
  }
  return PROVIDERS.filter((name) => before.includes(name) || named.includes(name));
}

/** Adds `touchstone lint`. Its modules are loaded only when it runs. */
export function registerLint(
  program: Command,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): void {
  const command = program
    .command("lint")
    .summary("report what model providers and clients will refuse in a server's tools")
    .description(
      "Connects to a server, or reads a captured tools/list, and lists what each provider refuses " +
        "in the tools: one such tool makes whole conversations fail. --rewrite changes the tools " +
        "if they still accept the same calls. Findings of touchstone check are repeated only if no " +
        "provider accepts the tool.",
    )
    .usage("[options] <server or file>\n       touchstone lint [options] -- <command> [args...]")
    .argument("<server or file...>")
    .addOption(
      new RepeatableOption(
        "--for <providers>",
        `which ones, comma-separated (default: all): ${PROVIDERS.join(", ")}`,
      ).argParser(providers),
    )
    .option(
      "--rewrite <file>",
      "write the tools as a tools/list result that these providers accept",
      parseReportFile,
    )
    .option("--prefix <text>", "the prefix that the client adds to names, such as mcp__github__")
    .option("--servers <file>", "use the servers in a client's file")
    .option("--timeout <seconds>", "for each response of the server", parseSeconds, 30)
    .addHelpText("after", EXAMPLES);
  addReports(addFindingOptions(command, "error"));
  addCommonOptions(addHeaderOptions(command)).action(
    async (words: readonly string[], given: Omit<LintCommandOptions, "for"> & Named) => {
      if (given.rewrite !== undefined && given.for === undefined) {
        const text = "--rewrite needs --for: name the providers that must accept the tools";
        throw new CliExit(EXIT_USAGE, text);
      }
      const options = { ...given, for: given.for ?? PROVIDERS };
      const { runLint } = await import("./run-lint.ts");
      await runLint(words, { ...options, forServer: serverOnlyFlags(command) }, io);
    },
  );
}
