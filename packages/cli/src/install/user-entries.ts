import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseConfig, serverNameFault } from "@touchstone/gateway/config";
import { parseTree } from "jsonc-parser";
import { firstFault } from "../config-file/first-fault.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { readClientFile, replaceIfUnchanged } from "./client-file.ts";
import { applyEdits, type Edit, type Member, membersOf, type Node, nodeEnd } from "./entries.ts";
import { layoutOf } from "./layout.ts";
import { memberRemoval } from "./unwrap-entry.ts";

/** The first line of a file that `install` has created; `uninstall` removes such a file with its last entry. */
export const CREATED_LINE =
  "// Written by touchstone install: settings of wrapped servers. Anything may be added here.";
const ENTRY = '{ "touchstone": {} }';

/** The result of changing the user's file. */
export interface UserEntries {
  /** The servers whose entries were added or removed; in a dry run, those that would be. */
  readonly names: readonly string[];
  /** The servers that keep their entry, because it has settings. */
  readonly kept?: readonly string[];
  /** Why the file could not be changed; absent without an error. */
  readonly fault?: string;
}

interface HowToEdit {
  /** Whether to write nothing. */
  readonly dryRun?: boolean;
}

/**
 * Adds an entry without settings for each wrapped server to the user's file, which `wrap` and the console read.
 * Creates the file if there is none. Keeps existing entries, and everything else, byte for byte.
 */
export function addUserEntries(
  file: string,
  servers: readonly string[],
  env: CliIo["env"],
  { dryRun = false }: HowToEdit = {},
): UserEntries {
  try {
    const wanted = servers.filter((name) => serverNameFault(name) === undefined);
    if (!existsSync(file)) {
      if (wanted.length > 0 && !dryRun) create(file, wanted);
      return { names: wanted };
    }
    const read = readClientFile(file);
    const { text } = read;
    const names = missingIn(text, wanted);
    if (names.length === 0) return { names };
    // Never changes a file whose result would be invalid, and never creates an invalid one.
    parseConfig(text, { file, env });
    const after = applyEdits(text, insertion(text, names));
    parseConfig(after, { file, env });
    if (!dryRun) replaceIfUnchanged(read, after);
    return { names };
  } catch (error) {
    return { names: [], fault: firstFault(error) };
  }
}

/**
 * Removes the entries of servers that have no settings, which {@link addUserEntries} has added. Removes the file if
 * that function has created it and it has no other content.
 */
export function removeUserEntries(
  file: string,
  servers: readonly string[],
  { dryRun = false }: HowToEdit = {},
): UserEntries {
  try {
    if (!existsSync(file)) return { names: [] };
    const read = readClientFile(file);
    const { text, path } = read;
    const container = containerOf(text);
    const known = [...(container?.entries ?? [])].filter(([name]) => servers.includes(name));
    const namesOf = (isUnset: boolean): readonly string[] =>
      known.filter(([, { value }]) => isWithoutSettings(value) === isUnset).map(([name]) => name);
    const [names, kept] = [namesOf(true), namesOf(false)];
    if (container === undefined || names.length === 0 || dryRun) return { names, kept };
    const isAll = names.length === container.entries.size;
    if (isAll && text === created(names)) {
      rmSync(path);
      removeIfEmpty(dirname(path));
      return { names };
    }
    const isOwn = isAll && ownContainers(text, container.member, names).includes(container.text);
    let after = text;
    if (isOwn) after = applyEdits(text, [memberRemoval(text, container.member.property)]);
    // One after the other, because adjacent entries share a comma.
    else for (const name of names) after = without(after, name);
    replaceIfUnchanged(read, after);
    return { names, kept };
  } catch (error) {
    return { names: [], fault: firstFault(error) };
  }
}

