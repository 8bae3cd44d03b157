import {
  decodeUtf8,
  isObject,
  issueClause,
  type JsonObject,
  type JsonRange,
  joinPointer,
  locatePointers,
  quote,
  scanJson,
} from "@touchstone/core/advanced";
import { type Edit, spliceFrame } from "@touchstone/protocol/advanced";
import { withoutNarrowSecrets } from "../narrow/narrow.ts";
import type { NarrowSchema } from "../narrow/narrow-schema.ts";
import { mergeSchema, type SchemaChange, type UnmergedPart } from "./merge-schema.ts";

/*
 * Writes the constraints of `narrow` into the definition of a tool as clients list it: into its input schema if a
 * schema can express them, else in words into the description of the property.
 */

/** The result for a tool. */
export interface AdvertisedTool {
  /** Its new text; undefined if it stays as it is. */
  readonly text?: string;
  /** What was changed, or why nothing was, as a clause for records; undefined if there is nothing to report. */
  readonly reason?: string;
}

/** Longer definitions stay as they are, and so do those of tools with a longer schema of `narrow`, in characters. */
const MAX_BYTES = 131_072;
const MAX_NARROW = 16_384;
/**
 * Sizes in characters beyond which a definition is too long for some models: a change must not make a definition
 * exceed one of them.
 */
const SIZES = [16_384, 65_536];
/** Longest text about one property, in UTF-16 code units. */
const MAX_SENTENCE = 800;
/** How many changes a reason names. */
const MAX_NAMED = 8;
const LEFT = "what policy allows is not shown in it";

/**
 * Shows in a tool's definition what policy allows, a part of the work in each step. Every change is a splice. Never
 * throws, whatever the text is.
 */
export function* advertiseSteps(
  text: Uint8Array,
  { schema: narrow, secrets }: Pick<NarrowSchema, "schema" | "secrets">,
): Generator<void, AdvertisedTool, void> {
  if (text.length > MAX_BYTES) {
    return { reason: `${LEFT}: it has ${text.length} bytes, more than ${MAX_BYTES}` };
  }
  const { length } = JSON.stringify(narrow);
  if (length > MAX_NARROW) {
    return { reason: `${LEFT}: narrow has ${length} characters, more than ${MAX_NARROW}` };
  }
  const scan = scanJson(text, { duplicates: true, numbers: true });
  const tool: unknown = scan.error === undefined ? JSON.parse(decodeUtf8(text)) : undefined;
  if (!isObject(tool) || !isObject(tool["inputSchema"]))
    return { reason: `${LEFT}: it has no schema` };
  if (scan.duplicates.length > 0) return { reason: `${LEFT}: it has a duplicate key` };
  if (scan.lossyNumbers.length > 0) {
    return { reason: `${LEFT}: it has numbers that JavaScript would change` };
  }
  yield;
  const mayShow = (part: unknown): boolean => {
    const written = JSON.stringify(part) ?? "";
    return !secrets.some((secret) => written.includes(JSON.stringify(secret).slice(1, -1)));
  };
  const { changes, unmerged } = mergeSchema(tool["inputSchema"], narrow, mayShow);
  const said = sentences(unmerged, secrets);
  if (changes.length === 0 && said.length === 0) return {};
  yield;
  const size = JSON.stringify(tool).length;
  for (const some of said.length === 0 ? [said] : [said, []]) {
    const shown = decodeUtf8(spliceFrame(text, editsOf(text, tool, changes, some)));
    yield;
    const longer = JSON.stringify(JSON.parse(shown)).length;
    if (SIZES.some((most) => size <= most && longer > most)) continue;
    if (shown === decodeUtf8(text)) continue;
    return { text: shown, reason: reasonOf(changes, some) };
  }
  return { reason: `${LEFT}: it would be too long` };
}

/** The text about a property, or about the arguments as a whole. */
interface Sentence {
  readonly steps: readonly string[];
  readonly text: string;
}

/** One sentence for each property. */
function sentences(
  unmerged: readonly UnmergedPart[],
  secrets: readonly string[],
): readonly Sentence[] {
  const byPlace = new Map<string, { steps: readonly string[]; clauses: string[] }>();
  for (const each of unmerged) {
    const key = JSON.stringify(each.steps);
    const known = byPlace.get(key) ?? { steps: each.steps, clauses: [] };
    byPlace.set(key, known);
    known.clauses.push(...clausesOf(each));
  }
  return [...byPlace.values()].map(({ steps, clauses }) => {
    const whole = withoutNarrowSecrets(clauses.join("; "), secrets);
    const rules =
      whole.length <= MAX_SENTENCE ? whole : "more rules apply; a blocked call names them";
    const about = steps.length === 0 ? " for the arguments" : "";
    return { steps, text: `This gateway's policy${about}: ${rules}.` };
  });
}

