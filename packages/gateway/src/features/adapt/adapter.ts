import { createHash } from "node:crypto";
import type { ProviderName } from "@touchstone/protocol/advanced";
import {
  type AdaptChange,
  type AdaptedTool,
  type AdaptRules,
  adaptToolSteps,
  type ClientName,
  clientNamed,
  MAX_TOOL_BYTES,
  providersOfClients,
  type RemainingObjections,
  remainingObjections,
} from "@touchstone/protocol/lint";
import { type SlicePause, threadSlice } from "@touchstone/util";
import type { NameSettings } from "../../contracts/name-settings.ts";
import { listedNamesSteps } from "../../contracts/short-names.ts";
import { ADAPT_STEPS, type AdaptSettings, requiresNullable } from "./adapt.ts";
import {
  ADAPT_ON_THREAD_BYTES,
  adaptOnThread,
  remainingObjectionsOnThread,
} from "./adapt-thread.ts";
import { type CachedAdaptedTool, fromCachedTool, KnownTools, toCachedTool } from "./known-tools.ts";
import { ListTimeBudget } from "./list-time.ts";

export { ADAPT_STEPS, type AdaptTarget } from "./adapt.ts";
export { ListTimeBudget } from "./list-time.ts";

/** How to adapt the tools of a list for one kind of client. */
export interface AdaptView {
  /** Has the same value for all clients that get the same list. */
  readonly key: string;
  readonly rules: Omit<AdaptRules, "name">;
  /** Whether wider steps are taken for tools whose calls are blocked by their own schemas. */
  readonly widens: boolean;
  /** The client that `auto` found; undefined if the settings do not ask for it, or it is unknown. */
  readonly client?: ClientName | undefined;
}

/** A tool of a list, by its text. */
export interface ToolText {
  /** The tool's own name; undefined if it has no readable one. */
  readonly name: string | undefined;
  /** The JSON text of the tool. */
  readonly text: Uint8Array;
}

const known = new KnownTools();

/** Returns the client for a name from records: `name/version`, or the name alone. */
export function clientOf(identity: string | undefined): ClientName | undefined {
  if (identity === undefined) return undefined;
  const slash = identity.lastIndexOf("/");
  const name = slash > 0 ? clientNamed(identity.slice(0, slash)) : undefined;
  return name ?? clientNamed(identity);
}

/**
 * Returns how to adapt lists for a client.
 * @param identity `name/version` as the client introduced itself; only `for: ["auto"]` uses it
 */
export function adaptViewFor(settings: AdaptSettings, identity: string | undefined): AdaptView {
  const { for: clients, steps, unusableTools, outputSchema, descriptions } = settings;
  const client = clients.includes("auto") ? clientOf(identity) : undefined;
  const named = clients.filter((name) => name !== "auto");
  const takers: readonly ProviderName[] = providersOfClients(
    client === undefined ? named : [...named, client],
  );
  const rules = {
    leaveOut: unusableTools === "leave_out",
    outputSchema,
    // Applies to unknown clients, too: these tools violate MCP's own types.
    dropsBroken: unusableTools === "leave_out" || clients.length > 0,
    takers,
    kinds: ADAPT_STEPS.filter((kind) => steps.includes(kind)),
    dropsNulls: requiresNullable(settings),
    maxDescription: descriptions.max,
    stripHidden: descriptions.stripHidden,
  };
  const widens = takers.length > 0 && steps.includes("wider");
  return { key: JSON.stringify(rules), rules, widens, client };
}

/**
 * Returns the providers whose rules apply to a client: those of the client itself, if it is known, and those that
 * `adapt.for` names.
 */
export function providersForClient(
  settings: AdaptSettings | undefined,
  identity: string | undefined,
): readonly ProviderName[] {
  const client = clientOf(identity);
  const named = (settings?.for ?? []).filter((name) => name !== "auto");
  return providersOfClients(client === undefined ? named : [client, ...named]);
}

/** How one tool is adapted, besides the view. */
export interface AdaptOptions {
  /** The name that the client sees, if it is not the tool's own. */
  readonly listed?: string | undefined;
  /** Whether calls of the tool are blocked if its own schema refuses their arguments. */
  readonly isStrict: boolean;
  /** Once this time is used up, schemas stay as they are. Default: no limit. */
  readonly time?: ListTimeBudget;
  /**
   * Whether a long tool is adapted on a thread, and a step waits for it. Default false: all work is done on this
   * thread.
   */
  readonly mayWait?: boolean;
}

/**
 * Adapts one tool to a client, a part of the work in each step. Results for the same text and the same kind of client
 * are cached. A step that yields a promise waits for it.
 */
