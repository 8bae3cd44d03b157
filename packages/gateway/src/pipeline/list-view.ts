import { createHash } from "node:crypto";
import {
  arrayItemSteps,
  type CompiledSchema,
  compileDeclared,
  decodeUtf8,
  type JsonRange,
  parseJson,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import {
  type Edit,
  type Frame,
  listTwinSteps,
  spliceFrame,
  twinText,
} from "@touchstone/protocol/advanced";
import { BoundedMap, type SlicePause } from "@touchstone/util";
import { sha256Steps } from "../contracts/known-lists.ts";
import { maxPageEntries } from "../contracts/tools-page.ts";
import type { ListStepName } from "../features/list.ts";
import type { ListStep, ListViewer, PreparedStep, ViewedTool } from "../features/list-step.ts";

/*
 * A server's tool list as a client sees it. Each feature that removes or rewrites tools is a step
 * (`features/list-step.ts`). The server's own bytes stay in force everywhere else: contracts, pins, records and rules
 * use them. A view of the same page with the same steps and keys is cached.
 */

/** A change to one tool, and the step that made it. */
export interface ViewChange {
  readonly place: number;
  readonly name: string | undefined;
  readonly step: ListStepName;
  readonly kind: "left out" | "changed" | "noted";
  readonly reason: string;
  readonly keyword: string | undefined;
  /** Whether the client still refuses the tool after this step. */
  readonly isRefused: boolean;
}

/** An input schema as the server wrote it, and as the client sees it. */
interface ShownSchema {
  /** Of {@link ListViews.shownSchema}. */
  readonly key: string;
  readonly shown: Uint8Array;
}

/** An input schema as a client was shown it. */
interface KeptSchema {
  readonly text: Uint8Array;
  compiled?: CompiledSchema;
}

/** The result for a page. */
export interface ListView {
  /** Edits of the page: ranges from the start of its `tools` on. */
  readonly edits: readonly Edit[];
  /** The first changes, for the record. */
  readonly changes: readonly ViewChange[];
  /** The total number of changes. */
  readonly total: number;
  /** Input schemas that error texts may repeat when a call is refused. */
  readonly schemas: readonly ShownSchema[];
  /** How many tools were removed, changed or only noted. Several steps may change one tool. */
  readonly counts: Readonly<Record<ViewChange["kind"], number>>;
  /** How many tools the client refuses in the form that it gets, as far as the client's rules are known. */
  readonly refused: number;
  /** How many tools the page has, as far as it was read. */
  readonly tools: number;
}

/** A page as one viewer gets it. */
export interface ViewedPage {
  readonly bytes: Uint8Array;
  readonly view: ListView;
  /** `sha256:` and a digest of the page's tools as the server wrote them. */
  readonly listHash: string;
  /** Equal for equal tools, settings, caller and client. */
  readonly key: string;
}

/** Why a page cannot be shown tool by tool, although a step needs that. */
export interface UnviewablePage {
  readonly unviewable: string;
}

/** How many views to remember for one server, and how many views with a record. */
const MAX_VIEWS = 16;
const MAX_RECORDED = 1_000;
/** How many schemas as clients were shown them to remember, and the longest, in bytes. */
const MAX_SCHEMAS = 1_000;
const MAX_SCHEMA_BYTES = 16_384;
/** Views with more text are computed again. */
const MAX_KEPT_TEXT = 4 * 1_048_576;
/** How many changes to keep for the record. */
const MAX_CHANGES = 100;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;
const MEMBERS = { name: true, annotations: { readOnlyHint: true } } as const;
const ONCE: ReadonlySet<string> = new Set(["/name", "/annotations", "/annotations/readOnlyHint"]);
const CACHE_SCOPE = { cacheScope: true } as const;
const PRIVATE = '"private"';

/** What a step can do with a tool, in the order of severity. */
const KINDS = ["left out", "changed", "noted"] as const;

/** Prepares the steps for a viewer, in order; empty if nothing is configured. */
export function prepareSteps(steps: readonly ListStep[], viewer: ListViewer): readonly NamedStep[] {
  return steps.flatMap(({ name, prepare }) => {
    const prepared = prepare(viewer);
    return prepared === undefined ? [] : [{ ...prepared, name }];
  });
}

/** Waits for what steps need; undefined if nothing is missing. */
export function waitForSteps(
  steps: readonly ListStep[],
  viewer: ListViewer,
): Promise<unknown> | undefined {
  const waiting = steps.flatMap(({ wait }) => wait?.(viewer) ?? []);
  return waiting.length === 0 ? undefined : Promise.all(waiting);
}

/** A prepared step with its name. */
export interface NamedStep extends PreparedStep {
  readonly name: ListStepName;
}

/** The views of one server's lists, over all conversations. */
export class ListViews {
  readonly #views: BoundedMap<string, ListView> = new BoundedMap(MAX_VIEWS);
  readonly #recorded: BoundedMap<string, true> = new BoundedMap(MAX_RECORDED);
  readonly #schemas: BoundedMap<string, KeptSchema> = new BoundedMap(MAX_SCHEMAS);

  /**
   * Makes a page for a viewer, in steps of a few milliseconds. Bytes of unchanged tools, and all bytes around the
   * tools, are unchanged.
   * @param maxTools how many tools of a list to read (`limits.tools`); if a step is strict, entries beyond twice that
   *   number are left out
   * @param namesCacheScope whether the revision has `cacheScope` (MCP 2026-07-28, Caching)
   * @returns undefined if the message has no list of tools
   */
  *show(
    frame: Frame,
    steps: readonly NamedStep[],
    { maxTools, namesCacheScope }: ShowOptions,
  ): Generator<SlicePause, ViewedPage | UnviewablePage | undefined, void> {
    const { bytes, ranges } = frame;
    const isStrict = steps.some((step) => step.isStrict);
    if (isStrict) {
      const twin = yield* listTwinSteps(frame);
      if (twin !== undefined) {
        return { unviewable: twinText(twin) };
      }
    }
    const { tools } = ranges;
    if (tools === undefined) return undefined;
    if (bytes[tools.start] !== OPEN_ARRAY) {
      return isStrict ? { unviewable: "its tools are not an array" } : undefined;
    }
    const page = bytes.subarray(tools.start, tools.end);
    const hash = yield* sha256Steps(page);
    const schemas = schemasKey(steps);
    const settings = steps.map((step) => [step.name, step.key]);
    const key = JSON.stringify([hash, maxTools, ...settings]);
    const known = this.#views.get(key);
    const view = known ?? (yield* viewSteps(page, steps, maxTools, schemas));
    for (const { key, shown } of view.schemas) {
      if (this.#schemas.get(key) === undefined) this.#schemas.set(key, { text: shown });
    }
    const isPartial = known === undefined && steps.some((step) => step.isPartial?.() === true);
    const isKept = known !== undefined || editsSize(view) <= MAX_KEPT_TEXT;
    if (isKept && !isPartial) this.#views.set(key, view);
    const edits = view.edits.map(({ range: { start, end }, text }) => ({
      range: { start: tools.start + start, end: tools.start + end },
      text,
    }));
    // The list is private even if nothing changed for this client: another client may see changes.
    const isPrivate = steps.some((step) => step.isPrivate === true);
    const scope = isPrivate && namesCacheScope ? yield* privateScope(frame) : [];
    const listHash = `sha256:${Buffer.from(hash, "base64").toString("hex")}`;
    const shown = { bytes: spliceFrame(bytes, [...edits, ...scope]), view, listHash };
    // Work that is done later for this page gets a separate record.
    return { ...shown, key: isPartial ? `${key} partial` : key };
  }

  /**
   * Returns the input schema of a tool as it was shown; undefined if it was not, or long ago.
   * @param key the {@link schemasKey} of the view
   * @param own as the server wrote it
   */
  shownSchema(key: string, tool: string, own: Uint8Array): Uint8Array | undefined {
    return this.#schemas.get(schemaKey(key, tool, own))?.text;
  }

  /** Returns {@link shownSchema} compiled, once for all refusals. */
  compiledSchema(key: string, tool: string, own: Uint8Array): CompiledSchema | undefined {
    const kept = this.#schemas.get(schemaKey(key, tool, own));
    if (kept === undefined) return undefined;
    kept.compiled ??= compileDeclared({ text: decodeUtf8(kept.text) });
    return kept.compiled;
  }

  /** Returns whether a view has no record yet, and marks it as recorded. */
  claim(key: string): boolean {
    if (this.#recorded.has(key)) return false;
    this.#recorded.set(key, true);
    return true;
  }

  /** Undoes a {@link claim} whose record could not be kept. */
  release(key: string): void {
    this.#recorded.take(key);
  }
}

/** How to make the page of a viewer. */
export interface ShowOptions {
  readonly maxTools: number;
  readonly namesCacheScope: boolean;
}

/** Returns what the schemas in a view depend on, besides the server's list; undefined if they are the server's own. */
export function schemasKey(steps: readonly NamedStep[]): string | undefined {
  const changing = steps.filter(({ changesSchemas }) => changesSchemas === true);
  return changing.length === 0
    ? undefined
    : JSON.stringify(changing.map(({ name, key }) => [name, key]));
}

function schemaKey(view: string, tool: string, own: Uint8Array): string {
  const hash = createHash("sha256").update(JSON.stringify([view, tool]));
  return hash.update(own).digest("base64");
}

function editsSize({ edits }: ListView): number {
  return edits.reduce((sum, { text }) => sum + text.length, 0);
}

/**
 * Runs the steps on the tools of a page, one tool at a time.
 * @param schemasOf the {@link schemasKey} of the steps; undefined if no schemas are kept
 */
function* viewSteps(
  page: Uint8Array,
  steps: readonly NamedStep[],
  maxTools: number,
  schemasOf: string | undefined,
): Generator<SlicePause, ListView, void> {
  const schemas: ShownSchema[] = [];
  const changes: ViewChange[] = [];
  const counts = { "left out": 0, changed: 0, noted: 0 };
  let [total, refused] = [0, 0];
  /** What the steps did with the current tool. */
  const kinds = new Set<ViewChange["kind"]>();
  const countTool = (): void => {
    const most = KINDS.find((kind) => kinds.has(kind));
    if (most !== undefined) counts[most] += 1;
    kinds.clear();
  };
  const note = (change: ViewChange): void => {
    total += 1;
    kinds.add(change.kind);
    if (change.isRefused) refused += 1;
    if (changes.length < MAX_CHANGES) changes.push(change);
  };
  const edits = new PageEdits(page);
  const most = maxPageEntries(maxTools);
  const strict = steps.find((step) => step.isStrict);
  let place = 0;
  for (const range of arrayItemSteps(page, { start: 0, end: page.length })) {
    yield;
    if (range === undefined) continue;
    if (place === most && strict !== undefined) {
      edits.leaveOutRest(range.start);
      const reason = `the list has more than ${most} entries; the rest is not read`;
      note({
        place,
        name: undefined,
        step: strict.name,
        kind: "left out",
        reason,
        keyword: undefined,
        isRefused: false,
      });
      countTool();
      break;
    }
    if (place === most) break;
    const tool = yield* readTool(page.subarray(range.start, range.end), place);
    const { isLeftOut, text } = yield* viewTool(tool, steps, note);
    countTool();
    const isKept = !isLeftOut && schemasOf !== undefined && schemas.length < MAX_SCHEMAS;
    const schema = isKept ? yield* schemaOf(schemasOf, tool, text) : undefined;
    if (schema !== undefined) schemas.push(schema);
    if (isLeftOut) edits.leaveOut(range);
    else edits.keep(range, text);
    place += 1;
  }
  return { edits: edits.done(), changes, total, schemas, counts, refused, tools: place };
}

const INPUT_SCHEMA = { inputSchema: true } as const;

/** Returns the input schema of a tool as the client sees it, if it is short and the server's is short, too. */
function* schemaOf(
  view: string,
  { name, original }: ViewedToolText,
  text: string | undefined,
): Generator<void, ShownSchema | undefined, void> {
  if (name === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for (const bytes of [original, text === undefined ? original : Buffer.from(text)]) {
    const { members } = yield* scanJsonSteps(bytes, { members: INPUT_SCHEMA });
    const range = members.get("/inputSchema");
    if (range === undefined || range.end - range.start > MAX_SCHEMA_BYTES) return undefined;
    // Copies the bytes, so that the page is not kept in memory.
    parts.push(new Uint8Array(bytes.subarray(range.start, range.end)));
  }
  const [own, shown] = parts;
  if (own === undefined || shown === undefined) return undefined;
  return { key: schemaKey(view, name, own), shown };
}

/** Runs the steps on one tool, one after the other. */
export function* viewTool(
  tool: ViewedToolText,
  steps: readonly NamedStep[],
  note: (change: ViewChange) => void,
): Generator<SlicePause, { readonly isLeftOut: boolean; readonly text: string | undefined }> {
  let text: string | undefined;
  for (const step of steps) {
    const made = step.view(tool);
    const viewed = made !== undefined && "next" in made ? yield* made : made;
    if (viewed === undefined) continue;
    const { place, name } = tool;
    const { reason, keyword } = viewed;
    const kind = "leftOut" in viewed ? "left out" : "text" in viewed ? "changed" : "noted";
    const isRefused = "isRefused" in viewed && viewed.isRefused === true;
    note({ place, name, step: step.name, kind, reason, keyword, isRefused });
    if ("leftOut" in viewed) return { isLeftOut: true, text: undefined };
    if (!("text" in viewed)) continue;
    text = viewed.text;
    tool.shownAs(text);
  }
  return { isLeftOut: false, text };
}

/** A tool of a page, as it is read and as steps leave it. */
export class ViewedToolText implements ViewedTool {
  readonly place: number;
  readonly name: string | undefined;
  readonly isReadOnly: boolean;
  readonly original: Uint8Array;
  #text: Uint8Array;
  #parsed: { readonly value: unknown } | undefined;

  constructor(place: number, name: string | undefined, isReadOnly: boolean, bytes: Uint8Array) {
    this.place = place;
    this.name = name;
    this.isReadOnly = isReadOnly;
    this.original = bytes;
    this.#text = bytes;
  }

  get text(): Uint8Array {
    return this.#text;
  }

  get definition(): unknown {
    if (this.#parsed === undefined) {
      const parsed = parseJson(this.original);
      this.#parsed = { value: parsed.ok ? parsed.value : undefined };
    }
    return this.#parsed.value;
  }

  shownAs(text: string): void {
    this.#text = Buffer.from(text);
  }
}

/** Reads the parts of a tool that the steps need. */
export function* readTool(bytes: Uint8Array, place: number): Generator<void, ViewedToolText, void> {
  if (bytes[0] !== OPEN_OBJECT) return new ViewedToolText(place, undefined, false, bytes);
  const scan = yield* scanJsonSteps(bytes, { members: MEMBERS, duplicates: true });
  const { members, duplicates, duplicatesTruncated } = scan;
  const twice = new Set(duplicates.map(({ path }) => path).filter((path) => ONCE.has(path)));
  const at = (pointer: string): JsonRange | undefined =>
    duplicatesTruncated || twice.has(pointer) ? undefined : members.get(pointer);
  const hint = twice.has("/annotations") ? undefined : at("/annotations/readOnlyHint");
  const isReadOnly = hint !== undefined && textAt(bytes, hint) === "true";
  // Names may have megabytes, so this pauses after each.
  yield;
  return new ViewedToolText(place, stringAt(bytes, at("/name")), isReadOnly, bytes);
}

function textAt(bytes: Uint8Array, { start, end }: JsonRange): string {
  return decodeUtf8(bytes.subarray(start, end));
}

function stringAt(bytes: Uint8Array, range: JsonRange | undefined): string | undefined {
  if (range === undefined || bytes[range.start] !== QUOTE) return undefined;
  const parsed = parseJson(bytes.subarray(range.start, range.end));
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : undefined;
}

/** Edits of a page's array. Consecutive items are removed as one range, with one of their commas. */
class PageEdits {
  readonly #page: Uint8Array;
  readonly #edits: Edit[] = [];
  /** End of the last kept item. */
  #kept: number | undefined;
  /** The items to remove: from the start of the first to the end of the last. */
  #out: JsonRange | undefined;

  constructor(page: Uint8Array) {
    this.#page = page;
  }

  keep({ start, end }: JsonRange, text: string | undefined): void {
    if (this.#out !== undefined) {
      // If no kept item precedes them, the comma after them is removed; else the comma before them.
      const range =
        this.#kept === undefined
          ? { start: this.#out.start, end: start }
          : { start: this.#kept, end: this.#out.end };
      this.#edits.push({ range, text: "" });
      this.#out = undefined;
    }
    if (text !== undefined) this.#edits.push({ range: { start, end }, text });
    this.#kept = end;
  }

  leaveOut({ start, end }: JsonRange): void {
    this.#out = { start: this.#out?.start ?? start, end };
  }

  /** Removes everything from here to the end. */
  leaveOutRest(start: number): void {
    this.leaveOut({ start, end: this.#page.length - 1 });
  }

  done(): readonly Edit[] {
    if (this.#out === undefined) return this.#edits;
    const start = this.#kept ?? this.#out.start;
    return [...this.#edits, { range: { start, end: this.#out.end }, text: "" }];
  }
}

/** The edit that makes a list private to its caller. */
function* privateScope({
  bytes,
  ranges: { result },
}: Frame): Generator<void, readonly Edit[], void> {
  if (result === undefined || bytes[result.start] !== OPEN_OBJECT) return [];
  const inside = bytes.subarray(result.start, result.end);
  const { members } = yield* scanJsonSteps(inside, { members: CACHE_SCOPE });
  const scope = members.get("/cacheScope");
  if (scope === undefined) {
    const start = result.start + 1;
    const comma = isEmpty(inside) ? "" : ",";
    return [{ range: { start, end: start }, text: `"cacheScope":${PRIVATE}${comma}` }];
  }
  if (textAt(inside, scope) === PRIVATE) return [];
  const range = { start: result.start + scope.start, end: result.start + scope.end };
  return [{ range, text: PRIVATE }];
}

function isEmpty(object: Uint8Array): boolean {
  return decodeUtf8(object.subarray(1, -1)).trim() === "";
}