/** Returns the names of the servers whose entries have no settings, if `install` has created the file; else undefined. */
export function createdEntries(text: string): readonly string[] | undefined {
  const container = containerOf(text);
  const names = [...(container?.entries.keys() ?? [])];
  return text === created(names) ? names : undefined;
}

function create(file: string, names: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, created(names), { mode: 0o600, flag: "wx" });
}

function created(names: readonly string[]): string {
  const entries = names.map((name) => `    ${JSON.stringify(name)}: ${ENTRY}`);
  return `${CREATED_LINE}\n{\n  "mcpServers": {\n${entries.join(",\n")}\n  }\n}\n`;
}

interface Container {
  readonly member: Member;
  readonly text: string;
  readonly entries: ReadonlyMap<string, Member>;
}

function rootOf(text: string): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root?.type === "object" ? root : undefined;
}

function containerOf(text: string): Container | undefined {
  const root = rootOf(text);
  const member = root && membersOf(root).get("mcpServers");
  if (member?.value.type !== "object") return undefined;
  const { offset } = member.value;
  const own = text.slice(offset, nodeEnd(member.value));
  return { member, text: own, entries: membersOf(member.value) };
}

function missingIn(text: string, wanted: readonly string[]): readonly string[] {
  const entries = containerOf(text)?.entries;
  return wanted.filter((name) => entries?.has(name) !== true);
}

function entryOf(name: string): string {
  return `${JSON.stringify(name)}: ${ENTRY}`;
}

/** Returns the edit that adds entries after the last one, with the same separators. */
function insertion(text: string, names: readonly string[]): readonly Edit[] {
  const container = containerOf(text);
  if (container === undefined) return containerInsertion(text, names);
  const last = [...container.entries.values()].at(-1);
  if (last === undefined) {
    const start = container.member.value.offset + 1;
    return [{ start, end: start, text: names.map(entryOf).join(", ") }];
  }
  const { member } = layoutOf(text, last);
  const start = nodeEnd(last.property);
  return [{ start, end: start, text: names.map((name) => member + entryOf(name)).join("") }];
}

function containerInsertion(text: string, names: readonly string[]): readonly Edit[] {
  const root = rootOf(text);
  if (root === undefined) throw new Error("it is not an object");
  const last = [...membersOf(root).values()].at(-1);
  const [own = ""] = containerTexts(last === undefined ? "" : layoutOf(text, last).member, names);
  const member = `"mcpServers": ${own}`;
  if (last === undefined) {
    const start = root.offset + 1;
    return [{ start, end: start, text: member }];
  }
  const start = nodeEnd(last.property);
  return [{ start, end: start, text: layoutOf(text, last).member + member }];
}

/**
 * Returns the text of a container that {@link containerInsertion} creates. White space after the bracket
 * distinguishes it from a container that existed before.
 * @param separator before a member of the root: a comma and white space
 */
function containerTexts(separator: string, names: readonly string[]): readonly string[] {
  const line = /[\r\n]/.test(separator) ? separator.slice(1) : undefined;
  if (line === undefined) return [`{ ${names.map(entryOf).join(", ")} }`];
  const indent = /[ \t]*$/.exec(line)?.[0] ?? "";
  const inner = line + (indent === "" ? "  " : indent);
  return [`{${names.map((name) => inner + entryOf(name)).join(",")}${line}}`];
}

function ownContainers(text: string, member: Member, names: readonly string[]): readonly string[] {
  return containerTexts(layoutOf(text, member).member, names);
}

function without(text: string, name: string): string {
  const entry = containerOf(text)?.entries.get(name);
  return entry === undefined ? text : applyEdits(text, [memberRemoval(text, entry.property)]);
}

function isWithoutSettings(value: Node): boolean {
  const members = membersOf(value);
  const touchstone = members.get("touchstone")?.value;
  return (
    members.size === 1 && touchstone?.type === "object" && (touchstone.children ?? []).length === 0
  );
}

/** Removes a directory if it is empty. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The directory is not empty.
  }
}