export function* adaptSteps(
  text: Uint8Array,
  { key, rules: all, widens }: AdaptView,
  {
    listed,
    isStrict,
    time = new ListTimeBudget(Number.POSITIVE_INFINITY),
    mayWait = false,
  }: AdaptOptions,
): Generator<SlicePause, AdaptedTool, void> {
  const isNarrow = widens && !isStrict;
  const kinds = isNarrow ? all.kinds.filter((kind) => kind !== "wider") : all.kinds;
  const rules = { ...all, kinds, name: listed };
  // The tool stays as it is, so there is nothing to cache.
  if (text.length > MAX_TOOL_BYTES) return yield* adaptToolSteps(text, rules);
  const digest = createHash("sha256").update(text).digest("base64");
  const place = `${digest} ${listed ?? ""} ${isNarrow} ${key}`;
  const before = known.get(place);
  if (before !== undefined) return fromCachedTool(before, text);
  const isApart = mayWait && text.length > ADAPT_ON_THREAD_BYTES;
  const kept = yield* isApart ? madeApart(text, rules, time) : madeHere(text, rules, time);
  if (kept === undefined) {
    const rest = yield* adaptToolSteps(text, { ...rules, isHurried: true });
    return { ...rest, changes: [...rest.changes, time.leftOver()] };
  }
  known.set(place, kept);
  return fromCachedTool(kept, text);
}

function* madeHere(
  text: Uint8Array,
  rules: AdaptRules,
  time: ListTimeBudget,
): Generator<void, CachedAdaptedTool | undefined, void> {
  const made = yield* time.within(adaptToolSteps(text, rules));
  return made && toCachedTool(made, text);
}

function* madeApart(
  text: Uint8Array,
  rules: AdaptRules,
  time: ListTimeBudget,
): Generator<SlicePause, CachedAdaptedTool | undefined, void> {
  if (time.isUp) return undefined;
  let kept: CachedAdaptedTool | undefined;
  yield adaptOnThread(text, rules, time.left).then((made) => {
    // If the thread gave up, all of the time counts as used, so that the list does not wait for another tool.
    if (made === undefined) return time.end();
    time.add(made.ms);
    kept = made.tool;
  });
  return kept;
}

/**
 * Runs {@link remainingObjections}, on a thread if the tool is long. Resolves to undefined if there was not enough
 * time.
 */
export async function remainingObjectionsSoon(
  text: Uint8Array,
  takers: readonly ProviderName[],
): Promise<RemainingObjections | undefined> {
  return text.length > ADAPT_ON_THREAD_BYTES
    ? remainingObjectionsOnThread(text, takers)
    : threadSlice.take(remainingObjections(text, takers));
}

/** How the tools of a list are adapted, besides the view. */
export interface ListOptions {
  /** Undefined if clients see the tools' own names. */
  readonly names?: NameSettings | undefined;
  /** Returns whether calls of a tool are blocked if its own schema refuses their arguments. */
  readonly isStrict: (tool: string | undefined) => boolean;
}

/** Says what a client still refuses in a tool; undefined if nothing is known to be left. */
export function remainingObjectionsText(left: RemainingObjections | undefined): string | undefined {
  const [first, ...others] = left?.findings ?? [];
  if (left === undefined || first === undefined) return undefined;
  const head = left.errors > 0 ? "still refused" : "may be refused";
  const shown = [first, ...others.slice(0, MAX_LEFT_SHOWN - 1)];
  const texts = shown.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const more = left.total - shown.length;
  return `${head}: ${[...texts, ...(more > 0 ? [`and ${more} more`] : [])].join("; ")}`;
}

const MAX_LEFT_SHOWN = 3;

/** Why a tool is removed if a later tool has the same name. */
const SHADOWED: AdaptChange = {
  keyword: "unusable_tools",
  path: "/name",
  message: "a later tool in the list has the same name and counts instead",
};

/**
 * Adapts the tools of a whole list for a client, in order: {@link adaptSteps} for each.
 */
export function* adaptListSteps(
  tools: readonly ToolText[],
  view: AdaptView,
  { names: settings, isStrict }: ListOptions,
): Generator<SlicePause, readonly AdaptedTool[], void> {
  const last = new Map(tools.map(({ name }, at) => [name, at]));
  const names =
    settings &&
    (yield* listedNamesSteps(
      tools.flatMap(({ name }) => name ?? []),
      settings,
    ));
  const adapted: AdaptedTool[] = [];
  for (const [at, { name, text }] of tools.entries()) {
    const listed = name === undefined ? undefined : names?.listed(name);
    const isShadowed = view.rules.leaveOut && name !== undefined && last.get(name) !== at;
    adapted.push(
      isShadowed
        ? { text: undefined, changes: [SHADOWED], left: undefined }
        : yield* adaptSteps(text, view, {
            listed: listed === name ? undefined : listed,
            isStrict: isStrict(name),
          }),
    );
    yield;
  }
  return adapted;
}
