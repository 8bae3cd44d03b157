import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseConfig } from "@touchstone/gateway/config";
import type { LogLevel } from "@touchstone/gateway/log";
import { type Gateway, startGateway } from "@touchstone/gateway/serve";
import { parse } from "jsonc-parser";
import { commandLog } from "../gateway/command-log.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../io/exit.ts";
import { openBrowser } from "../io/open-browser.ts";
import { type ProcessIo, stopSignals } from "../io/process-io.ts";
import { ownProgram, typedCommand } from "../own-package.ts";
import { wantsColour } from "../terminal/capable.ts";
import { makeDemoCalls } from "./agent.ts";
import { MAX_RESULT_BYTES } from "./calls.ts";
import { type DemoPlaces, demoIntroduction, demoResults, placesText } from "./text.ts";

/** The options of `touchstone demo`. */
export interface DemoOptions {
  /** A directory in which to keep the records. */
  readonly keep?: string;
  readonly listen?: string;
  readonly open: boolean;
  readonly once?: boolean;
  /** A client's file with more servers. */
  readonly servers?: string;
  readonly logLevel?: LogLevel;
}

type DemoIo = ProcessIo & { readonly version: string };

/** How long calls from the console may take when the demo is stopped, in milliseconds. */
const DRAIN_MS = 1_000;

/**
 * Runs the demo until a signal is received, stdout is closed, or, with `once`, until the calls are made. Leaves no
 * files behind unless a directory is given.
 * @throws CliExit 2 if the directory to keep is not empty, 3 if the gateway cannot start
 */
export async function runDemo(options: DemoOptions, io: DemoIo): Promise<void> {
  const kept = options.keep === undefined ? undefined : newDirectory(options.keep);
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), "touchstone-demo-"));
  const { stop, hurry } = stopSignals(io);
  const ends = new AbortController();
  // If stdout is closed, nobody sees the demo anymore.
  io.stdoutStream.once("error", () => ends.abort());
  try {
    const over = AbortSignal.any([stop, ends.signal]);
    await show({ options, io, dataDir, over, hurry });
  } finally {
    if (kept === undefined) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
  const command = typedCommand(io.env);
  if (kept !== undefined) {
    io.stdout.write(`\nThe records are in ${kept}. See them: ${command} ui --data-dir ${kept}\n`);
  } else if (options.once !== true) {
    io.stdout.write(`\nThe demo's records are removed. To keep them: ${command} demo --keep DIR\n`);
  }
}

interface Demo {
  readonly options: DemoOptions;
  readonly io: DemoIo;
  readonly dataDir: string;
  /** Aborted when the demo should end. */
  readonly over: AbortSignal;
  readonly hurry: AbortSignal;
}

async function show({ options, io, dataDir, over, hurry }: Demo): Promise<void> {
  const told = commandLog({ logLevel: options.logLevel ?? "error" }, io);
  const file = join(dataDir, "touchstone.json");
  writeFileSync(file, configText(options), { mode: 0o600 });
  const env = io.env;
  const load = (text: string) => parseConfig(text, { file, env });
  const gateway = await startGateway({
    config: load(readFileSync(file, "utf8")),
    dataDir,
    env,
    hurry,
    // Startup messages of published servers are not part of the demo.
    stderr: (server, line) => {
      if (options.logLevel !== undefined) told.stderr(server, line);
    },
    log: told.log,
    source: { file, load },
  });
  try {
    await tell(gateway, { options, io, dataDir, over, hurry });
  } finally {
    await gateway.close({ graceMs: DRAIN_MS, hurry });
  }
}

/** Makes the calls, and shows their results. */
async function tell(gateway: Gateway, { options, io, dataDir, over }: Demo): Promise<void> {
  const { stdout, env } = io;
  const colour = wantsColour(io);
  stdout.write(demoIntroduction(colour));
  const begun = performance.now();
  const calls = await makeDemoCalls(gateway, io, over).catch((error: unknown) => {
    if (over.aborted) return undefined;
    throw new CliExit(EXIT_FAILED, `the demo's calls failed: ${String(error)}`);
  });
  if (calls === undefined) return;
  stdout.write(demoResults(calls, { milliseconds: performance.now() - begun, colour }));
  if (options.once === true) return;
  const page = `activity/${calls.blocked.record}`;
  const isOpened =
    options.open && stdout.isTTY === true && (await openBrowser(gateway.consoleLink(page), env));
  const places: DemoPlaces = {
    console: gateway.url,
    link: isOpened ? undefined : gateway.consoleLink(page),
    command: typedCommand(env),
    dataDir,
    isKept: options.keep !== undefined,
  };
  stdout.write(placesText(places, colour));
  if (!over.aborted) await once(over, "abort");
}

/** Returns the configuration as the text of a file, to which the console writes its changes. */
function configText({ listen = "127.0.0.1:0", servers }: DemoOptions): string {
  const program = (server: string): { readonly command: string; readonly args: string[] } => ({
    command: process.execPath,
    args: [join(dirname(ownProgram()), `../dist/demo-servers/${server}/server.mjs`)],
  });
  const config = {
    mcpServers: {
      notes: { ...program("notes-server"), touchstone: section("strict", "strict") },
      faulty: { ...program("faulty-server"), touchstone: section("strict", "warn") },
      ...(servers === undefined ? {} : serversOf(servers)),
    },
    output_validation: { max_bytes: MAX_RESULT_BYTES },
    activity: { bodies: true, drift: true },
    http: { allow_execute: true },
    listen: { address: listen },
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function section(input: string, output: string): object {
  return { input_validation: { mode: input }, output_validation: { mode: output } };
}

/** Returns the entries of another file, except servers with the names of the demo's own. */
function serversOf(file: string): object {
  const {
    faulty: _faulty,
    notes: _notes,
    ...others
  } = parse(readFileSync(file, "utf8")).mcpServers;
  return others;
}

/** @throws CliExit if the directory exists and is not empty */
function newDirectory(given: string): string {
  const directory = resolve(given);
  try {
    mkdirSync(directory, { recursive: true });
    if (readdirSync(directory).length === 0) return directory;
  } catch (error) {
    throw new CliExit(EXIT_USAGE, `--keep: ${(error as Error).message}`);
  }
  throw new CliExit(EXIT_USAGE, `--keep: ${directory} is not empty; name a new directory`);
}
