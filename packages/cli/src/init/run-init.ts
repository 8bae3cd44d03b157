import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Mode } from "@touchstone/gateway";
import {
  ConfigError,
  configJsonSchema,
  type PresetName,
  parseConfig,
  serverNameFault,
} from "@touchstone/gateway/config";
import { plural } from "@touchstone/util/plural";
import { rememberApproval } from "../config-file/approve-config.ts";
import { userConfigFile } from "../config-file/default-config.ts";
import { readClientFile } from "../install/client-file.ts";
import type { ClientPlaces } from "../install/clients.ts";
import { createdEntries } from "../install/user-entries.ts";
import { CliExit, EXIT_OK, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { writeError } from "../io/write-error.ts";
import { typedCommand } from "../own-package.ts";
import { safeText } from "../terminal/safe-text.ts";
import { findServers } from "./found-servers.ts";
import { type AskChoices, askOnTerminal, type InitChoices, type InitOffer } from "./questions.ts";
import { type SecretValue, withReferences } from "./secret-values.ts";

/** The options of `touchstone init`. */
export interface InitOptions {
  /** Ask nothing. */
  readonly yes?: boolean;
  /** Whether to write the user's file. */
  readonly user?: boolean;
  readonly mode?: Mode;
  /** Written instead of a mode; `mode` must not be set with it. */
  readonly preset?: PresetName;
}

const SCHEMA = "touchstone.schema.json";
/** The first mode, which is the default, does not change any message. */
const MODES: readonly Mode[] = ["warn", "strict", "off"];

/**
 * Writes a configuration with servers from clients' files: the user's choice or, with `yes`, all of them, by default
 * in `warn` mode and to `./touchstone.json`. Writes the JSON Schema for editors next to it.
 * @throws CliExit 2 if the file already exists, or there is no terminal to ask on; 3 if it cannot be written
 */
export async function runInit(
  options: InitOptions,
  io: ProcessIo & { readonly place: ClientPlaces },
  ask: AskChoices = askOnTerminal,
): Promise<void> {
  const { yes = false, user = false, mode, preset } = options;
  const { stdin, stdout, place } = io;
  const files = [
    { path: join(place.cwd, "touchstone.json"), readBy: "serve and other commands, run here" },
    { path: userConfigFile(place), readBy: "every command, and wrap" },
  ].filter((_, at) => !user || at === 1);
  // A file that install has written only contains names, which this command keeps.
  const free = files.filter(
    ({ path }, at) =>
      !existsSync(path) || (at === files.length - 1 && installedIn(path) !== undefined),
  );
  const [first] = free;
  if (first === undefined || (yes && first !== files[0])) {
    const [taken] = files;
    throw new CliExit(EXIT_USAGE, `${taken?.path} already exists; edit it, or remove it first`);
  }
  const { clients, servers, leftOut, wrapped } = findServers(place);
  const modes = mode === undefined ? MODES : [mode];
  const offer: InitOffer = { servers, clients, modes: preset ? [] : modes, files: free };
  const isTerminal =
    (stdin as { readonly isTTY?: boolean }).isTTY === true && stdout.isTTY === true;
  if (!yes && ask === askOnTerminal && !isTerminal) {
    throw new CliExit(EXIT_USAGE, "init asks its questions on a terminal; use --yes to skip them");
  }
  const choices: InitChoices | undefined = yes
    ? { servers, mode: modes[0] ?? "warn", file: first.path }
    : await ask(offer);
  if (choices === undefined) throw new CliExit(EXIT_OK, "nothing was written");
  for (const why of leftOut) io.stderr.write(`touchstone: skipped: ${safeText(why)}\n`);
  const isUsers = choices.file === userConfigFile(place);
  const installed = isUsers ? installedIn(choices.file) : undefined;
  const taken = new Set(choices.servers.map(({ name }) => name));
  const kept = isUsers
    ? [...new Set([...(installed ?? []), ...wrapped])].filter(
        (name) => !taken.has(name) && serverNameFault(name) === undefined,
      )
    : [];
  const replaces = installed !== undefined;
  const secrets = write(choices, io, { isUsers, wrapped: kept, replaces, preset });
  const checks = preset === undefined ? `mode ${choices.mode}` : `preset ${preset}`;
  const command = typedCommand(io.env);
  stdout.write(
    `Wrote ${safeText(choices.file)}: ${serversText(choices.servers.length, kept.length)}, ${checks}.\n\n` +
      secretsText(secrets, choices.file, { isUsers, env: io.env }) +
      nextText(command, choices.servers.length, kept.length),
  );
}

/** The folder for secrets next to the user's file. */
const SECRETS = "secrets";

/**
 * Writes the file so that only its user can read it. Values that look like secrets are replaced by references: to
 * variables, or, in the user's file, to files next to it, because each `wrap` reads that file in the environment of
 * its client. Leaves no file behind if the configuration is invalid.
 * @returns the secrets
 */
function write(
  { servers: chosen, mode, file }: InitChoices,
  { env }: ProcessIo,
  { isUsers, wrapped, replaces, preset }: HowToWrite,
): readonly SecretValue[] {
  const section = { mode };
  const written = (refer: (variable: string) => string) => {
    const { servers, secrets } = withReferences(chosen, refer, isUsers ? {} : env);
    const config = {
      $schema: `./${SCHEMA}`,
      ...(preset === undefined
        ? { input_validation: section, output_validation: section, protocol_validation: section }
        : { preset }),
      mcpServers: Object.fromEntries([
        ...wrapped.map((name) => [name, { touchstone: {} }]),
        ...servers.map(({ name, entry }) => [name, entry]),
      ]),
    };
    return { text: `${JSON.stringify(config, undefined, 2)}\n`, secrets };
  };
  const byVariable = written((variable) => `\${${variable}}`);
  const { secrets } = byVariable;
  const set = Object.fromEntries(secrets.map(({ variable, value }) => [variable, value]));
  // Checks the configuration before any secret is written.
  parseConfig(byVariable.text, { file, env: { ...env, ...set } });
  const { text } = isUsers ? written((variable) => `\${file:${SECRETS}/${variable}}`) : byVariable;
  const folder = dirname(resolve(file));
  const created: string[] = [];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isUsers) {
      writeSecrets(join(folder, SECRETS), secrets, created);
      // Files have limits that variables do not have.
      parseConfig(text, { file, env });
    }
    writeFileSync(file, text, { mode: 0o600, flag: replaces ? "w" : "wx" });
    const schema = join(folder, SCHEMA);
    writeFileSync(schema, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
  } catch (error) {
    for (const path of created) rmSync(path, { force: true });
    if (error instanceof ConfigError) throw error;
    throw writeError(file, error);
  }
  // The user has just chosen which programs it starts.
  rememberApproval(file, text, env);
  return secrets;
}

