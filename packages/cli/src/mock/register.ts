import { type Command, InvalidArgumentError } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions, addLogFormat, parseReportFile } from "../options/common-options.ts";
import type { MockCommandOptions } from "./run-mock.ts";

const EXAMPLES = `
Examples:
  $ touchstone wrap --capture session.jsonl -- npx -y @modelcontextprotocol/server-everything
  $ touchstone mock session.jsonl
  $ touchstone mock --strict session.jsonl
  $ touchstone mock touchstone.lock
  $ touchstone mock session.jsonl touchstone.lock
  $ touchstone mock --listen 127.0.0.1:8080 session.jsonl
  $ touchstone mock --faults type:0.2,slow:2s session.jsonl

In a client's configuration, put the mock instead of the server's command:
  "everything": { "command": "touchstone", "args": ["mock", "/path/to/session.jsonl"] }

KIND is one of these, and RATE the share of tool calls (default 1)
  type, missing, extra, enum, format  in a value with an output schema
  duplicate-key, oversize, not-json   a key twice, 6 MB more, half a line
  error, disconnect                   an error, or the end of the connection
  slow:TIME                           a delay, such as slow:2s or slow:500ms:0.1
  drift:N                             after N calls, another list of tools

Exit status: 0 the client has left, or a signal came; 1 the tools differ from --lock; 2 wrong usage, or a file of another kind; 3 the file cannot be
read.`;

/** Adds `touchstone mock`. Its modules are loaded only when it runs. */
export function registerMock(program: Command, io: ProcessIo): void {
  const command = program
    .command("mock")
    .summary("serve what a server returned before, without the server")
    .description(
      "Serves over stdio, or HTTP with --listen, the responses in a file that wrap or serve --capture wrote: the same request gets the " +
        "recorded response, byte for byte but for the id. A tool call that is not recorded is checked by the tool's " +
        "schema and gets a generated result. From a lock file, or a tools/list result as JSON, lists are as they are " +
        "in the file, and everything else is generated.",
    )
    .argument(
      "<file...>",
      "a capture, a file of touchstone lock, or a tools/list result; or a capture and one of the others, for its lists",
    )
    .option("--server <name>", "the server, if the file has several")
    .option(
      "--listen <host:port>",
      "serve over HTTP at /mcp/{server} instead of stdio, for this machine",
    )
    .option("--strict", "return an error for a tool call that is not recorded")
    .option(
      "--faults <list>",
      "what to do wrong in responses to tool calls: KIND[:RATE],…, listed below",
    )
    .option("--lock <file>", "do not start if the tools differ from those in this lock file")
    .option(
      "--calls <file>",
      "append each tool call to this file, with its faults, one JSON object a line",
      parseReportFile,
    )
    .option(
      "--seed <n>",
      "for generated results and faults: the same seed, the same ones (default 0)",
      parseSeed,
    )
    .addHelpText("after", EXAMPLES);
  addLogFormat(addCommonOptions(command)).action(
    async (files: string[], options: MockCommandOptions) => {
      const { runMock } = await import("./run-mock.ts");
      await runMock(files, options, io);
    },
  );
}

const MAX_SEED = 4_294_967_295;

function parseSeed(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= MAX_SEED) return value;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${MAX_SEED}.`);
}
