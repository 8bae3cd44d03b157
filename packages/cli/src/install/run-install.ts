import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { CommonOptions } from "../common-options.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { ownProgram, typedCommand } from "../own-package.ts";
import { readError } from "../read-error.ts";
import { loginAdvice } from "../servers/login.ts";
import { safeText } from "../terminal/safe-text.ts";
import { writeError } from "../write-error.ts";
import { type ClientText, readClientFile, replaceClientFile } from "./client-file.ts";
import { CLIENTS, type ClientFile, type ClientName, clientFiles, type Place } from "./clients.ts";
import {
  applyEdits,
  assertHoldsServers,
  ClientFileError,
  type Edit,
  type Entry,
  readEntries,
} from "./entries.ts";
import { type ReadEntries, SECRET_MEMBERS, shownChange } from "./shown-change.ts";
import { unwrapEntry } from "./unwrap-entry.ts";
import { type Change, isOff, wrapEntry } from "./wrap-entry.ts";

/** Options of `touchstone install` and `uninstall`. */
export interface InstallOptions extends Partial<CommonOptions> {
  readonly client?: ClientName | "all";
  readonly file?: string;
  readonly project?: boolean;
  readonly dryRun?: boolean;
  /** The program that clients should start. */
  readonly command?: string;
  readonly mode?: string;
}

/** The messages for a changed entry, and for one that a dry run would change. */
interface Outcome {
  readonly done: string;
  readonly planned: string;
}

/** How to change an entry. */
type Rewrite = (text: string, entry: Entry, named: boolean) => Change | Promise<Change>;

export type InstallIo = CliIo & { readonly place: Place };

/**
 * Puts `touchstone wrap` in front of a client's servers.
 * @param servers names of the servers; empty for all
 * @throws CliExit 2 if a named server does not exist, 3 if a file cannot be read or written
 */
export async function runInstall(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
): Promise<void> {
  const { command: given } = options;
  const [command, ...args] = given === undefined ? ownCommand(io) : [given];
  const { mode, config, dataDir } = options;
  const words = [
    ...(mode === undefined ? [] : ["--mode", mode]),
    // A client starts servers in a directory of its choice.
    ...(config === undefined ? [] : ["--config", resolve(io.place.cwd, config)]),
    ...(dataDir === undefined ? [] : ["--data-dir", resolve(io.place.cwd, dataDir)]),
  ];
  const how = { command, args, options: words };
  await rewrite(
    servers,
    options,
    io,
    { done: "wrapped", planned: "would be wrapped" },
    async (text, entry, named) => {
      const change = wrapEntry(text, entry, how, named);
      return "left" in change ? withLogin(change, entry, io) : change;
    },
  );
  if (options.dryRun !== true) {
    io.stdout.write(`\nSee what happens: ${typedCommand(io.place.env)} ui\n`);
  }
}

