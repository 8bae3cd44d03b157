import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { KEPT_BY_DEFAULT, parseUrl } from "@touchstone/gateway/config";
import { configIn } from "../config-file/configured.ts";
import { userConfigFile } from "../config-file/default-config.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { writeError } from "../io/write-error.ts";
import { typedCommand } from "../own-package.ts";
import { loginAdvice } from "../servers/login.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { safeText } from "../terminal/safe-text.ts";
import { changeWrapped } from "./change-wrapped.ts";
import { chosenFiles } from "./chosen-files.ts";
import { replaceClientFile } from "./client-file.ts";
import { applyEdits, ClientFileError, type Edit, type Entry } from "./entries.ts";
import type { InstallIo, InstallOptions } from "./options.ts";
import { ownCommand } from "./own-command.ts";
import { type ReadClient, readClient } from "./read-client.ts";
import { SECRET_MEMBERS, shownChange } from "./shown-change.ts";
import { unwrapEntry } from "./unwrap-entry.ts";
import { addToUserFile, removeFromUserFile, type ServersByPath } from "./user-file.ts";
import { type Change, isEntryDisabled, wrapEntry } from "./wrap-entry.ts";
import { readWrappedEntry } from "./wrapped.ts";

/** The messages for a changed entry, and for one that a dry run would change. */
interface Outcome {
  readonly done: string;
  readonly planned: string;
}

/** How to change an entry of a client's file. */
type Rewrite = (text: string, entry: Entry, named: boolean) => Rewritten | Promise<Rewritten>;

interface Rewritten {
  readonly change: Change;
  /** The server's name in configurations, if it is wrapped after an install, or was before an uninstall. */
  readonly wrapped?: string;
}

/**
 * Puts `touchstone wrap` in front of the commands of a client's servers. If a server is already wrapped, only changes
 * its options.
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
  const { preset, mode, config, dataDir } = options;
  const pairs = Object.entries({
    "--preset": preset,
    "--mode": mode,
    // A client starts servers in a directory of its choice, so the path must be absolute.
    "--config": config === undefined ? undefined : resolve(io.place.cwd, config),
    "--data-dir": dataDir === undefined ? undefined : resolve(io.place.cwd, dataDir),
  }).flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value] as const]));
  const how = { command, args, options: pairs.flat() };
  const again = { options: pairs, ...(given === undefined ? {} : { program: given }) };
  const { wrapped, edits, failure } = await rewrite(
    servers,
    options,
    io,
    { done: "wrapped", planned: "would be wrapped" },
    async (text, entry, named) => {
      const already = readWrappedEntry(entry);
      if (already !== undefined) {
        return {
          change: changeWrapped(text, entry, already, again, io.env),
          wrapped: already.name,
        };
      }
      const change = wrapEntry(text, entry, how, named);
      if ("left" in change) return { change: await withLogin(change, entry, io) };
      return { change, wrapped: entry.name };
    },
  );
  // With --config, wrap reads that file instead of the user's.
  const entries = config === undefined ? addToUserFile(wrapped, options, io) : "";
  if (options.dryRun === true) {
    io.stdout.write(plannedText(edits, entries));
  } else if (wrapped.length > 0 || failure === undefined) {
    const kept = keptText(config ?? userConfigFile(io.place), io);
    io.stdout.write(`${entries}${kept}\nSee what happens: ${typedCommand(io.place.env)} ui\n`);
  }
  if (failure !== undefined) throw failure;
}

/** Returns what a run without `--dry-run` would do to the user's file; empty if there is nothing to do. */
function plannedText(edits: number, entries: string): string {
  if (edits === 0 && entries === "") return "";
  return `${entries}\nNothing was written. Run it again without --dry-run to write it.\n`;
}

/** Returns what the records of wrapped servers keep of failed calls, unless the operator has configured that. */
function keptText(file: string, { env }: CliIo): string {
  try {
    const { activity } = configIn(existsSync(file) ? file : undefined, { env });
    return activity.bodies === "failed" ? `\n${KEPT_BY_DEFAULT} (${safeText(file)})\n` : "";
  } catch {
    // The servers that read this file will report its faults.
    return "";
  }
}

