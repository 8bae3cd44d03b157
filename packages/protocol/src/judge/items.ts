import type { Issue } from "@touchstone/core";
import type { Frame } from "../frame.ts";
import { MESSAGE_TABLES } from "../messages/tables.ts";
import type { ItemFaults } from "./message-check.ts";

/** The member of the result that is a list, by method. It is the same in every revision. */
const LISTS: ReadonlyMap<string, string> = new Map(
  MESSAGE_TABLES.flatMap(({ methods }) =>
    Object.entries(methods).flatMap(([name, { list }]): [string, string][] =>
      list === undefined ? [] : [[name, list.member]],
    ),
  ),
);

/**
 * Returns whether results of a method are lists whose faulty items hide nothing else: lists of the tables, and those
 * that an extension names like one.
 */
export function isListResult(method: string): boolean {
  return LISTS.has(method) || method.endsWith("/list");
}

const ITEM = /^\/(\d+)(?:\/|$)/;

/** Returns the index of the item that a path inside a list leads to; undefined for a path to the list itself. */
function itemOf(path: string, list: string): number | undefined {
  const item = path.startsWith(list) ? ITEM.exec(path.slice(list.length))?.[1] : undefined;
  return item === undefined ? undefined : Number(item);
}

/** Issues of a response. */
interface Parted {
  readonly whole: readonly Issue[];
  readonly items: readonly ItemFaults[];
}

/** Most responses have none. */
const NONE: Parted = { whole: [], items: [] };

/**
 * Separates the issues of a response that are in single items of its list, if they hide nothing else, from those of
 * the whole message.
 * @param issues with paths into the message
 * @param requestMethod the method of the request that the response belongs to
 */
export function splitItemIssues(
  frame: Frame,
  issues: readonly Issue[],
  requestMethod: string | undefined,
): Parted {
  if (issues.length === 0) return NONE;
  const member = requestMethod === undefined ? undefined : LISTS.get(requestMethod);
  if (frame.kind !== "response" || member === undefined) return { whole: issues, items: [] };
  const list = `/result/${member}`;
  const isInside = ({ path }: Issue): boolean => itemOf(path, list) !== undefined;
  return {
    whole: issues.filter((issue) => !isInside(issue)),
    items: groupByItem(issues.filter(isInside), list),
  };
}

/** Groups issues by the item that they are in. Their paths lead into the message, as `list` does. */
export function groupByItem(issues: readonly Issue[], list: string): ItemFaults[] {
  const items = new Map<number, Issue[]>();
  for (const issue of issues) {
    const item = itemOf(issue.path, list);
    if (item === undefined) continue;
    const known = items.get(item);
    if (known === undefined) items.set(item, [issue]);
    else known.push(issue);
  }
  return [...items].map(([item, found]) => ({ item, path: `${list}/${item}`, issues: found }));
}

/** Merges item faults that were found in two ways: each item once, in the order of the list. */
export function mergeItemFaults(
  some: readonly ItemFaults[],
  others: readonly ItemFaults[],
): readonly ItemFaults[] {
  if (some.length === 0) return others;
  const joined = new Map(some.map((faults) => [faults.item, faults]));
  for (const faults of others) {
    const known = joined.get(faults.item);
    const issues = known === undefined ? faults.issues : [...known.issues, ...faults.issues];
    joined.set(faults.item, { ...faults, issues });
  }
  return [...joined.values()].sort((a, b) => a.item - b.item);
}
