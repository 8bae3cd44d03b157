import { createHash } from "node:crypto";
import type { ProviderName } from "@touchstone/protocol";
import {
  type AdaptChange,
  type AdaptedTool,
  type AdaptRules,
  adaptToolSteps,
  type ClientName,
  clientNamed,
  MAX_TOOL_BYTES,
  type ToolLeft,
  takersOf,
} from "@touchstone/protocol/lint";
import { listedNames, type NameSettings } from "../contracts/short-names.ts";
import { type AdaptSettings, listsNulls } from "../policy/settings.ts";
import { ADAPT_STEPS } from "../settings/schema.ts";
import { BoundedMap } from "../util/bounded-map.ts";

export { leftIn } from "@touchstone/protocol/lint";
export { ADAPT_STEPS, type AdaptTarget } from "../settings/schema.ts";

/** How to adapt the tools of a list for one kind of client. */
export interface AdaptView {
  /** Equal for all clients that get the same list. */
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

/** How many adapted tools to remember, over all servers, and how many bytes in all. */
const MAX_KNOWN = 20_000;
const MAX_KNOWN_BYTES = 64 * 1024 * 1024;

/** A remembered tool, without its text if that is unchanged. */
type Known = AdaptedTool & { readonly isSame?: true };

/** Adapted tools by their input, so that a list that comes again costs one hash per tool. */
class KnownTools {
  #tools: BoundedMap<string, Known> = new BoundedMap(MAX_KNOWN);
  #bytes = 0;

  get(key: string): Known | undefined {
    const known = this.#tools.get(key);
    if (known !== undefined) this.#tools.set(key, known);
    return known;
  }

  set(key: string, tool: Known): void {
    const notes = tool.changes.length + (tool.left?.findings.length ?? 0);
    const size = (tool.text?.length ?? 0) + 200 * notes + 200;
    this.#bytes += size;
    if (this.#bytes > MAX_KNOWN_BYTES) {
      this.#tools = new BoundedMap(MAX_KNOWN);
      this.#bytes = size;
    }
    this.#tools.set(key, tool);
  }
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
export function viewOf(settings: AdaptSettings, identity: string | undefined): AdaptView {
  const { for: clients, steps, unusableTools, outputSchema, descriptions } = settings;
  const client = clients.includes("auto") ? clientOf(identity) : undefined;
  const named = clients.filter((name) => name !== "auto");
  const takers: readonly ProviderName[] = takersOf(
    client === undefined ? named : [...named, client],
  );
  const rules = {
    leaveOut: unusableTools === "leave_out",
    outputSchema,
    // Also for a client that is not known: these are faults by MCP's own types.
    dropsBroken: unusableTools === "leave_out" || clients.length > 0,
    takers,
    kinds: ADAPT_STEPS.filter((kind) => steps.includes(kind)),
    dropsNulls: listsNulls(settings),
    maxDescription: descriptions.max,
    stripHidden: descriptions.stripHidden,
  };
  const widens = takers.length > 0 && steps.includes("wider");
  return { key: JSON.stringify(rules), rules, widens, client };
}

/** Returns whose rules apply to what a client gets: its own, if it is known, and those that `adapt.for` names. */
export function takersFor(
  settings: AdaptSettings | undefined,
  identity: string | undefined,
): readonly ProviderName[] {
  const client = clientOf(identity);
  const named = (settings?.for ?? []).filter((name) => name !== "auto");
  return takersOf(client === undefined ? named : [client, ...named]);
}

/**
 * How long the processor works on the schemas of one list, in milliseconds, so that no client waits longer for it: some
 * give up after ten seconds.
 */
const MAX_LIST_MS = 3_000;

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * The time that the rewrites of one list may take together. Only what the steps take counts: on a machine with much else
 * to do, a short list is rewritten as well.
 */
export class ListTime {
  readonly #now: () => number;
  readonly #max: number;
  #taken = 0;
  /** Whether a schema was left as it is for want of time. */
  wasShort = false;

  constructor(max: number = MAX_LIST_MS, now: () => number = processorTime) {
    this.#max = max;
    this.#now = now;
  }

