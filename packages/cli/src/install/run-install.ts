import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { CommonOptions } from "../common-options.ts";
import { userConfigFile } from "../default-config.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { typedCommand } from "../own-package.ts";
import { loginAdvice } from "../servers/login.ts";
import { counted } from "../terminal/counted.ts";
import { safeText } from "../terminal/safe-text.ts";
import { writeError } from "../write-error.ts";
import { changeWrapped } from "./change-wrapped.ts";
import { type ClientText, replaceClientFile } from "./client-file.ts";
import {
  CLIENTS,
  type ClientFile,
  type ClientName,
  clientFiles,
  type Place,
  PROGRAMS,
} from "./clients.ts";
import { applyEdits, ClientFileError, type Edit, type Entry } from "./entries.ts";
import { ownCommand } from "./own-command.ts";
import { type ReadClient, readClient } from "./read-client.ts";
import { type ReadEntries, SECRET_MEMBERS, shownChange } from "./shown-change.ts";
import { unwrapEntry } from "./unwrap-entry.ts";
import { addUserEntries, removeUserEntries } from "./user-entries.ts";
import { type Change, isOff, wrapEntry } from "./wrap-entry.ts";
import { wrappedBy } from "./wrapped.ts";

/** Options of `touchstone install` and `uninstall`. */
export interface InstallOptions extends Partial<CommonOptions> {
  /** A client, one of its programs, or `all`. */
  readonly client?: string;
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

/** How to change an entry of a file that `read` has read. */
type Rewrite = (read: ReadClient, entry: Entry, named: boolean) => Change | Promise<Change>;

export type InstallIo = CliIo & { readonly place: Place };

/**
 * Puts `touchstone wrap` in front of a client's servers. Gives the options to those that are wrapped already.
 * @param servers names of the servers; empty for all
 * @throws CliExit 2 if a named server does not exist, 3 if a file cannot be read or written
 */
export async function runInstall(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
): Promise<void> {
  const { command: given } = options;
  const [command, ...args] = given === undefined ? ownCommand(io.place) : ([given] as const);
  const { mode, config, dataDir } = options;
  const pairs = Object.entries({
    "--mode": mode,
    // A client starts servers in a directory of its choice.
    "--config": config === undefined ? undefined : resolve(io.place.cwd, config),
    "--data-dir": dataDir === undefined ? undefined : resolve(io.place.cwd, dataDir),
  }).flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value] as const]));
  const how = { command, args, options: pairs.flat() };
  const wrapped = new Set<string>();
  const again = { options: pairs, ...(given === undefined ? {} : { program: [given] as const }) };
  await rewrite(
    servers,
    options,
    io,
    { done: "wrapped", planned: "would be wrapped" },
    async ({ client: { text }, reader }, entry, named) => {
      const already = wrappedBy(entry);
      if (already !== undefined) {
        wrapped.add(already.name);
        return changeWrapped(text, entry, again, { env: io.env, reader });
      }
      const change = wrapEntry(text, entry, how, named);
      if (!("left" in change)) wrapped.add(entry.name);
      return "left" in change ? withLogin(change, entry, io) : change;
    },
  );
  // With --config, wrap reads that file and not the user's.
  const entries = config === undefined ? enter([...wrapped], options, io) : "";
  if (options.dryRun === true) return;
  io.stdout.write(`${entries}\nSee what happens: ${typedCommand(io.place.env)} ui\n`);
}

/** Gives wrapped servers an entry in the user's file. Returns what was done, for people. */
function enter(
  names: readonly string[],
  { dryRun = false }: InstallOptions,
  io: InstallIo,
): string {
  const file = userConfigFile(io.place);
  const { names: added, fault } = addUserEntries(file, names, io.env, { dryRun });
  const shown = safeText(file);
  if (fault !== undefined) {
    return `\nno entry was added to ${shown}, so the console does not list these servers: ${safeText(fault)}\n`;
  }
  if (added.length === 0 || dryRun) return "";
  return `\n${shown} has an entry for ${counted(added.length, "more server")}: settings go there\n`;
}

/** Takes the entries without settings of servers that no client wraps anymore out of the user's file. */
async function leave(
  names: readonly string[],
  { file, dryRun = false }: InstallOptions,
  io: InstallIo,
): Promise<string> {
  const user = userConfigFile(io.place);
  const still = await stillWrapped(file, io.place);
  const gone = names.filter((name) => !still.has(name));
  const { names: removed, fault } = removeUserEntries(user, gone, { dryRun });
  const shown = safeText(user);
  if (fault !== undefined) return `\nno entry was removed from ${shown}: ${safeText(fault)}\n`;
  if (removed.length === 0 || dryRun) return "";
  return `\n${shown}: ${counted(removed.length, "entry", "entries")} without settings removed\n`;
}

