import { isDeepStrictEqual } from "node:util";
import { isObject } from "@touchstone/core/advanced";
import type { ConfigFile } from "../settings/schema.ts";
import { isSecretAt } from "../settings/sections.ts";
import type { Path } from "./document.ts";

/** A changed setting, as a record shows it. */
export interface SettingChange {
  /** Its keys in the file, separated by dots. */
  readonly setting: string;
  /** JSON text, `none` if it was unset, or `(hidden)` if it may be a secret. */
  readonly before: string;
  readonly after: string;
}

/** Most changes to list, and most characters of each value. */
const MAX_CHANGES = 50;
const MAX_VALUE = 120;
const HIDDEN = "(hidden)";
const NONE = "none";

/**
 * Returns the settings that differ between two complete files. Values that may be secrets are hidden. A server's or
 * tool's setting that only follows the level above is left out.
 */
export function settingChanges(before: ConfigFile, after: ConfigFile): readonly SettingChange[] {
  const { mcpServers: oldServers = {}, ...oldTop } = before;
  const { mcpServers: newServers = {}, ...newTop } = after;
  const top = [...differences(oldTop, newTop, [])];
  const changes = top.map(shown);
  for (const name of new Set([...Object.keys(oldServers), ...Object.keys(newServers)])) {
    const [old, now] = [oldServers[name], newServers[name]];
    const path = ["mcpServers", name];
    if (old === undefined || now === undefined) {
      const states = old === undefined ? [NONE, "added"] : ["present", "removed"];
      changes.push({ setting: path.join("."), before: states[0] ?? "", after: states[1] ?? "" });
      continue;
    }
    const { tools: oldTools = {}, ...oldOwn } = old.touchstone ?? {};
    const { tools: newTools = {}, ...newOwn } = now.touchstone ?? {};
    const { touchstone: _, ...oldEntry } = old;
    const { touchstone: __, ...newEntry } = now;
    changes.push(...[...differences(oldEntry, newEntry, path)].map(shown));
    const at = [...path, "touchstone"];
    const own = [...differences(oldOwn, newOwn, at)];
    changes.push(...notFollowing(own, at, top, []).map(shown));
    for (const tool of new Set([...Object.keys(oldTools), ...Object.keys(newTools)])) {
      const of = [...at, "tools", tool];
      const [was, is] = [oldTools[tool], newTools[tool]];
      const differing = [...differences(was ?? {}, is ?? {}, of)];
      // The complete file of a tool that had no settings repeats those of its server.
      const isNew = was === undefined || is === undefined;
      changes.push(...(isNew ? differing : notFollowing(differing, of, own, at)).map(shown));
    }
  }
  return changes;
}

/** Returns changes in one line for records: `SETTING: BEFORE → AFTER`, at most 50 of them. */
export function settingChangesText(changes: readonly SettingChange[]): string {
  const lines = changes
    .slice(0, MAX_CHANGES)
    .map(({ setting, before, after }) => `${setting}: ${before} → ${after}`);
  const more = changes.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

interface Difference {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

function* differences(before: unknown, after: unknown, path: Path): Generator<Difference> {
  if (isDeepStrictEqual(before, after)) return;
  if (isObject(before) && isObject(after) && !isWhole(path)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* differences(before[key], after[key], [...path, key]);
    }
  } else if (isObject(before ?? after) && (before ?? after) !== null && !isWhole(path)) {
    yield* differences(before ?? {}, after ?? {}, path);
  } else yield { path, before, after };
}

/** The schema of `narrow` is one value, and may have values of variables. */
const isWhole = (path: Path): boolean => path.at(-1) === "narrow";

/** Returns the differences that are not those of the level above. */
function notFollowing(
  differing: readonly Difference[],
  at: Path,
  above: readonly Difference[],
  aboveAt: Path,
): readonly Difference[] {
  const key = ({ path, before, after }: Difference, from: Path): string =>
    JSON.stringify([path.slice(from.length), before, after]);
  const known = new Set(above.map((one) => key(one, aboveAt)));
  return differing.filter((one) => !known.has(key(one, at)));
}

function shown({ path, before, after }: Difference): SettingChange {
  const isHidden = isWhole(path) || isSecretAt(path);
  const text = (value: unknown): string => {
    if (value === undefined) return NONE;
    if (isHidden) return HIDDEN;
    const json = JSON.stringify(value);
    return json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE)}…` : json;
  };
  return { setting: path.join("."), before: text(before), after: text(after) };
}