/** If a server without headers cannot be wrapped because it wants a login, reports that as the reason. */
async function withLogin(change: Change, entry: Entry, { env }: CliIo): Promise<Change> {
  const { members, name } = entry;
  const url = (members.get("url") ?? members.get("httpUrl"))?.value.value;
  const has = (key: string): boolean => members.has(key);
  if (typeof url !== "string" || !/^https?:/i.test(url) || !URL.canParse(url)) return change;
  // Only the client knows the value of a variable.
  if (SECRET_MEMBERS.some(has) || has("command") || /\$|\{/.test(url)) return change;
  if (isOff(entry) || members.get("type")?.value.value === "sse") return change;
  const advice = await loginAdvice({ name, url }, env);
  return advice === undefined ? change : { left: advice };
}

/**
 * Restores a client's servers to what they were before {@link runInstall}.
 * @throws CliExit as it does
 */
export async function runUninstall(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
): Promise<void> {
  await rewrite(
    servers,
    options,
    io,
    { done: "restored", planned: "would be restored" },
    unwrapEntry,
  );
}

async function rewrite(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
  outcome: Outcome,
  change: Rewrite,
): Promise<void> {
  const isAll = options.client === "all";
  const read: Read[] = [];
  const failures: CliExit[] = [];
  for (const file of filesOf(options, io)) {
    try {
      read.push(await entriesOf(file, options.file !== undefined));
    } catch (error) {
      // A broken file of one client must not block the others.
      if (!isAll || !(error instanceof CliExit)) throw error;
      failures.push(error);
    }
  }
  const known = new Set(read.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const unknown = servers.find((server) => !known.has(server));
  if (unknown !== undefined) {
    const names = [...known].join(", ") || "none";
    throw new CliExit(EXIT_USAGE, `no server is named "${unknown}" there; there are: ${names}`);
  }
  const stamp = io.now().toISOString().replace(/[:.]/g, "-");
  for (const each of read) {
    try {
      await rewriteFile(each, { servers, options, io, outcome, change, stamp });
    } catch (error) {
      if (!isAll || !(error instanceof CliExit)) throw error;
      failures.push(error);
    }
  }
  const last = failures.pop();
  for (const { message } of failures) io.stderr.write(`touchstone: ${message}\n`);
  if (last !== undefined) throw last;
}

interface Rewriting {
  readonly servers: readonly string[];
  readonly options: InstallOptions;
  readonly io: InstallIo;
  readonly outcome: Outcome;
  readonly change: Rewrite;
  readonly stamp: string;
}

async function rewriteFile(
  { file, client, entries, reader }: Read,
  { servers, options, io, outcome, change, stamp }: Rewriting,
): Promise<void> {
  const { dryRun = false } = options;
  const told = [`${safeText(file.path)}${file.program === "" ? "" : ` (${file.program})`}`];
  const meant = entries.filter(({ name }) => servers.length === 0 || servers.includes(name));
  // Servers behind URLs may be queried: all in parallel.
  const changes = await Promise.all(
    meant.map(async (entry) => change(client.text, entry, servers.includes(entry.name))),
  );
  const edits: Edit[] = [];
  for (const [index, made] of changes.entries()) {
    const { name = "", project } = meant[index] ?? {};
    const shown = project === undefined ? "" : ` (${safeText(project)})`;
    const { planned, done } = outcome;
    const said = "left" in made ? `left: ${safeText(made.left)}` : dryRun ? planned : done;
    told.push(`  ${safeText(name)}${shown}: ${said}`);
    if ("edits" in made) edits.push(...made.edits);
  }
  // Write first: only report as done what is done.
  const written =
    edits.length === 0 ? "  nothing to change\n" : write(client, edits, { dryRun, stamp, reader });
  io.stdout.write(`${told.join("\n")}\n${written}`);
}

interface Writing {
  readonly dryRun: boolean;
  readonly stamp: string;
  readonly reader: ReadEntries;
}

/**
 * Writes a client's file, except in a dry run.
 * @returns the message about it, with its line feeds
 * @throws CliExit 3 if it cannot be written
 */
function write(
  client: ClientText,
  edits: readonly Edit[],
  { dryRun, stamp, reader }: Writing,
): string {
  try {
    const text = applyEdits(client.text, edits);
    assertSameServers(reader(client.text), reader(text));
    if (dryRun) return shownChange(client.path, client.text, edits, reader);
    const backup = replaceClientFile(client, text, stamp);
    return `  written; backup of the old file: ${safeText(backup)}\n  restart the client, or let it load its servers again\n`;
  } catch (error) {
    throw writeError(client.path, error);
  }
}

/** Never write a text that no longer has the same servers. */
function assertSameServers(before: readonly Entry[], after: readonly Entry[]): void {
  const names = (entries: readonly Entry[]) => JSON.stringify(entries.map(({ name }) => name));
  if (names(before) === names(after)) return;
  throw new ClientFileError("it is written in a way that cannot be edited; nothing was written");
}

/** Returns the files that exist. */
function filesOf(
  { client, file, project = false }: InstallOptions,
  io: InstallIo,
): readonly ClientFile[] {
  if (file !== undefined) {
    const other = client !== undefined ? "--client" : project ? "--project" : undefined;
    if (other === undefined) return [{ program: "", path: file }];
    throw new CliExit(EXIT_USAGE, `--file and ${other} name different files; give one of them`);
  }
  if (client === undefined) {
    throw new CliExit(EXIT_USAGE, "name a client with --client, or its file with --file");
  }
  const clients = client === "all" ? CLIENTS : [client];
  const files = clients.flatMap((each) => clientFiles(each, io.place, project));
  if (files.length === 0) {
    const other = project ? "keeps no file for a project; leave --project out" : NO_FILE;
    throw new CliExit(EXIT_USAGE, `${client} ${other}`);
  }
  const there = files.filter(({ path }) => existsSync(path));
  if (client === "all") tellMissing(files, there, io);
  if (there.length > 0) return there;
  const looked = files.map(({ program, path }) => `${path} (${program})`).join(", ");
  const hint = project ? "" : "; --project takes those of this directory";
  const what = client === "all" ? "any client" : client;
  throw new CliExit(EXIT_FAILED, `no file of ${what} is there: ${looked}${hint}`);
}

const NO_FILE =
  "keeps its file in the folder where it starts; name it with --file, or use --project there";

/** Prints the programs that have no file. */
function tellMissing(
  files: readonly ClientFile[],
  there: readonly ClientFile[],
  io: InstallIo,
): void {
  const found = new Set(there.map(({ program }) => program));
  const missing = [...new Set(files.map(({ program }) => program))].filter(
    (program) => !found.has(program),
  );
  if (there.length === 0 || missing.length === 0) return;
  io.stdout.write(`not found: ${missing.join(", ")}\n`);
}

/** A client's file and its servers. */
interface Read {
  readonly file: ClientFile;
  readonly client: ClientText;
  readonly entries: readonly Entry[];
  readonly reader: ReadEntries;
}

/** Returns the reader for a file's servers, chosen by the file's name. */
async function readerOf({ path, bareUrl }: ClientFile): Promise<ReadEntries> {
  if (/\.toml$/i.test(path)) return (await import("./toml-entries.ts")).readTomlEntries;
  if (/\.ya?ml$/i.test(path)) return (await import("./yaml-entries.ts")).readYamlEntries;
  if (bareUrl === undefined) return readEntries;
  return (text) => readEntries(text).map((entry) => ({ ...entry, bareUrl }));
}

/** @param isNamed whether the user named the file, so that it may not be a client's */
async function entriesOf(file: ClientFile, isNamed: boolean): Promise<Read> {
  try {
    const client = readClientFile(file.path);
    const reader = await readerOf(file);
    const entries = reader(client.text);
    if (isNamed && /\.(?:toml|ya?ml)$/i.test(file.path)) assertSome(entries);
    else if (isNamed) assertHoldsServers(client.text);
    return { file, client, entries, reader };
  } catch (error) {
    throw readError(file.path, error);
  }
}

function assertSome(entries: readonly Entry[]): void {
  if (entries.length > 0) return;
  const wanted = '"mcp_servers" in TOML, "extensions" or "mcpServers" in YAML';
  throw new ClientFileError(`it has no servers of an MCP client: they are under ${wanted}`);
}

/**
 * Returns `touchstone` if a client can find it by name, else the paths of Node.js and this program: a client started
 * from a menu has a different `PATH`, and Windows cannot start such a file directly.
 */
function ownCommand({ place }: InstallIo): readonly [string, ...string[]] {
  const names = place.platform === "win32" ? ["touchstone.cmd", "touchstone.exe"] : ["touchstone"];
  // Directories that npx and npm scripts prepend are not on a client's PATH.
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
