import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Mode } from "@touchstone/gateway";
import { configJsonSchema, parseConfig } from "@touchstone/gateway/config";
import { approve } from "../approve-config.ts";
import { userConfigFile } from "../default-config.ts";
import { CliExit, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import type { Place } from "../install/clients.ts";
import { typedCommand } from "../own-package.ts";
import type { ProcessIo } from "../process-io.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";
import { writeError } from "../write-error.ts";
import { findServers } from "./found-servers.ts";
import { type Ask, askOnTerminal, type Choices, type Offer } from "./questions.ts";

/** The options of `touchstone init`. */
export interface InitOptions {
  /** Ask nothing. */
  readonly yes?: boolean;
  /** Whether to write the user's file. */
  readonly user?: boolean;
  readonly mode?: Mode;
}

const SCHEMA = "touchstone.schema.json";
/** The first mode, which is the default, changes nothing for anyone. */
const MODES: readonly Mode[] = ["warn", "strict", "off"];

/**
 * Writes a configuration with servers from clients' files: the user's choice or, with `yes`, all of them in `warn`
 * mode to `./touchstone.json`. Writes the JSON Schema for editors beside it.
 * @throws CliExit 2 if the file already exists, or there is no terminal to ask on; 3 if it cannot be written
 */
export async function runInit(
  options: InitOptions,
  io: ProcessIo & { readonly place: Place },
  ask: Ask = askOnTerminal,
): Promise<void> {
  const { yes = false, user = false, mode } = options;
  const { stdin, stdout, place } = io;
  const files = [
    { path: join(place.cwd, "touchstone.json"), readBy: "serve and other commands, run here" },
    { path: userConfigFile(place), readBy: "every command, and wrap" },
  ].filter((_, at) => !user || at === 1);
  const free = files.filter(({ path }) => !existsSync(path));
  const [first] = free;
  if (first === undefined || (yes && first !== files[0])) {
    const [taken] = files;
    throw new CliExit(EXIT_USAGE, `${taken?.path} already exists; edit it, or remove it first`);
  }
  const { clients, servers, leftOut } = findServers(place);
  const modes = mode === undefined ? MODES : [mode];
  const offer: Offer = { servers, clients, modes, files: free };
  const isTerminal =
    (stdin as { readonly isTTY?: boolean }).isTTY === true && stdout.isTTY === true;
  if (!yes && ask === askOnTerminal && !isTerminal) {
    throw new CliExit(EXIT_USAGE, "init asks its questions on a terminal; use --yes to skip them");
  }
  const choices: Choices | undefined = yes
    ? { servers, mode: modes[0] ?? "warn", file: first.path }
    : await ask(offer);
  if (choices === undefined) throw new CliExit(EXIT_OK, "nothing was written");
  for (const why of leftOut) io.stderr.write(`touchstone: left out: ${safeText(why)}\n`);
  write(choices, io);
  const command = typedCommand(io.env);
  stdout.write(
    `Wrote ${safeText(choices.file)}: ${counted(choices.servers.length, "server")}, mode ${choices.mode}.\n\n` +
      `Next:\n  ${command} doctor   check that they start\n  ${command} serve    put Touchstone in front of them\n`,
  );
}

/** Writes the file so that only its user can read it: entries may hold secrets. */
function write({ servers, mode, file }: Choices, { env }: ProcessIo): void {
  const section = { mode };
  const config = {
    $schema: `./${SCHEMA}`,
    input_validation: section,
    output_validation: section,
    protocol_validation: section,
    mcpServers: Object.fromEntries(servers.map(({ name, entry }) => [name, entry])),
  };
  const text = `${JSON.stringify(config, undefined, 2)}\n`;
  // Do not leave a file behind that this refuses.
  parseConfig(text, { file, env });
  const folder = dirname(resolve(file));
  const schema = join(folder, SCHEMA);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    writeFileSync(schema, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
  } catch (error) {
    throw writeError(file, error);
  }
  // The user has just chosen what it starts.
  approve(file, text, env);
}
