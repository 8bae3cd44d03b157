import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import process from "node:process";
import { messageOf } from "@touchstone/core/advanced";
import { isOnPath } from "@touchstone/gateway/config";
import { type ClientFile, type ClientPlaces, existingFiles } from "../install/clients.ts";
import type { Entry } from "../install/entries.ts";
import { readClient } from "../install/read-client.ts";
import { isEntryDisabled } from "../install/wrap-entry.ts";
import { readWrappedEntry, type WrappedEntry } from "../install/wrapped.ts";
import { modesText, toolModesText, wrappedSettings } from "../install/wrapped-settings.ts";
import { writeReason } from "../io/write-error.ts";
import type { CommonOptions } from "../options/common-options.ts";
import { findDataDir, homeDirectory } from "../options/data-dir.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** A server in a client's file, according to its entry; it was not started. */
export interface FoundEntry {
  readonly name: string;
  /** The project that it belongs to, if the file separates projects. */
  readonly project?: string;
  readonly wrapped: boolean;
  /** The modes of a wrapped server, as a phrase; absent if they are unknown. */
  readonly modes?: string;
  readonly disabled?: boolean;
  /** Why the client cannot start it with this entry. */
  readonly fault?: string;
}

/** A client's file. */
export interface FoundClient {
  readonly program: string;
  readonly file: string;
  readonly servers: readonly FoundEntry[];
  /** Why the file cannot be read. */
  readonly fault?: string;
}

/** The parts of this machine that concern Touchstone. No server was started. */
export interface MachineFindings {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly records: {
    /** Null if the user has no home directory and has not named a data directory. */
    readonly dataDir: string | null;
    /** Whether there are records. */
    readonly exists: boolean;
    /** Why records cannot be written there; absent if a file could be written. */
    readonly fault?: string;
  };
  readonly clients: readonly FoundClient[];
}

/** Returns the facts about this machine: the data directory, the clients' files and the servers in them. */
export async function examineMachine(
  options: Pick<CommonOptions, "dataDir">,
  io: CliIo & { readonly version: string },
): Promise<MachineFindings> {
  const { env } = io;
  const { platform, arch, cwd } = process;
  const place = { platform, home: homeDirectory() ?? cwd(), cwd: cwd(), env };
  return {
    version: io.version,
    node: process.versions.node,
    platform: `${platform} ${arch}`,
    records: recordsIn(findDataDir(options, env)),
    clients: await clientsOn(place, env),
  };
}

/** Tries to write a file in the directory, or checks the directory in which it would be created. */
function recordsIn(dataDir: string | undefined): MachineFindings["records"] {
  if (dataDir === undefined) {
    const fault = "you have no home directory; name one with --data-dir or TOUCHSTONE_DATA_DIR";
    return { dataDir: null, exists: false, fault };
  }
  const exists = existsSync(dataDir);
  try {
    if (exists) {
      const tried = join(dataDir, `.doctor-${process.pid}`);
      writeFileSync(tried, "", { flag: "wx", mode: 0o600 });
      rmSync(tried);
    } else {
      let above = dirname(dataDir);
      while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
      accessSync(above, constants.W_OK | constants.X_OK);
    }
    return { dataDir, exists };
  } catch (error) {
    return { dataDir, exists, fault: writeReason(error) };
  }
}

async function clientsOn(place: ClientPlaces, env: CliIo["env"]): Promise<readonly FoundClient[]> {
  const found: FoundClient[] = [];
  for (const file of existingFiles(place)) found.push(await clientIn(file, env));
  return found;
}

async function clientIn(file: ClientFile, env: CliIo["env"]): Promise<FoundClient> {
  const { program, path } = file;
  try {
    const { entries } = await readClient(file, false);
    return { program, file: path, servers: entries.map((entry) => entryIn(entry, env)) };
  } catch (error) {
    return { program, file: path, servers: [], fault: messageOf(error) };
  }
}

function entryIn(entry: Entry, env: CliIo["env"]): FoundEntry {
  const { name, project } = entry;
  const wrapped = readWrappedEntry(entry);
  const known = {
    name,
    ...(project === undefined ? {} : { project }),
    wrapped: wrapped !== undefined,
    ...(isEntryDisabled(entry) ? { disabled: true } : {}),
  };
  if (wrapped === undefined) return known;
  const fault = startFault(wrapped, env);
  try {
    const settings = wrappedSettings(wrapped, env);
    const modes = [modesText(settings), ...toolModesText(settings)].join("; ");
    return { ...known, modes, ...(fault === undefined ? {} : { fault }) };
  } catch (error) {
    return { ...known, fault: fault ?? `touchstone wrap cannot start: ${messageOf(error)}` };
  }
}

/** Returns why a client cannot start the `touchstone wrap` of an entry: Node.js or Touchstone has moved. */
function startFault({ program, args, verb }: WrappedEntry, env: CliIo["env"]): string | undefined {
  const command = String(program.value);
  const paths = [command, ...args.slice(0, verb)].filter(isAbsolute);
  const missing = paths.find((path) => !isFile(path));
  if (missing !== undefined) {
    return `it starts ${missing}, which does not exist; install it again with --command`;
  }
  if (isAbsolute(command) || isOnPath(command, env["PATH"])) return undefined;
  return `it starts ${command}, which is not on your PATH; install it again with --command`;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
