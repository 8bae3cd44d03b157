import { readFileSync } from "node:fs";
import { isObject, parseJson, withoutByteOrderMark } from "@touchstone/core/advanced";
import {
  type Change,
  compareServers,
  type LockedDefinition,
  lockedDefinition,
} from "@touchstone/protocol/lock";
import { visible } from "@touchstone/util";
import { lockedServerIn } from "./locked-server.ts";

/** How many differences are named. */
const MAX_CHANGES = 50;
const MAX_NAME = 100;

/**
 * Returns how tools differ from those of a server in a lock file, one text each; none if the lock has or approves all of
 * them. The changes are those from the lock to the tools.
 * @param server its name; the only server in the file counts whatever its name is
 * @param tools JSON texts
 * @throws CaptureError if the file is not a lock file, or has no such server; Error if it cannot be read
 */
export function changesFromLock(
  file: string,
  server: string,
  tools: readonly string[],
): readonly string[] {
  const bytes = withoutByteOrderMark(readFileSync(file));
  const { locked } = lockedServerIn(file, bytes, { name: server, isOnlyEnough: true });
  // Captures and lists of tools say nothing sure of the rest.
  const changes = compareServers({ tools: locked.tools }, { tools: byName(tools) });
  const texts = changes.slice(0, MAX_CHANGES).map(textOf);
  const more = changes.length - MAX_CHANGES;
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

function byName(texts: readonly string[]): ReadonlyMap<string, LockedDefinition> {
  const definitions = new Map<string, LockedDefinition>();
  for (const text of texts) {
    const parsed = parseJson(text);
    const name = parsed.ok && isObject(parsed.value) ? parsed.value["name"] : undefined;
    const definition = lockedDefinition(text);
    if (typeof name === "string" && definition !== undefined) definitions.set(name, definition);
  }
  return definitions;
}

function textOf({ name, path, message }: Change): string {
  return `${visible(name, MAX_NAME)}${visible(path, 2 * MAX_NAME)}: ${visible(message, 5 * MAX_NAME)}`;
}
