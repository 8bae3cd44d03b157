import { plural } from "@touchstone/util/plural";
import { userConfigFile } from "../config-file/default-config.ts";
import { safeText } from "../terminal/safe-text.ts";
import { existingFiles } from "./clients.ts";
import type { Entry } from "./entries.ts";
import type { InstallIo, InstallOptions } from "./options.ts";
import { readClient } from "./read-client.ts";
import { addUserEntries, removeUserEntries } from "./user-entries.ts";
import { readWrappedEntry } from "./wrapped.ts";

/** The servers in clients' files, by the paths of the files with links resolved. */
export type ServersByPath = ReadonlyMap<string, readonly Entry[]>;

/**
 * Gives wrapped servers an entry in the user's file, except in a dry run. Returns a text for people about the
 * changes.
 */
export function addToUserFile(
  names: readonly string[],
  { dryRun = false }: InstallOptions,
  { env, place }: InstallIo,
): string {
  if (names.length === 0) return "";
  const file = userConfigFile(place);
  const { names: added, fault } = addUserEntries(file, names, env, { dryRun });
  const shown = safeText(file);
  if (fault !== undefined) {
    const [was, lists] = dryRun ? ["can be", "would not list"] : ["was", "does not list"];
    return `\nno entry ${was} added to ${shown}, so the console ${lists} these servers: ${safeText(fault)}\n`;
  }
  if (added.length === 0) return "";
  const has = dryRun ? "would get" : "has";
  return `\n${shown} ${has} an entry for ${plural(added.length, "more server")}: settings go there\n`;
}

/**
 * Removes the entries without settings of servers that no client wraps anymore from the user's file, except in a dry
 * run. Returns a text for people about the changes.
 * @param after the servers of the files that were restored, or would be
 */
export async function removeFromUserFile(
  names: readonly string[],
  after: ServersByPath,
  { file, dryRun = false }: InstallOptions,
  { place }: InstallIo,
): Promise<string> {
  const user = userConfigFile(place);
  const paths = [
    ...existingFiles(place).map(({ path }) => path),
    ...(file === undefined ? [] : [file]),
  ];
  const still = await stillWrapped(paths, after);
  const gone = names.filter((name) => !still.has(name));
  const { names: removed, kept = [], fault } = removeUserEntries(user, gone, { dryRun });
  const shown = safeText(user);
  if (fault !== undefined) {
    const was = dryRun ? "can be" : "was";
    return `\nno entry ${was} removed from ${shown}: ${safeText(fault)}\n`;
  }
  const be = dryRun ? "would be " : "";
  const done = [
    ...(removed.length === 0
      ? []
      : [`${plural(removed.length, "entry", "entries")} without settings ${be}removed`]),
    ...(kept.length === 0
      ? []
      : [`${plural(kept.length, "entry", "entries")} with settings ${be}kept (${listed(kept)})`]),
  ];
  return done.length === 0 ? "" : `\n${shown}: ${done.join(", ")}\n`;
}

/** Largest number of servers to name. */
const MAX_NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const first = names.slice(0, MAX_NAMED).map(safeText);
  return [...first, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Returns the servers that some client still wraps. */
async function stillWrapped(
  paths: readonly string[],
  after: ServersByPath,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const path of paths) {
    // If a file cannot be read, its client cannot start a wrapped server from it.
    const read = await readClient({ program: "", path }, false).catch(() => undefined);
    for (const entry of (read && (after.get(read.client.path) ?? read.entries)) ?? []) {
      const found = readWrappedEntry(entry);
      if (found !== undefined) names.add(found.name);
    }
  }
  return names;
}