  get isUp(): boolean {
    return this.#taken >= this.#max;
  }

  /** Takes a step, and its time. */
  take<T>(step: () => T): T {
    const began = this.#now();
    const made = step();
    this.#taken += this.#now() - began;
    return made;
  }

  /** Says of a tool that its schemas are left, and that nobody looked at what clients refuse. */
  left(): AdaptChange {
    this.wasShort = true;
    const message = `the schemas are not rewritten, and what clients refuse was not looked for: the list has taken ${this.#max} ms; the work continues the next time it is listed`;
    return { keyword: "for", path: "", message, isLeft: true };
  }
}

/** How one tool is adapted, besides the view. */
export interface AdaptOptions {
  /** The name that the client sees, if it is not the tool's own. */
  readonly listed?: string | undefined;
  /** Whether calls of the tool are blocked if its own schema refuses their arguments. */
  readonly isStrict: boolean;
  /** Once it is up, schemas stay as they are. Default: it never is. */
  readonly time?: ListTime;
}

/**
 * Fits one tool to a client, a part of the work in each step. What was made of the same text for the same kind of
 * client is not made again.
 */
export function* adaptSteps(
  text: Uint8Array,
  { key, rules: all, widens }: AdaptView,
  { listed, isStrict, time = new ListTime(Number.POSITIVE_INFINITY) }: AdaptOptions,
): Generator<void, AdaptedTool, void> {
  const isNarrow = widens && !isStrict;
  const kinds = isNarrow ? all.kinds.filter((kind) => kind !== "wider") : all.kinds;
  const rules = { ...all, kinds };
  // It stays as it is, so there is nothing to remember.
  if (text.length > MAX_TOOL_BYTES) return yield* adaptToolSteps(text, { ...rules, name: listed });
  const digest = createHash("sha256").update(text).digest("base64");
  const place = `${digest} ${listed ?? ""} ${isNarrow} ${key}`;
  const before = known.get(place);
  // If nothing is changed, the same bytes continue.
  if (before !== undefined) return before.isSame ? { ...before, text } : before;
  const own = { ...rules, name: listed };
  const made = yield* within(adaptToolSteps(text, own), time);
  if (made === undefined) {
    const rest = yield* adaptToolSteps(text, { ...own, isHurried: true });
    return { ...rest, changes: [...rest.changes, time.left()] };
  }
  known.set(place, made.text === text ? { ...made, text: undefined, isSame: true } : made);
  return made;
}

/** Takes steps as long as there is time; returns undefined if it is up before they end. */
function* within<T>(
  steps: Generator<void, T, void>,
  time: ListTime,
): Generator<void, T | undefined, void> {
  while (!time.isUp) {
    const step = time.take(() => steps.next());
    if (step.done === true) return step.value;
    yield;
  }
  return undefined;
}

/** How the tools of a list are adapted, besides the view. */
export interface ListOptions {
  /** Undefined if clients see the tools' own names. */
  readonly names?: NameSettings | undefined;
  /** Returns whether calls of a tool are blocked if its own schema refuses their arguments. */
  readonly isStrict: (tool: string | undefined) => boolean;
}

/** Says what a client still refuses in a tool; undefined if nothing is known to be left. */
export function leftText(left: ToolLeft | undefined): string | undefined {
  const [first, ...others] = left?.findings ?? [];
  if (left === undefined || first === undefined) return undefined;
  const head = left.errors > 0 ? "still refused" : "may be refused";
  const shown = [first, ...others.slice(0, MAX_LEFT_SHOWN - 1)];
  const texts = shown.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const more = left.total - shown.length;
  return `${head}: ${[...texts, ...(more > 0 ? [`and ${more} more`] : [])].join("; ")}`;
}

const MAX_LEFT_SHOWN = 3;

/** Why a tool is left out whose name a later one has, too. */
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
): Generator<void, readonly AdaptedTool[], void> {
  const last = new Map(tools.map(({ name }, at) => [name, at]));
  const names =
    settings &&
    listedNames(
      tools.flatMap(({ name }) => name ?? []),
      settings,
    );
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