/** If a server without headers cannot be wrapped because it requires a login, reports that as the reason. */
async function withLogin(change: Change, entry: Entry, { env }: CliIo): Promise<Change> {
  const { members, name } = entry;
  const url = (members.get("url") ?? members.get("httpUrl"))?.value.value;
  const has = (key: string): boolean => members.has(key);
  if (typeof url !== "string" || !/^https?:/i.test(url) || parseUrl(url) === undefined)
    return change;
  // Only the client knows the value of a variable.
  if (SECRET_MEMBERS.some(has) || has("command") || /\$|\{/.test(url)) return change;
  if (isEntryDisabled(entry) || members.get("type")?.value.value === "sse") return change;
  const advice = await loginAdvice({ name, url }, env);
  return advice === undefined ? change : { left: advice };
}

/**
 * Restores a client's servers to what they were before {@link runInstall}.
 * @throws CliExit as {@link runInstall} throws
 */
export async function runUninstall(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
): Promise<void> {
  const { wrapped, edits, after, failure } = await rewrite(
    servers,
    options,
    io,
    { done: "restored", planned: "would be restored" },
    (text, entry) => {
      const change = unwrapEntry(text, entry);
      if ("left" in change) return { change };
      return { change, wrapped: readWrappedEntry(entry)?.name ?? entry.name };
    },
  );
  const entries = await removeFromUserFile(wrapped, after, options, io);
  io.stdout.write(options.dryRun === true ? plannedText(edits, entries) : entries);
  if (failure !== undefined) throw failure;
}

/** The result of changing the files of clients. */
interface RewrittenFiles {
  /** {@link Rewritten.wrapped} of each server in a file that was written, or needed no change. */
  readonly wrapped: readonly string[];
  /** The number of edits. */
  readonly edits: number;
  /**
   * The servers of each such file, by its path, in their current state or in the state after a run without
   * `--dry-run`.
   */
  readonly after: ServersByPath;
  /** Why a file could not be read or written; all other files were still changed. */
  readonly failure?: CliExit;
}

async function rewrite(
  servers: readonly string[],
  options: InstallOptions,
  io: InstallIo,
  outcome: Outcome,
  change: Rewrite,
): Promise<RewrittenFiles> {
  const isAll = options.client === "all";
  const read: ReadClient[] = [];
  const failures: CliExit[] = [];
  for (const file of chosenFiles(options, io)) {
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
    report(failures, io);
    const names = [...known].join(", ") || "none";
    throw new CliExit(EXIT_USAGE, `no server is named "${unknown}" there; there are: ${names}`);
  }
  const stamp = io.now().toISOString().replace(/[:.]/g, "-");
  const wrapped = new Set<string>();
  const after = new Map<string, readonly Entry[]>();
  let edits = 0;
  for (const each of read) {
    try {
      const done = await rewriteFile(each, { servers, options, io, outcome, change, stamp });
      edits += done.edits;
      after.set(each.client.path, done.after);
      for (const name of done.wrapped) wrapped.add(name);
    } catch (error) {
      if (!(error instanceof CliExit)) throw error;
      failures.push(error);
    }
  }
  const failure = failures.pop();
  report(failures, io);
  return { wrapped: [...wrapped], edits, after, ...(failure === undefined ? {} : { failure }) };
}

function report(failures: readonly CliExit[], io: InstallIo): void {
  for (const { message } of failures) io.stderr.write(`touchstone: ${message}\n`);
}

interface Rewriting {
  readonly servers: readonly string[];
  readonly options: InstallOptions;
  readonly io: InstallIo;
  readonly outcome: Outcome;
  readonly change: Rewrite;
  readonly stamp: string;
}

interface RewrittenFile {
  readonly edits: number;
  /** {@link Rewritten.wrapped} of each server. */
  readonly wrapped: readonly string[];
  /** Its servers after the edits. */
  readonly after: readonly Entry[];
}

async function rewriteFile(
  read: ReadClient,
  { servers, options, io, outcome, change, stamp }: Rewriting,
): Promise<RewrittenFile> {
  const { dryRun = false } = options;
  const { file, client, entries } = read;
  const told = [`${safeText(file.path)}${file.program === "" ? "" : ` (${file.program})`}`];
  const meant = entries.filter(({ name }) => servers.length === 0 || servers.includes(name));
  // The URLs of servers may be queried, so all are checked in parallel.
  const changes = await Promise.all(
    meant.map(async (entry) => change(client.text, entry, servers.includes(entry.name))),
  );
  const edits: Edit[] = [];
  for (const [index, { change: made }] of changes.entries()) {
    const { name = "", project } = meant[index] ?? {};
    const shown = project === undefined ? "" : ` (${safeText(project)})`;
    told.push(`  ${safeText(name)}${shown}: ${saidOf(made, outcome, dryRun)}`);
    if ("edits" in made) edits.push(...made.edits);
  }
  // Writes first, so that only completed changes are reported.
  const { written, after } =
    edits.length === 0
      ? { written: "  nothing to change\n", after: entries }
      : write(read, edits, { dryRun, stamp });
  io.stdout.write(`${told.join("\n")}\n${written}`);
  return { edits: edits.length, wrapped: changes.flatMap(({ wrapped = [] }) => wrapped), after };
}

function saidOf(made: Change, { planned, done }: Outcome, dryRun: boolean): string {
  if ("left" in made) return `unchanged (${safeText(made.left)})`;
  if (made.said === undefined) return dryRun ? planned : done;
  return dryRun ? `would change: ${safeText(made.said)}` : safeText(made.said);
}

interface Writing {
  readonly dryRun: boolean;
  readonly stamp: string;
}

/**
 * Writes a client's file, except in a dry run.
 * @returns the message about the file, with its line feeds, and the file's servers after the edits
 * @throws CliExit 3 if it cannot be written
 */
function write(
  { client, entries, reader }: ReadClient,
  edits: readonly Edit[],
  { dryRun, stamp }: Writing,
): { readonly written: string; readonly after: readonly Entry[] } {
  try {
    const text = applyEdits(client.text, edits);
    const after = reader(text);
    assertSameServers(entries, after);
    if (dryRun) return { written: shownChange(client.path, client.text, edits, reader), after };
    const backup = replaceClientFile(client, text, stamp);
    const written = `  written; backup of the old file: ${safeText(backup)}\n  restart the client, or let it load its servers again\n`;
    return { written, after };
  } catch (error) {
    throw writeError(client.path, error);
  }
}

/** Throws if a text no longer has the same servers, so that it is never written. */
function assertSameServers(before: readonly Entry[], after: readonly Entry[]): void {
  const names = (entries: readonly Entry[]) => JSON.stringify(entries.map(({ name }) => name));
  if (names(before) === names(after)) return;
  throw new ClientFileError("it is written in a way that cannot be edited; nothing was written");
}
