import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { CommonOptions } from "../common-options.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { ownProgram, typedCommand } from "../own-package.ts";
import { readError } from "../read-error.ts";
import { safeText } from "../terminal/safe-text.ts";
import { writeError } from "../write-error.ts";
import { type ClientText, readClientFile, replaceClientFile } from "./client-file.ts";
import { type ClientName, clientFiles, type Place } from "./clients.ts";
import { applyEdits, assertHoldsServers, type Edit, type Entry, readEntries } from "./entries.ts";
import { shownChange } from "./shown-change.ts";
import { unwrapEntry } from "./unwrap-entry.ts";
import { type Change, wrapEntry } from "./wrap-entry.ts";

/** Options of `touchstone install` and `uninstall`. */
export interface InstallOptions extends Partial<CommonOptions> {
  readonly client?: ClientName;
  readonly file?: string;
  readonly project?: boolean;
  readonly dryRun?: boolean;
  /** The program that clients are to start. */
  readonly command?: string;
  readonly mode?: string;
}

/** What is said of an entry that was changed, and of one that a dry run leaves as it is. */
interface Outcome {
  readonly done: string;
  readonly planned: string;
}

/** What is made of an entry. */
type Rewrite = (text: string, entry: Entry, named: boolean) => Change;

export type InstallIo = CliIo & { readonly place: Place };

/**
 * Puts `touchstone wrap` in front of a client's servers.
 * @param servers those that are meant; all where none is named
 * @throws CliExit 2 where a server is named that is not there, 3 where a file cannot be read or written
 */
export function runInstall(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
): void {
  const { command: given } = options;
  const [command, ...args] = given === undefined ? ownCommand(io) : [given];
  const { mode, config, dataDir } = options;
  const words = [
    ...(mode === undefined ? [] : ["--mode", mode]),
    // A client starts servers in a directory of its own.
    ...(config === undefined ? [] : ["--config", resolve(io.place.cwd, config)]),
    ...(dataDir === undefined ? [] : ["--data-dir", resolve(io.place.cwd, dataDir)]),
  ];
  const how = { command, args, options: words };
  rewrite(
    servers,
    options,
    io,
    { done: "wrapped", planned: "would be wrapped" },
    (text, entry, named) => wrapEntry(text, entry, how, named),
  );
  if (options.dryRun !== true) {
    io.stdout.write(`\nSee what happens: ${typedCommand(io.place.env)} ui\n`);
  }
}

/**
 * Gives a client's servers back what they were before {@link runInstall}.
 * @throws CliExit like it
 */
export function runUninstall(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
): void {
  rewrite(servers, options, io, { done: "as it was", planned: "would be as it was" }, unwrapEntry);
}

function rewrite(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
  { done, planned }: Outcome,
  change: Rewrite,
): void {
  const files = filesOf(options, io);
  const read = files.map((file) => ({ file, ...entriesOf(file, options.file !== undefined) }));
  const known = new Set(read.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const unknown = servers.find((server) => !known.has(server));
  if (unknown !== undefined) {
    const names = [...known].join(", ") || "none";
    throw new CliExit(EXIT_USAGE, `no server is named "${unknown}" there; there are: ${names}`);
  }
  const stamp = io.now().toISOString().replace(/[:.]/g, "-");
  for (const { file, client, entries } of read) {
    const edits: Edit[] = [];
    const told = [safeText(file)];
    for (const entry of entries) {
      const named = servers.includes(entry.name);
      if (servers.length > 0 && !named) continue;
      const made = change(client.text, entry, named);
      const project = entry.project === undefined ? "" : ` (${safeText(entry.project)})`;
      const said =
        "left" in made ? `left: ${safeText(made.left)}` : options.dryRun ? planned : done;
      told.push(`  ${safeText(entry.name)}${project}: ${said}`);
      if ("edits" in made) edits.push(...made.edits);
    }
    // What is told as done is done.
    const outcome =
      edits.length === 0
        ? "  nothing to change\n"
        : write(client, edits, options.dryRun === true, stamp);
    io.stdout.write(`${told.join("\n")}\n${outcome}`);
  }
}

/**
 * Writes a client's file, unless it is only shown.
 * @returns what is told of it, with its line feeds
 * @throws CliExit 3 where it cannot be written
 */
function write(client: ClientText, edits: readonly Edit[], dryRun: boolean, stamp: string): string {
  if (dryRun) return shownChange(client.path, client.text, edits);
  try {
    const backup = replaceClientFile(client, applyEdits(client.text, edits), stamp);
    return `  written; the file as it was: ${safeText(backup)}\n  restart the client, or let it load its servers again\n`;
  } catch (error) {
    throw writeError(client.path, error);
  }
}

/** The files that are there. */
function filesOf({ client, file, project = false }: InstallOptions, io: InstallIo): string[] {
  if (file !== undefined) {
    const other = client !== undefined ? "--client" : project ? "--project" : undefined;
    if (other === undefined) return [file];
    throw new CliExit(EXIT_USAGE, `--file and ${other} name different files; give one of them`);
  }
  if (client === undefined) {
    throw new CliExit(EXIT_USAGE, "name a client with --client, or its file with --file");
  }
  const files = clientFiles(client, io.place, project);
  if (files.length === 0) {
    throw new CliExit(EXIT_USAGE, `${client} keeps no file for a project; leave --project out`);
  }
  const there = files.filter(({ path }) => existsSync(path)).map(({ path }) => path);
  if (there.length > 0) return there;
  const looked = files.map(({ program, path }) => `${path} (${program})`).join(", ");
  const hint = project ? "" : "; --project takes those of this directory";
  throw new CliExit(EXIT_FAILED, `no file of ${client} is there: ${looked}${hint}`);
}

/** @param isNamed whether it is any file, of which nobody knows that it is a client's */
function entriesOf(
  file: string,
  isNamed: boolean,
): { client: ClientText; entries: readonly Entry[] } {
  try {
    const client = readClientFile(file);
    const entries = readEntries(client.text);
    if (isNamed) assertHoldsServers(client.text);
    return { client, entries };
  } catch (error) {
    throw readError(file, error);
  }
}

/**
 * `touchstone` where a client may find it by its name, else Node.js and this very program by their paths:
 * a client that is started from a menu has another `PATH`, and Windows starts no file of this kind.
 */
function ownCommand({ place }: InstallIo): readonly [string, ...string[]] {
  const names = place.platform === "win32" ? ["touchstone.cmd", "touchstone.exe"] : ["touchstone"];
  // What npx and npm scripts put in front is on no client's PATH.
  const folders = (place.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder));
  const found = folders.some((folder) => names.some((name) => isProgram(join(folder, name))));
  return found ? ["touchstone"] : [process.execPath, ownProgram()];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
