import { arrayItemSteps } from "@touchstone/core/advanced";
import type { SlicePause } from "@touchstone/util";
import { maxPageEntries } from "../contracts/tools-page.ts";
import { type NamedStep, readTool, type ViewChange, viewTool } from "./list-view.ts";

/** One tool of a page: as its server wrote it, and as a client gets it. */
export interface ViewedEntry {
  /** The server's name for it; undefined if it has none that can be read. */
  readonly name: string | undefined;
  readonly original: Uint8Array;
  /** What the client gets: its text and its name; undefined if it is left out. */
  readonly shown: { readonly text: Uint8Array; readonly name: string | undefined } | undefined;
  readonly changes: readonly ViewChange[];
}

/**
 * Shows people what the steps make of each tool of a page, one tool at a time. The same steps change the list for
 * clients: see `ListViews.show`.
 * @param page the text of an array
 */
export function* viewTools(
  page: Uint8Array,
  steps: readonly NamedStep[],
  maxTools: number,
): Generator<SlicePause, readonly ViewedEntry[], void> {
  const entries: ViewedEntry[] = [];
  for (const range of arrayItemSteps(page, { start: 0, end: page.length })) {
    yield;
    if (range === undefined) continue;
    const { start, end } = range;
    if (entries.length === maxPageEntries(maxTools)) break;
    const tool = yield* readTool(page.subarray(start, end), entries.length);
    const { name, place, original } = tool;
    const changes: ViewChange[] = [];
    const { isLeftOut, text } = yield* viewTool(tool, steps, (change) => changes.push(change));
    const made = text === undefined ? undefined : Buffer.from(text);
    const shown = isLeftOut
      ? undefined
      : made === undefined
        ? { text: original, name }
        : { text: made, name: (yield* readTool(made, place)).name };
    entries.push({ name, original, shown, changes });
  }
  return entries;
}
