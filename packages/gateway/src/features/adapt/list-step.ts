import { decodeUtf8, scanJson } from "@touchstone/core/advanced";
import type { AdaptedTool } from "@touchstone/protocol/lint";
import { lateImport, threadSlice } from "@touchstone/util";
import type { ToolContract } from "../../contracts/contract.ts";
import { isRetainedFrom } from "../../contracts/large-schema.ts";
import type { NameSettings } from "../../contracts/name-settings.ts";
import type { ListedNames } from "../../contracts/short-names.ts";
import type { ListStep, ListViewer, PreparedStep, ToolView, ViewedTool } from "../list-step.ts";
import { isOwnClient } from "../own-client.ts";
import type { AdaptSettings } from "./adapt.ts";

type Adapting = typeof import("./adapter.ts");

/** Loaded for the first list that needs it. */
let adapting: Adapting | undefined;

const load = lateImport(async () => {
  adapting = await import("./adapter.ts");
});

/** Returns the settings for a viewer; undefined if its lists stay as they are. */
function settingsFor({ settings, client }: ListViewer): AdaptSettings | undefined {
  return isOwnClient(client) ? undefined : settings().adapt;
}

/**
 * Adapts tools to the client that lists them (`adapt`), and says what the client still refuses. Every change is a splice.
 * A call is checked by the server's own schema in any case.
 */
export const adaptListStep: ListStep = {
  name: "adapt",
  wait(viewer) {
    const settings = settingsFor(viewer);
    if (settings === undefined) return undefined;
    const naming = settings.names && readNames(viewer, settings.names);
    if (adapting !== undefined) return naming;
    return naming === undefined ? load() : Promise.all([load(), naming]);
  },
  prepare(viewer) {
    const settings = settingsFor(viewer);
    return settings && adapting && prepared(settings, viewer, adapting);
  },
};

/** Learns the whole list, since a short name must not be that of a tool on another page, and makes the names. */
async function readNames(viewer: ListViewer, names: NameSettings): Promise<void> {
  await viewer.learnAll();
  await threadSlice.take(viewer.source.nameSteps(names));
}

function prepared(
  settings: AdaptSettings,
  viewer: ListViewer,
  { adaptSteps, remainingObjectionsText, ListTimeBudget: ListTime, adaptViewFor }: Adapting,
): PreparedStep {
  const { source } = viewer;
  const isAuto = settings.for.includes("auto");
  const client = isAuto ? viewer.client : undefined;
  const view = adaptViewFor(settings, client);
  const names = settings.names && source.names(settings.names);
  const leavesOut = settings.unusableTools === "leave_out";
  const repeated = leavesOut ? [...source.book.repeated] : [];
  const counting = new Counting(source.book, repeated);
  const time = new ListTime();
  return {
    key: JSON.stringify([
      ...[view.key, settings.names, names?.collisions, repeated],
      view.widens ? viewer.strictInput : "",
    ]),
    isPrivate: isAuto,
    changesSchemas: true,
    isStrict: false,
    isPartial: () => time.wasShort,
    *view(tool) {
      if (!counting.counts(tool)) {
        const reason = "the list has its name several times, and another tool counts";
        return { leftOut: true, reason, keyword: "unusable_tools" };
      }
      const listed = listedName(tool, names);
      if (listed === NO_NAME) {
        const reason = "each short name for it is the name of another tool";
        return { leftOut: true, reason, keyword: "names" };
      }
      const isStrict = viewer.settings(tool.name).input.mode === "strict";
      const options = { listed, isStrict, time, mayWait: true };
      return said(tool, yield* adaptSteps(tool.text, view, options), remainingObjectionsText);
    },
  };
}

const NO_NAME = Symbol("no name");

/** Returns the name that clients see; undefined if that is the tool's own. */
function listedName(
  { name }: ViewedTool,
  names: ListedNames | undefined,
): string | undefined | typeof NO_NAME {
  if (name === undefined || names === undefined) return undefined;
  const listed = names.listed(name);
  if (listed === undefined) return NO_NAME;
  return listed === name ? undefined : listed;
}

function said(
  tool: ViewedTool,
  { text, changes, left }: AdaptedTool,
  remainingObjectionsText: Adapting["remainingObjectionsText"],
): ToolView | undefined {
  // Both schemas of a tool may have been changed in the same way.
  const reasons = changes.map(({ message, isLeft }) => (isLeft ? `not done: ${message}` : message));
  const all = new Set([remainingObjectionsText(left) ?? [], ...reasons].flat());
  if (all.size === 0) return undefined;
  const reason = [...all].join("; ");
  const keyword = changes[0]?.keyword ?? "for";
  if (text === undefined) return { leftOut: true, reason, keyword };
  const isRefused = left !== undefined && left.errors > 0;
  return text === tool.text
    ? { noted: true, reason, keyword, isRefused }
    : { text: decodeUtf8(text), reason, keyword, isRefused };
}

const SCHEMAS = { inputSchema: true, outputSchema: true } as const;

/** Returns which of several tools with one name is used for checks: the last. */
class Counting {
  readonly #book: ListViewer["source"]["book"];
  readonly #repeated: ReadonlySet<string>;
  readonly #listed: Set<string> = new Set();

  constructor(book: ListViewer["source"]["book"], repeated: readonly string[]) {
    this.#book = book;
    this.#repeated = new Set(repeated);
  }

  counts(tool: ViewedTool): boolean {
    const { name } = tool;
    if (name === undefined || !this.#repeated.has(name)) return true;
    if (this.#listed.has(name) || !isOf(tool, this.#book.get(name))) return false;
    this.#listed.add(name);
    return true;
  }
}

/** Returns whether a tool has exactly the schemas of a contract. */
function isOf({ original }: ViewedTool, contract: ToolContract | undefined): boolean {
  if (contract === undefined) return false;
  const { members } = scanJson(original, { members: SCHEMAS });
  const { inputText, outputText } = contract;
  return [["/inputSchema", inputText] as const, ["/outputSchema", outputText] as const].every(
    ([pointer, text]) => {
      const range = members.get(pointer);
      const own = range && original.subarray(range.start, range.end);
      if (text === undefined) return own === undefined || decodeUtf8(own) === "null";
      return own !== undefined && isRetainedFrom(text, own);
    },
  );
}
