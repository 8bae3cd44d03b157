import { existsSync, writeFileSync } from "node:fs";
import { replaceFile } from "@touchstone/gateway/config";
import {
  type Change,
  compareServers,
  type LockedServer,
  type LockFile,
  lockFaultText,
  type ReadLock,
  readLock,
  writeLock,
} from "@touchstone/protocol/lock";
import { plural } from "@touchstone/util/plural";
import { hasFindings, type Level, type Report } from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import type { ReportOptions } from "../findings/unreadable-input.ts";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { readFile } from "../io/read-file.ts";
import { writeError } from "../io/write-error.ts";
import { splitServerWords } from "../servers/words.ts";
import { Progress } from "../terminal/progress.ts";
import { safeLines, safeText } from "../terminal/safe-text.ts";
import type { ListedOptions } from "../tools/list-tools.ts";
import {
  type AllowedChanges,
  changeFinding,
  changePointer,
  changeSubject,
} from "./change-findings.ts";
import { fetchDeclarations } from "./declared-server.ts";

export interface LockCommandOptions extends Omit<ListedOptions, "failOn"> {
  readonly lock: string;
  readonly name?: string;
  readonly check?: boolean;
  readonly failOn: "breaking" | "text" | "any";
  readonly allow?: readonly ("closed" | "opened")[];
  readonly allowUnproven?: boolean;
}

type LockIo = ProcessIo & { readonly version: string; readonly args: readonly string[] };
type GoodLock = Extract<ReadLock, { readonly ok: true }>;

/** Largest lock file to read, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024;
const FAIL_ON: Readonly<Record<LockCommandOptions["failOn"], Level>> = {
  breaking: "error",
  text: "warning",
  any: "note",
};

/**
 * Writes what a server declares to a lock file, or compares it with the file. Keeps other servers in the file
 * unchanged.
 * @throws CliExit 1 if a relevant change is found, 2 for wrong usage or an unusable lock file, 3 if the server does
 *   not respond or a file cannot be read or written
 */
