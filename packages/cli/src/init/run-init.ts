import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Mode } from "@touchstone/gateway";
import { ConfigError, configJsonSchema, parseConfig } from "@touchstone/gateway/config";
import { approve } from "../approve-config.ts";
import { userConfigFile } from "../default-config.ts";
import { CliExit, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { readClientFile } from "../install/client-file.ts";
import type { Place } from "../install/clients.ts";
import { createdEntries } from "../install/user-entries.ts";
import { typedCommand } from "../own-package.ts";
import type { ProcessIo } from "../process-io.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";
import { writeError } from "../write-error.ts";
import { findServers } from "./found-servers.ts";
import { type Ask, askOnTerminal, type Choices, type Offer } from "./questions.ts";
import { type SecretValue, withReferences } from "./secret-values.ts";

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
  // What install has written holds nothing but names, which this keeps.
  const free = files.filter(
    ({ path }, at) => !existsSync(path) || (at === files.length - 1 && isOfInstall(path)),
  );
  const [first] = free;
  if (first === undefined || (yes && first !== files[0])) {
    const [taken] = files;
    throw new CliExit(EXIT_USAGE, `${taken?.path} already exists; edit it, or remove it first`);
  }
  const { clients, servers, leftOut, wrapped } = findServers(place);
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
  const isUsers = choices.file === userConfigFile(place);
  const kept = isUsers ? wrapped : [];
  const secrets = write(choices, io, { isUsers, wrapped: kept });
  const command = typedCommand(io.env);
  stdout.write(
    `Wrote ${safeText(choices.file)}: ${serversText(choices.servers.length, kept.length)}, mode ${choices.mode}.\n\n` +
      secretsText(secrets, choices.file, { isUsers, env: io.env }) +
      nextText(command, choices.servers.length, kept.length),
  );
}

/** The folder of secrets beside the user's file. */
const SECRETS = "secrets";

/**
 * Writes the file so that only its user can read it. It refers to values that look like secrets: to variables, or, if
 * it is the user's file, to files beside it, because each `wrap` reads that one in the environment of its client.
 * @returns the secrets
 */
function write(
  { servers: chosen, mode, file }: Choices,
  { env }: ProcessIo,
  { isUsers, wrapped }: { readonly isUsers: boolean; readonly wrapped: readonly string[] },
): readonly SecretValue[] {
  const refer = (variable: string): string =>
    isUsers ? `\${file:${SECRETS}/${variable}}` : `\${${variable}}`;
  const { servers, secrets } = withReferences(chosen, refer, isUsers ? {} : env);
  const section = { mode };
  const config = {
    $schema: `./${SCHEMA}`,
    input_validation: section,
    output_validation: section,
    protocol_validation: section,
    mcpServers: Object.fromEntries([
      ...wrapped.map((name) => [name, { touchstone: {} }]),
      ...servers.map(({ name, entry }) => [name, entry]),
    ]),
  };
  const text = `${JSON.stringify(config, undefined, 2)}\n`;
  const folder = dirname(resolve(file));
  const set = Object.fromEntries(secrets.map(({ variable, value }) => [variable, value]));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isUsers) writeSecrets(join(folder, SECRETS), secrets);
    // Do not leave a file behind that this refuses.
    parseConfig(text, { file, env: { ...env, ...set } });
    writeFileSync(file, text, { mode: 0o600, flag: isUsers && isOfInstall(file) ? "w" : "wx" });
    const schema = join(folder, SCHEMA);
    writeFileSync(schema, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw writeError(file, error);
  }
  // The user has just chosen what it starts.
  approve(file, text, env);
  return secrets;
}

/** Whether a file is what `touchstone install` has written, unchanged. */
function isOfInstall(file: string): boolean {
  try {
    return createdEntries(readClientFile(file).text) !== undefined;
  } catch {
    return false;
  }
}

function serversText(servers: number, wrapped: number): string {
  const more = wrapped === 0 ? [] : [`${counted(wrapped, "wrapped server")}`];
  const own = servers === 0 && wrapped > 0 ? [] : [counted(servers, "server")];
  return [...own, ...more].join(", ");
}

function nextText(command: string, servers: number, wrapped: number): string {
  const lines =
    servers === 0 && wrapped > 0
      ? [`${command} ui   see what happened, and change settings`]
      : [
          `${command} doctor   check that they start`,
          `${command} serve    put Touchstone in front of them`,
        ];
  return `Next:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function writeSecrets(folder: string, secrets: readonly SecretValue[]): void {
  if (secrets.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { variable, value } of secrets) {
    writeFileSync(join(folder, variable), `${value}\n`, { mode: 0o600 });
  }
}

/** Returns which variables to set, or where the secrets are; never a value. */
function secretsText(
  secrets: readonly SecretValue[],
  file: string,
  { isUsers, env }: { readonly isUsers: boolean; readonly env: ProcessIo["env"] },
): string {
  if (secrets.length === 0) return "";
  const count = `${counted(secrets.length, "value")} that ${secrets.length === 1 ? "looks like a secret is" : "look like secrets are"}`;
  if (isUsers) {
    const folder = join(dirname(resolve(file)), SECRETS);
    return `${count} in files of ${safeText(folder)}, which only you can read.\n\n`;
  }
  const width = Math.max(...secrets.map(({ variable }) => variable.length));
  const lines = secrets.map(({ variable, places }) => {
    const state = env[variable] === undefined ? "" : " (set)";
    return `  ${variable.padEnd(width)}  ${safeText(places.join(", "))}${state}\n`;
  });
  return (
    `${count} not in the file. Set these variables before you start Touchstone; your clients' files have the values:\n` +
    `${lines.join("")}\n`
  );
}