interface HowToWrite {
  readonly isUsers: boolean;
  /** The names of wrapped servers; each gets an entry without settings. */
  readonly wrapped: readonly string[];
  /** Whether `touchstone install` has written the existing file. */
  readonly replaces: boolean;
  /** Written instead of modes. */
  readonly preset: PresetName | undefined;
}

/** Returns the servers in a file that `touchstone install` has written; undefined for any other file. */
function installedIn(file: string): readonly string[] | undefined {
  try {
    return createdEntries(readClientFile(file).text);
  } catch {
    return undefined;
  }
}

function serversText(servers: number, wrapped: number): string {
  const more = wrapped === 0 ? [] : [`${plural(wrapped, "wrapped server")}`];
  const own = servers === 0 && wrapped > 0 ? [] : [plural(servers, "server")];
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

/** @param created receives the paths of the files that did not exist before */
function writeSecrets(folder: string, secrets: readonly SecretValue[], created: string[]): void {
  if (secrets.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { variable, value } of secrets) {
    const path = join(folder, variable);
    if (!existsSync(path)) created.push(path);
    writeFileSync(path, `${value}\n`, { mode: 0o600 });
  }
}

/** Returns which variables to set, or where the secrets are stored; never a value. */
function secretsText(
  secrets: readonly SecretValue[],
  file: string,
  { isUsers, env }: { readonly isUsers: boolean; readonly env: ProcessIo["env"] },
): string {
  if (secrets.length === 0) return "";
  const count = `${plural(secrets.length, "value")} that ${secrets.length === 1 ? "looks like a secret is" : "look like secrets are"}`;
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
