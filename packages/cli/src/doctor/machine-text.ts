import { plural } from "@touchstone/util/plural";
import { safeText } from "../terminal/safe-text.ts";
import type { FoundClient, FoundEntry, MachineFindings } from "./machine.ts";

/** Largest number of servers to list of one client. */
const MAX_SERVERS = 40;

/** Returns the facts about the machine as text for people. */
export function machineText({
  version,
  node,
  platform,
  records,
  clients,
}: MachineFindings): string {
  const lines = [
    `touchstone ${safeText(version)}, Node.js ${safeText(node)}, ${safeText(platform)}`,
    recordsLine(records),
    ...clients.flatMap(clientLines),
    ...(clients.length === 0 ? ["no client's file was found, here or in your home directory"] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function recordsLine({ dataDir, exists, fault }: MachineFindings["records"]): string {
  if (dataDir === null) return `! records: ${fault ?? ""}`;
  const where = `records in ${safeText(dataDir)}`;
  if (fault !== undefined) return `! ${where} cannot be written: ${safeText(fault)}`;
  return exists ? `${where}: can be written` : `${where}: none yet; the directory can be created`;
}

function clientLines({ program, file, servers, fault }: FoundClient): readonly string[] {
  const title = `${safeText(program)}: ${safeText(file)}`;
  // The reason names the file.
  if (fault !== undefined) return [`! ${safeText(program)}: ${safeText(fault)}`];
  const wrapped = servers.filter((server) => server.wrapped).length;
  const counts = `${plural(servers.length, "server")}, ${wrapped} wrapped`;
  const more = servers.length - MAX_SERVERS;
  return [
    `${title}: ${counts}`,
    ...servers.slice(0, MAX_SERVERS).map(serverLine),
    ...(more > 0 ? [`  and ${plural(more, "more server")}`] : []),
  ];
}

function serverLine({ name, project, wrapped, modes, disabled, fault }: FoundEntry): string {
  const shown = project === undefined ? "" : ` (${safeText(project)})`;
  const state = [
    wrapped ? "wrapped" : "not wrapped",
    ...(modes === undefined ? [] : [modes]),
    ...(disabled ? ["disabled in the client"] : []),
  ].join(", ");
  const why = fault === undefined ? "" : `: ${safeText(fault)}`;
  return `${fault === undefined ? " " : "!"} ${safeText(name)}${shown}: ${state}${why}`;
}

/** Returns what is wrong with the machine, in one line; undefined if nothing was found. */
export function machineTrouble({ records, clients }: MachineFindings): string | undefined {
  const servers = clients.flatMap((client) => client.servers);
  const trouble = [
    ...(records.fault === undefined ? [] : ["records cannot be written"]),
    ...clients.flatMap(({ program, fault }) => (fault === undefined ? [] : [`${program}'s file`])),
    ...servers.flatMap(({ name, fault }) => (fault === undefined ? [] : [name])),
  ];
  return trouble.length === 0 ? undefined : `with findings: ${trouble.join(", ")}`;
}

/** Returns the commands that come next, for a user without a configuration. */
export function machineNextSteps({ clients }: MachineFindings, command: string): string {
  const first = clients.find(({ servers }) => servers.length > 0);
  const servers = clients.flatMap((client) => client.servers);
  const some = servers.some(({ wrapped }) => wrapped);
  const lines = [
    ...(first === undefined
      ? [`${command} demo   see what Touchstone does`]
      : some
        ? [`${command} ui   see what happened`]
        : [`${command} install --client all --dry-run   put Touchstone in front of them`]),
    ...(first === undefined
      ? []
      : [`${command} doctor --servers ${first.file}   start its servers and check their tools`]),
  ];
  return `\nNo server was started. Next:\n${lines.map((line) => `  ${safeText(line)}\n`).join("")}`;
}