export async function runLock(
  words: readonly string[],
  options: LockCommandOptions,
  io: LockIo,
): Promise<void> {
  const { server: subject, rest } = splitServerWords(words, io.args);
  if (rest.length > 0) {
    const text = `lock takes one server or file; "${rest.join(" ")}" is too much`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const { lock: file, check = false, name: given, allow = [], allowUnproven, ...asking } = options;
  const allowed: AllowedChanges = {
    closed: allow.includes("closed"),
    opened: allow.includes("opened"),
    unproven: allowUnproven === true,
  };
  // Checks the file first, so that no server is started unnecessarily.
  const before = check || existsSync(file) ? lockIn(file) : undefined;
  const failOn = FAIL_ON[options.failOn];
  const reporting: ReportOptions = { output: options.output, failOn, report: options.report ?? [] };
  const { name, server } = await fetchDeclarations(subject, asking, reporting, io);
  if (check) {
    const known = lockedName(file, before as GoodLock, { own: name, given, server });
    const report = reportOf(file, known, before as GoodLock, server, allowed, io);
    const left = notCompared((before as GoodLock).lock.servers.get(known), server);
    if (left !== "") {
      io.stderr.write(`touchstone: not compared, since only one side has them: ${left}\n`);
    }
    writeReport(report, options.output, io, failOn, options.report);
    if (hasFindings(report, failOn)) throw new CliExit(EXIT_FINDINGS);
    return;
  }
  const own = given ?? name;
  const held = before?.lock.servers.get(own);
  const servers = new Map(before?.lock.servers ?? []);
  servers.set(own, withApproved(server, held));
  save(file, { servers }, before !== undefined);
  const same = held === undefined ? namesakes(before, server) : [own];
  const [compared] = same.length === 1 ? same : [];
  if (before !== undefined && compared !== undefined) {
    writeReport(
      reportOf(file, compared, before, server, allowed, io),
      options.output,
      io,
      failOn,
      options.report,
    );
  }
  if (held === undefined) io.stderr.write(namesakesText(own, same, server));
  io.stderr.write(`touchstone: wrote ${safeText(file)}: ${contentOf(own, server)}\n`);
}

/**
 * Returns the names in a lock of servers that identify themselves by the same name, for example because they were
 * started from another folder.
 */
function namesakes(before: GoodLock | undefined, { identity }: LockedServer): readonly string[] {
  if (before === undefined || identity === undefined) return [];
  return [...before.lock.servers]
    .filter(([, locked]) => locked.identity?.name === identity.name)
    .map(([name]) => name);
}

/** Returns advice for the case that the lock may contain the server under another name; empty if it does not. */
function namesakesText(own: string, same: readonly string[], { identity }: LockedServer): string {
  const [first] = same;
  if (first === undefined) return "";
  const names = same.slice(0, 50).map(safeText).join(", ");
  const compared = same.length === 1 ? "it was compared with that entry" : "none was compared";
  return (
    `touchstone: ${safeText(own)} is a new entry, but its server calls itself "${safeText(identity?.name ?? "")}", as ` +
    `${names} did: ${compared}. If it is the same server, use --name ${same.length === 1 ? names : "NAME"} and remove the new entry\n`
  );
}

/** @throws CliExit 2 with the fault if the file is invalid, 3 if it cannot be read */
function lockIn(file: string): GoodLock {
  if (!existsSync(file)) {
    const text = `there is no ${safeText(file)}; write it with touchstone lock, without --check`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const read = readLock(readFile(file, MAX_BYTES));
  if (read.ok) return read;
  const faults = read.faults.map((fault) => safeLines(lockFaultText(file, fault)));
  throw new CliExit(EXIT_USAGE, faults.join("\n"));
}

/**
 * Returns the server's name in the lock: the given name, its own name, the name of the only server that identifies
 * itself by the same name, or that of the only server in the lock.
 */
function lockedName(
  file: string,
  before: GoodLock,
  {
    own,
    given,
    server,
  }: { readonly own: string; readonly given: string | undefined; readonly server: LockedServer },
): string {
  const { servers } = before.lock;
  const name = given ?? own;
  if (servers.has(name)) return name;
  const [same, other] = given === undefined ? namesakes(before, server) : [];
  if (same !== undefined && other === undefined) return same;
  const [only] = servers.keys();
  if (given === undefined && servers.size === 1 && only !== undefined) return only;
  const names = [...servers.keys()].slice(0, 50).map(safeText).join(", ");
  const has = names === "" ? "It has none" : `It has: ${names}; name one with --name`;
  throw new CliExit(EXIT_USAGE, `${safeText(file)} has no server "${safeText(name)}". ${has}`);
}

function reportOf(
  file: string,
  name: string,
  { lock, placesOf }: GoodLock,
  server: LockedServer,
  allowed: AllowedChanges,
  io: LockIo,
): Report {
  const locked = lock.servers.get(name) ?? { tools: new Map() };
  const progress = new Progress(io);
  const changes = compareServers(locked, server, (done) =>
    progress.at(() => `comparing, ${plural(done, "definition")} done`),
  );
  progress.clear();
  const places = placesOf(changes.map((change) => changePointer(name, change)));
  const findings = changes.map((change, at) => ({
    ...changeFinding(change, allowed),
    file,
    ...places[at],
  }));
  return { name: `${file}: ${name}`, subjects: subjectsOf(locked, server, changes), findings };
}

/** Returns all subjects that were compared. */
function subjectsOf(
  locked: LockedServer,
  server: LockedServer,
  changes: readonly Change[],
): readonly string[] {
  const names = (
    thing: Change["thing"],
    one: ReadonlyMap<string, unknown> | undefined,
    other: ReadonlyMap<string, unknown> | undefined,
  ): string[] =>
    one === undefined || other === undefined
      ? []
      : [...new Set([...one.keys(), ...other.keys()])].map((name) =>
          changeSubject({ thing, name }),
        );
  return [
    ...(changes.some(({ thing }) => thing === "server") ? ["server"] : []),
    ...names("tool", locked.tools, server.tools),
    ...names("prompt", locked.prompts, server.prompts),
    ...names("resource template", locked.resourceTemplates, server.resourceTemplates),
  ];
}

/**
 * Returns the parts that only one side has, such as prompts if the other side is a file with tools; they are not
 * compared.
 */
function notCompared(locked: LockedServer | undefined, server: LockedServer): string {
  if (locked === undefined) return "";
  const only = <T>(one: T, other: T): T | undefined =>
    one === undefined ? other : other === undefined ? one : undefined;
  const prompts = only(locked.prompts, server.prompts)?.size ?? 0;
  const templates = only(locked.resourceTemplates, server.resourceTemplates)?.size ?? 0;
  const instructions = only(locked.instructions, server.instructions);
  return [
    ...(prompts === 0 ? [] : [plural(prompts, "prompt")]),
    ...(templates === 0 ? [] : [plural(templates, "resource template")]),
    ...(typeof instructions === "string" ? ["instructions"] : []),
    ...(only(locked.identity, server.identity) === undefined ? [] : ["identity"]),
  ].join(", ");
}

/** Returns the declared server with the additionally approved definitions of names that still exist. */
function withApproved(server: LockedServer, held: LockedServer | undefined): LockedServer {
  if (held === undefined) return server;
  const kept = <T extends LockedServer["tools"] | undefined>(now: T, old: T): T => {
    if (now === undefined || old === undefined) return now;
    const entries = [...now].map(([name, definition]) => {
      const alsoApproved = old.get(name)?.alsoApproved ?? [];
      return [name, { ...definition, alsoApproved }] as const;
    });
    return new Map(entries) as unknown as T;
  };
  return {
    ...server,
    tools: kept(server.tools, held.tools),
    // Keeps the parts that a file with tools cannot contain.
    prompts: kept(server.prompts, held.prompts) ?? held.prompts,
    resourceTemplates:
      kept(server.resourceTemplates, held.resourceTemplates) ?? held.resourceTemplates,
    identity: server.identity ?? held.identity,
    protocolVersion: server.protocolVersion ?? held.protocolVersion,
    instructions: server.instructions === undefined ? held.instructions : server.instructions,
  };
}

/** @throws CliExit 3 if the file cannot be written */
function save(file: string, lock: LockFile, isThere: boolean): void {
  const text = writeLock(lock);
  try {
    if (isThere) replaceFile(file, text);
    else writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    throw writeError(file, error);
  }
}

function contentOf(name: string, { tools, prompts, resourceTemplates }: LockedServer): string {
  const parts = [
    plural(tools.size, "tool"),
    ...(prompts === undefined ? [] : [plural(prompts.size, "prompt")]),
    ...(resourceTemplates === undefined
      ? []
      : [plural(resourceTemplates.size, "resource template")]),
  ];
  return `${safeText(name)} with ${parts.join(", ")}`;
}
