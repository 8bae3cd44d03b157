import { existsSync } from "node:fs";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../io/exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import {
  CLIENTS,
  type ClientFile,
  type ClientName,
  type ClientPlaces,
  clientFiles,
  PROGRAMS,
} from "./clients.ts";
import type { InstallIo, InstallOptions } from "./options.ts";

/**
 * Returns the files that the options name and that exist.
 * @throws CliExit 2 if the options name no client, or contradict each other; 3 if none of the files exists
 */
export function chosenFiles(
  { client, file, project = false }: InstallOptions,
  io: InstallIo,
): readonly ClientFile[] {
  if (file !== undefined) {
    const other = client !== undefined ? "--client" : project ? "--project" : undefined;
    if (other === undefined) return [{ program: "", path: file }];
    throw new CliExit(EXIT_USAGE, `--file and ${other} name different files; give one of them`);
  }
  if (client === undefined) {
    const here = CLIENTS.filter((name) =>
      clientFiles(name, io.place, project).some(({ path }) => existsSync(path)),
    );
    const found = here.length === 0 ? "" : `. Found here: ${here.join(", ")}`;
    throw new CliExit(EXIT_USAGE, `name a client with --client, or its file with --file${found}`);
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

function allFiles(place: ClientPlaces, project: boolean): readonly ClientFile[] {
  return CLIENTS.flatMap((client) => clientFiles(client, place, project));
}

/** Returns the files of a client, or of one of its programs. */
function named(name: string, place: ClientPlaces, project: boolean): readonly ClientFile[] {
  const [client, only] = PROGRAMS[name] ?? [name as ClientName];
  const files = clientFiles(client, place, project);
  return only === undefined ? files : files.filter(({ program }) => program === only);
}

const NO_FILE =
  "keeps its file in the folder where it starts; name it with --file, or use --project there";

/** Prints the programs without a file. */
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
