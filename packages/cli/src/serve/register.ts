import { type Command, InvalidArgumentError } from "commander";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import {
  addCheckingOptions,
  addCommonOptions,
  addLogFormat,
  parseReportFile,
  type ServeOptions,
} from "../options/common-options.ts";

const EXAMPLES = `
Examples:
  $ touchstone serve --config touchstone.json
  $ touchstone serve --config touchstone.json --listen 127.0.0.1:8080 --mode strict
  $ touchstone serve --servers ~/.cursor/mcp.json

A signal ends it after pending requests have their responses, or after 30 s; a second signal ends it at once.

Exit status: 0 stopped by a signal; 2 wrong usage or configuration; 3 the address could not be
listened on, the records could not be written, or its own files were removed or replaced.`;

/** Adds `touchstone serve`. Its modules are loaded only when it runs. */
export function registerServe(program: Command, io: ProcessIo): void {
  const command = program
    .command("serve")
    .summary("serve MCP servers over HTTP, with every tool call checked")
    .description(
      "Serves each server of the configuration at /mcp/{server} over Streamable HTTP, checks tool " +
        "calls on their way and records them. The console is at /; modes that you change in it are " +
        "written into the file of --config, if your key has the role admin. touchstone ui signs you in.",
    )
    .option("--servers <file>", "use the servers in a client's file (Claude, Cursor, VS Code …)")
    .option("--listen <host:port>", "where to listen (default 127.0.0.1:7411)")
    .option("--port <port>", "the same with 127.0.0.1", port)
    .option("--name <name>", "serve only the server of this name")
    .option(
      "--capture <file>",
      "append frames to this file, with known secrets redacted, for replay",
      parseReportFile,
    )
    .addHelpText("after", EXAMPLES);
  addLogFormat(addCommonOptions(addCheckingOptions(command))).action(
    async ({ port, ...options }: ServeOptions & { readonly port?: number }) => {
      if (port !== undefined && options.listen !== undefined) {
        throw new CliExit(EXIT_USAGE, "--port and --listen both name a port; give one of them");
      }
      const { runServe } = await import("./run-serve.ts");
      const listen = port === undefined ? {} : { listen: `127.0.0.1:${port}` };
      await runServe({ ...options, ...listen }, io);
    },
  );
}

/** Reads a port. */
function port(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) {
    throw new InvalidArgumentError("It must be a port from 0 to 65535; --listen takes HOST:PORT.");
  }
  return value;
}