/** Returns the servers that some client still wraps. */
async function stillWrapped(file: string | undefined, place: Place): Promise<ReadonlySet<string>> {
  const files = [
    ...allFiles(place, false),
    ...allFiles(place, true),
    ...(file === undefined ? [] : [{ program: "", path: file }]),
  ].filter(({ path }) => existsSync(path));
  const names = new Set<string>();
  for (const each of files) {
    // What cannot be read wraps nothing that its client could start.
    const { entries } = await readClient(each, false).catch(() => ({ entries: [] }));
    for (const entry of entries) {
      const found = wrappedBy(entry);
      if (found !== undefined) names.add(found.name);
    }
  }
  return names;
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
  const restored = new Set<string>();
  await rewrite(
    servers,
    options,
    io,
    { done: "restored", planned: "would be restored" },
    ({ client: { text } }, entry) => {
      const change = unwrapEntry(text, entry);
      if (!("left" in change)) restored.add(wrappedBy(entry)?.name ?? entry.name);
      return change;
    },
  );
  io.stdout.write(await leave([...restored], options, io));
}

async function rewrite(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
  outcome: Outcome,
  change: Rewrite,
): Promise<void> {
  const isAll = options.client === "all";
  const read: ReadClient[] = [];
  const failures: CliExit[] = [];
  for (const file of filesOf(options, io)) {
    try {
      read.push(await readClient(file, options.file !== undefined));
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
  let changes = 0;
  for (const each of read) {
    try {
      changes += await rewriteFile(each, { servers, options, io, outcome, change, stamp });
    } catch (error) {
      if (!isAll || !(error instanceof CliExit)) throw error;
      failures.push(error);
    }
  }
  if (options.dryRun === true && changes > 0) {
    io.stdout.write("\nNothing was written. Run it again without --dry-run to write it.\n");
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

/** Returns how many edits there are. */
async function rewriteFile(
  read: ReadClient,
  { servers, options, io, outcome, change, stamp }: Rewriting,
): Promise<number> {
  const { dryRun = false } = options;
  const { file, client, entries, reader } = read;
  const told = [`${safeText(file.path)}${file.program === "" ? "" : ` (${file.program})`}`];
  const meant = entries.filter(({ name }) => servers.length === 0 || servers.includes(name));
  // Servers behind URLs may be queried: all in parallel.
  const changes = await Promise.all(
    meant.map(async (entry) => change(read, entry, servers.includes(entry.name))),
  );
  const edits: Edit[] = [];
  for (const [index, made] of changes.entries()) {
    const { name = "", project } = meant[index] ?? {};
    const shown = project === undefined ? "" : ` (${safeText(project)})`;
    told.push(`  ${safeText(name)}${shown}: ${saidOf(made, outcome, dryRun)}`);
    if ("edits" in made) edits.push(...made.edits);
  }
  // Write first: only report as done what is done.
  const written =
    edits.length === 0 ? "  nothing to change\n" : write(client, edits, { dryRun, stamp, reader });
  io.stdout.write(`${told.join("\n")}\n${written}`);
  return edits.length;
}

function saidOf(made: Change, { planned, done }: Outcome, dryRun: boolean): string {
  if ("left" in made) return `unchanged (${safeText(made.left)})`;
  if (made.said === undefined) return dryRun ? planned : done;
  return dryRun ? `would change: ${safeText(made.said)}` : safeText(made.said);
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
  const files = client === "all" ? allFiles(io.place, project) : named(client, io.place, project);
  if (files.length === 0) {
    const other = project ? "keeps no file for a project; leave --project out" : NO_FILE;
    throw new CliExit(EXIT_USAGE, `${client} ${other}`);
  }
  const there = files.filter(({ path }) => existsSync(path));
  if (client === "all") tellMissing(files, there, io);
  if (there.length > 0) return there;
  const hint = project ? "" : "; --project takes the files of this directory";
  const missing = files.map(
    ({ program, path }) => `${program} has no MCP configuration at ${path}`,
  );
  const what =
    client === "all" ? "no client was found" : missing.map((each) => safeText(each)).join("; ");
  throw new CliExit(EXIT_FAILED, `${what}. Nothing was changed${hint}`);
}

function allFiles(place: Place, project: boolean): readonly ClientFile[] {
  return CLIENTS.flatMap((client) => clientFiles(client, place, project));
}

/** Returns the files of a client, or of one of its programs. */
function named(name: string, place: Place, project: boolean): readonly ClientFile[] {
  const [client, only] = PROGRAMS[name] ?? [name as ClientName];
  const files = clientFiles(client, place, project);
  return only === undefined ? files : files.filter(({ program }) => program === only);
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