function clausesOf({ schema, ofItems, only }: UnmergedPart): readonly string[] {
  if (schema === false) return ["must not be set"];
  const each = ofItems ? "each item " : "";
  const { within, hosts, ...rest } = schema;
  const clauses: string[] = [];
  if (only !== undefined) {
    const names = only.map((name) => quote(name)).join(", ");
    clauses.push(each + (names === "" ? "must be empty" : `must have no members but ${names}`));
  }
  if (within !== undefined) {
    const folders = isObject(within) ? within["folders"] : within;
    clauses.push(each + demandOf("within", { folders }));
  }
  if (hosts !== undefined) {
    const long = isObject(hosts) ? hosts : { names: hosts };
    const { names, schemes = ["http", "https"] } = long;
    clauses.push(each + demandOf("hosts", { hosts: names, schemes }));
  }
  if (Object.keys(rest).length > 0) {
    clauses.push(`${each}must match the JSON Schema ${JSON.stringify(rest)}`);
  }
  return clauses;
}

/** Returns what a keyword demands, in the words of a refused call. */
function demandOf(keyword: string, params: Readonly<Record<string, unknown>>): string {
  return issueClause({ path: "", message: "", rule: "policy", keyword, params }).predicate;
}

const INPUT = ["inputSchema"];
const pointerOf = (steps: readonly string[]): string =>
  steps.reduce((pointer, step) => joinPointer(pointer, step), "");

/** Returns the edits of a tool's text. */
function editsOf(
  text: Uint8Array,
  tool: JsonObject,
  changes: readonly SchemaChange[],
  said: readonly Sentence[],
): readonly Edit[] {
  const wanted = [
    ...changes.map(({ steps, name, value }) => ({ object: [...INPUT, ...steps], name, value })),
    // Text about all arguments goes into the tool's description: few models see the description of a schema.
    ...said.map(({ steps, text: value }) => ({
      object: steps.length === 0 ? [] : [...INPUT, ...steps],
      name: "description",
      value,
    })),
  ];
  const byObject = new Map<string, (typeof wanted)[number][]>();
  for (const each of wanted) {
    const pointer = pointerOf(each.object);
    const known = byObject.get(pointer);
    if (known === undefined) byObject.set(pointer, [each]);
    else known.push(each);
  }
  const members = [...byObject].flatMap(([pointer, own]) =>
    own.map(({ name }) => joinPointer(pointer, name)),
  );
  const places = locatePointers(text, [...byObject.keys(), ...members]);
  const rangeOf = (pointer: string): JsonRange | undefined => {
    const place = places.get(pointer);
    return place?.found === true ? place.value : undefined;
  };
  const edits: Edit[] = [];
  for (const [pointer, own] of byObject) {
    const added: string[] = [];
    for (const { object, name, value } of own) {
      const range = rangeOf(joinPointer(pointer, name));
      const isSaid = name === "description";
      const before = isSaid ? descriptionAt(tool, object) : undefined;
      if (range === undefined) added.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
      else if (!isSaid) edits.push({ range, text: JSON.stringify(value) });
      // The existing description stays as written; the sentence is inserted before its closing quotation mark.
      else if (before !== undefined) {
        const space = before.trim() === "" ? "" : /[.:;!?)\]]\s*$/.test(before) ? " " : ". ";
        const end = { start: range.end - 1, end: range.end - 1 };
        edits.push({ range: end, text: JSON.stringify(`${space}${String(value)}`).slice(1, -1) });
      }
    }
    const object = rangeOf(pointer);
    if (object === undefined || added.length === 0) continue;
    const at = object.start + 1;
    const isEmpty = decodeUtf8(text.subarray(at, object.end - 1)).trim() === "";
    edits.push({ range: { start: at, end: at }, text: added.join(",") + (isEmpty ? "" : ",") });
  }
  return edits;
}

/** Returns the description at a place of a tool; undefined if it is not a text. */
function descriptionAt(tool: JsonObject, steps: readonly string[]): string | undefined {
  let here: unknown = tool;
  for (const step of steps) here = isObject(here) ? here[step] : undefined;
  const description = isObject(here) ? here["description"] : undefined;
  return typeof description === "string" ? description : undefined;
}

function reasonOf(changes: readonly SchemaChange[], said: readonly Sentence[]): string {
  const places = [
    ...changes.map(({ steps, name }) => pointerOf([...INPUT, ...steps, name])),
    ...said.map(
      ({ steps }) => `${pointerOf(steps.length === 0 ? [] : [...INPUT, ...steps])}/description`,
    ),
  ];
  const more = places.length > MAX_NAMED ? ` and ${places.length - MAX_NAMED} more` : "";
  return `shows what policy allows in ${places.slice(0, MAX_NAMED).join(", ")}${more}`;
}
