import {
  decodeUtf8,
  isObject,
  type JsonObject,
  type JsonRange,
  joinPointer,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import { type Edit, memberRange, spliceFrame } from "../../splice.ts";
import { lintToolFor, type ToolFinding } from "../lint/providers/lint-for.ts";
import type { ProviderName } from "../lint/providers/provider.ts";
import { PLACES_PER_STEP, subschemaSteps } from "../lint/walk.ts";
import {
  type RewriteChange,
  type RewrittenSchema,
  rewriteSchemaSteps,
} from "../rewrite/rewrite-schema.ts";
import { nameObject, type StepKind } from "../rewrite/steps.ts";
import { toolOf, withObjectProperties, withoutBrokenMembers } from "./broken-members.ts";
import { cutText, hasHidden, withoutHiddenSteps } from "./hidden-text.ts";
import { unusableOutput, unusableReason } from "./unusable.ts";

/** How a tool is adapted to the client that lists it. */
export interface AdaptRules {
  /** Whether tools that make clients fail are left out. */
  readonly leaveOut: boolean;
  readonly outputSchema: "pass" | "drop_unusable" | "drop";
  /** Whether optional members are removed for which clients refuse the whole list. */
  readonly dropsBroken: boolean;
  /** Whose rules schemas are rewritten for. If empty, schemas stay as they are. */
  readonly takers: readonly ProviderName[];
  /** The kinds of steps that rewrite input schemas. */
  readonly kinds: readonly StepKind[];
  /** Whether nulls that a tool refuses are taken out of its arguments before they are checked. */
  readonly dropsNulls: boolean;
  /**
   * Whether there is no time to try rewrites on values. Then only rewrites that need no such trial are made, and
   * remaining objections are not reported.
   */
  readonly isHurried?: boolean;
  /** The most characters (UTF-16 code units) of the description. Default: no limit. */
  readonly maxDescription?: number | undefined;
  /** Whether invisible and bidirectional characters are removed from titles and descriptions. */
  readonly stripHidden: boolean;
  /** The name that the client sees, if it differs from the tool's own. */
  readonly name?: string | undefined;
}

/** A setting of `adapt` that changed something, or failed to. */
export type AdaptKeyword = "unusable_tools" | "output_schema" | "for" | "names" | "descriptions";

/** One change to a tool, or one that was requested but not made. */
export interface AdaptChange {
  readonly keyword: AdaptKeyword;
  /** RFC 6901 pointer into the tool. */
  readonly path: string;
  /** A sentence without its final period, for people. */
  readonly message: string;
  /** The change was not made: the client gets this part as the server wrote it. */
  readonly isLeft?: true;
  /** What the change does to the arguments that the schema accepts; absent if it is not about a schema. */
  readonly kind?: StepKind;
}

/** The result of adapting a tool. */
export interface AdaptedTool {
  /** The tool's text: the same array that was passed in if nothing changed. Undefined if the tool is left out. */
  readonly text: Uint8Array | undefined;
  readonly changes: readonly AdaptChange[];
  /** What providers and clients still object to in {@link text}; undefined if that was not checked. */
  readonly left: RemainingObjections | undefined;
}

/** What providers and clients still object to in a tool. */
export interface RemainingObjections {
  /** The first findings: those about something that is refused come before all others. */
  readonly findings: readonly ToolFinding[];
  /** How many there are. */
  readonly total: number;
  /** How many of them are about something that is refused. The others cause trouble for some releases or models. */
  readonly errors: number;
}

/** How many findings of one tool are kept. */
const MAX_LEFT = 20;

const MEMBERS = {
  name: true,
  title: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  annotations: { title: true },
} as const;
/** Larger tools stay as they are, so that no value is built from megabytes of text. */
export const MAX_TOOL_BYTES = 1_048_576;
/** Longer schemas stay as they are and are not compiled, because compiling them would block the event loop. */
const MAX_SCHEMA_BYTES = 65_536;
/** Larger tools are not compared with what providers and clients refuse. */
const MAX_LINTED_BYTES = 65_536;
/** Schema keywords whose texts are read by models. */
const TEXTS = ["title", "description"] as const;
const MOST_LEFT = 4;
const SAYS_OBJECT = "parameters get the type object";

/**
 * Adapts the text of one tool to a client, in steps of a few milliseconds each. Every change is a splice: all other
 * bytes stay as they are. A rewrite is not made, and is reported, if it is not shown to have the effect of its kind.
 * Also reports what the named providers and clients still object to. A tool of more than 1 MiB stays as it is. Never
 * throws, whatever the text is.
 * @param text the JSON text of a tool, as it is in a `tools/list` result
 */
export function* adaptToolSteps(
  text: Uint8Array,
  rules: AdaptRules,
): Generator<void, AdaptedTool, void> {
  const made = yield* changed(text, rules);
  if (made.text === undefined || rules.isHurried === true) return { ...made, left: undefined };
  const left = yield* remainingObjections(made.text, rules.takers);
  const { length } = made.text;
  const isUnknown = left === undefined && rules.takers.length > 0 && length > MAX_LINTED_BYTES;
  if (!isUnknown || length > MAX_TOOL_BYTES) return { ...made, left };
  const message = `what clients refuse was not looked for: the tool has ${length} bytes, more than ${MAX_LINTED_BYTES}`;
  const note: AdaptChange = { keyword: "for", path: "", message, isLeft: true };
  return { ...made, changes: [...made.changes, note], left };
}

/**
 * Returns what providers and clients object to in a tool, in steps of a few milliseconds; undefined if it is too large
 * to check, if it is not an object, or if no provider or client is named.
 */
export function* remainingObjections(
  text: Uint8Array,
  takers: readonly ProviderName[],
): Generator<void, RemainingObjections | undefined, void> {
  if (takers.length === 0 || text.length > MAX_LINTED_BYTES) return undefined;
  const scan = yield* scanJsonSteps(text);
  const tool: unknown = scan.error === undefined ? JSON.parse(decodeUtf8(text)) : undefined;
  yield;
  if (!isObject(tool)) return undefined;
  const found = yield* lintToolFor(tool, takers);
  const errors = found.filter(({ severity }) => severity === "error");
  const others = found.filter(({ severity }) => severity !== "error");
  const findings = [...errors, ...others].slice(0, MAX_LEFT);
  return { findings, total: found.length, errors: errors.length };
}

type Changed = Omit<AdaptedTool, "left">;

function* changed(given: Uint8Array, rules: AdaptRules): Generator<void, Changed, void> {
  if (given.length > MAX_TOOL_BYTES) return tooLarge(given, rules);
  let text = given;
  let scan = yield* scanJsonSteps(text, SCAN);
  const parsed: unknown = scan.error === undefined ? JSON.parse(decodeUtf8(text)) : undefined;
  yield;
  const [twice] = scan.duplicates;
  if (!isObject(parsed) || twice !== undefined) {
    const reason = twice === undefined ? "it is not an object" : "it has a duplicate key";
    return refused(text, rules, reason);
  }
  let tool = parsed;
  const changes: AdaptChange[] = [];
  const whole = rules.dropsBroken ? yield* withoutBrokenMembers(text, tool) : undefined;
  if (whole !== undefined) {
    text = whole.text;
    tool = toolOf(text);
    scan = yield* scanJsonSteps(text, SCAN);
    for (const found of whole.removed) changes.push({ keyword: "unusable_tools", ...found });
  }
  const edits: Edit[] = [];
  const lossy = scan.lossyNumbers.map(({ path }) => path);
  const isLossy = (part: string): boolean => lossy.some((path) => path.startsWith(`/${part}/`));
  const { members, root } = scan;
  const at = (pointer: string): JsonRange | undefined => members.get(pointer);
  let { inputSchema, outputSchema } = tool;
  const before = { inputSchema, outputSchema };
  if (rules.takers.length > 0) {
    inputSchema = yield* rewriteInput(tool, isLossy("inputSchema"), rules, at, changes);
    outputSchema = yield* rewriteOutput(tool, isLossy("outputSchema"), rules, at, changes);
  }
  if (rules.dropsBroken) {
    if (!isLossy("inputSchema")) {
      inputSchema = objectProperties("/inputSchema", inputSchema, at, changes);
    }
    if (!isLossy("outputSchema")) {
      outputSchema = objectProperties("/outputSchema", outputSchema, at, changes);
    }
  }
  if (rules.leaveOut) {
    const long = longSchema(at, "/inputSchema");
    const reason = yield* unusableReason(
      { ...tool, inputSchema },
      { isRenamed: rules.name !== undefined, compiles: long === undefined },
    );
    if (reason !== undefined) return refused(text, rules, reason);
    if (long !== undefined) changes.push({ keyword: "unusable_tools", ...long });
    yield;
  }
  const output = at("/outputSchema");
  if (output !== undefined && (yield* dropsOutput(outputSchema, rules, at, changes))) {
    edits.push({ range: memberRange(text, output), text: "" });
    outputSchema = undefined;
  }
  yield* texts(tool, at, rules, edits, changes);
  for (const [part, schema, old] of [
    ["inputSchema", inputSchema, before.inputSchema],
    ["outputSchema", outputSchema, before.outputSchema],
  ] as const) {
    if (schema === undefined) continue;
    const path = `/${part}`;
    const isTextual = rules.stripHidden && isObject(schema) && !isLossy(part);
    const shown = isTextual ? yield* visibleSchema(schema, path, changes) : schema;
    if (shown === old) continue;
    const range = at(path);
    if (range !== undefined) edits.push({ range, text: JSON.stringify(shown) });
    else edits.push(addedMember(root, text, part, shown));
  }
  const name = at("/name");
  if (rules.name !== undefined && name !== undefined) {
    edits.push({ range: name, text: JSON.stringify(rules.name) });
    const message = `clients see the name ${JSON.stringify(rules.name)}`;
    changes.push({ keyword: "names", path: "/name", message });
  }
  const adapted = spliceFrame(text, edits);
  // If the result is not valid JSON, the tool stays as it is.
  const { error } = yield* scanJsonSteps(adapted);
  if (error === undefined) return { text: adapted, changes };
  return refused(given, rules, "it cannot be changed in its place");
}

const SCAN = { members: MEMBERS, duplicates: true, numbers: true } as const;

/** Applies {@link withObjectProperties} to a part that is not too large to read. */
function objectProperties(path: string, schema: unknown, at: At, changes: AdaptChange[]): unknown {
  const range = at(path);
  if (range === undefined || range.end - range.start > MAX_SCHEMA_BYTES) return schema;
  const made = withObjectProperties(schema);
  if (made === schema) return schema;
  const message =
    "schemas of properties that are true or false become objects: clients refuse the whole list otherwise";
  changes.push({ keyword: "unusable_tools", path, message, kind: "same" });
  return made;
}

function tooLarge(text: Uint8Array, rules: AdaptRules): Changed {
  const message = `the tool stays as it is: it has ${text.length} bytes, more than ${MAX_TOOL_BYTES}`;
  return { text, changes: [{ keyword: firstOf(rules), path: "", message, isLeft: true }] };
}

/** Returns the first setting that would have applied, to report it. */
function firstOf({ takers, leaveOut, outputSchema, name }: AdaptRules): AdaptKeyword {
  if (takers.length > 0) return "for";
  if (leaveOut) return "unusable_tools";
  if (outputSchema !== "pass") return "output_schema";
  return name === undefined ? "descriptions" : "names";
}

/** Handles a tool that cannot be used, or cannot be read. */
function refused(text: Uint8Array, { leaveOut }: AdaptRules, message: string): Changed {
  const change: AdaptChange = { keyword: "unusable_tools", path: "", message };
  return leaveOut
    ? { text: undefined, changes: [change] }
    : { text, changes: [{ ...change, isLeft: true }] };
}

type At = (pointer: string) => JsonRange | undefined;

/** Returns a note that a schema is too long to be compiled; undefined for a shorter one. */
function longSchema(at: At, path: string): Omit<AdaptChange, "keyword"> | undefined {
  const range = at(path);
  const length = range === undefined ? 0 : range.end - range.start;
  if (length <= MAX_SCHEMA_BYTES) return undefined;
  const message = `whether the schema is valid JSON Schema was not looked at: it has ${length} bytes, more than ${MAX_SCHEMA_BYTES}`;
  return { path, message, isLeft: true };
}

function* rewriteInput(
  tool: JsonObject,
  isLossy: boolean,
  { takers, dropsNulls, kinds, isHurried }: AdaptRules,
  at: At,
  changes: AdaptChange[],
): Generator<void, unknown, void> {
  let { inputSchema } = tool;
  const path = "/inputSchema";
  // A missing schema and `true` both accept all arguments.
  if (inputSchema === undefined || inputSchema === null || inputSchema === true) {
    changes.push({ keyword: "for", path, message: SAYS_OBJECT });
    inputSchema = { type: "object", properties: {} };
  }
  if (!isObject(inputSchema)) return inputSchema;
  if (isLeft(path, isLossy, at(path), changes)) return inputSchema;
  if (isHurried === true) {
    const named = nameObject(inputSchema);
    if (named !== inputSchema) changes.push({ keyword: "for", path, message: SAYS_OBJECT });
    return named;
  }
  const made = yield* rewriteSchemaSteps(inputSchema, takers, {
    ofArguments: true,
    dropsNulls,
    kinds,
  });
  note(path, made, changes);
  return made.schema;
}

function* rewriteOutput(
  tool: JsonObject,
  isLossy: boolean,
  { takers, outputSchema: asked, kinds, isHurried }: AdaptRules,
  at: At,
  changes: AdaptChange[],
): Generator<void, unknown, void> {
  const { outputSchema } = tool;
  const path = "/outputSchema";
  if (asked === "drop" || isHurried === true || !isObject(outputSchema)) return outputSchema;
  if (typeof outputSchema["$schema"] !== "string") return outputSchema;
  if (isLeft(path, isLossy, at(path), changes)) return outputSchema;
  // Output schemas are not sent to models. Clients compile them, and know draft 2020-12.
  const only = (step: string): boolean => step === "modern-dialect";
  const ofOutput = kinds.filter((kind) => kind === "same");
  const made = yield* rewriteSchemaSteps(outputSchema, takers, { only, kinds: ofOutput });
  note(path, made, changes);
  return made.schema;
}

/** Returns whether a schema stays as it is, whatever the settings request. */
function isLeft(
  path: string,
  isLossy: boolean,
  range: JsonRange | undefined,
  changes: AdaptChange[],
): boolean {
  const size = range === undefined ? 0 : range.end - range.start;
  const reason = isLossy
    ? "it has numbers that JavaScript would change"
    : size > MAX_SCHEMA_BYTES
      ? `it is ${size} bytes long, more than ${MAX_SCHEMA_BYTES}`
      : undefined;
  if (reason === undefined) return false;
  const message = `the schema is not rewritten: ${reason}`;
  changes.push({ keyword: "for", path, message, isLeft: true });
  return true;
}

function note(
  path: string,
  { changes: did, refused: not }: RewrittenSchema,
  changes: AdaptChange[],
): void {
  for (const { did: what, kind, evidence } of did) {
    const marks = [...MARKS[kind], ...evidenceOf(evidence)].join(", ");
    const message = marks === "" ? what : `${what} (${marks})`;
    changes.push({ keyword: "for", path, message, kind });
  }
  for (const { step, value } of not.slice(0, MOST_LEFT)) {
    const shown = JSON.stringify(value)?.slice(0, 80) ?? "";
    const message = `the step ${step} is not done: it would change the result for ${shown}`;
    changes.push({ keyword: "for", path, message, isLeft: true });
  }
}

/** The words by which a report marks steps that change what a schema accepts. */
const MARKS: Readonly<Record<StepKind, readonly string[]>> = {
  same: [],
  narrower: ["narrower"],
  wider: ["wider: calls are checked by the server's schema"],
};

/** Returns how it was shown that a step has the effect of its kind, if that was not proved. */
function evidenceOf(evidence: RewriteChange["evidence"]): readonly string[] {
  return typeof evidence === "string" ? [] : [`tried on ${evidence.tried} values, not proved`];
}

function* dropsOutput(
  schema: unknown,
  { outputSchema }: AdaptRules,
  at: At,
  changes: AdaptChange[],
): Generator<void, boolean, void> {
  if (outputSchema === "pass") return false;
  const long = outputSchema === "drop" ? undefined : longSchema(at, "/outputSchema");
  const reason =
    outputSchema === "drop"
      ? "it is not listed"
      : yield* unusableOutput(schema, { compiles: long === undefined });
  if (reason === undefined) {
    if (long !== undefined) changes.push({ keyword: "output_schema", ...long });
    return false;
  }
  const message = `the output schema is removed: ${reason}`;
  changes.push({ keyword: "output_schema", path: "/outputSchema", message });
  return true;
}

/** Edits the texts of a tool that are read by models. */
function* texts(
  tool: JsonObject,
  at: At,
  { stripHidden, maxDescription }: AdaptRules,
  edits: Edit[],
  changes: AdaptChange[],
): Generator<void, void, void> {
  const { annotations } = tool;
  const held: readonly [string, unknown][] = [
    ["/title", tool["title"]],
    ["/description", tool["description"]],
    ["/annotations/title", isObject(annotations) ? annotations["title"] : undefined],
  ];
  for (const [path, value] of held) {
    const range = at(path);
    if (typeof value !== "string" || range === undefined) continue;
    const seen = stripHidden ? yield* visible(value, path, changes) : value;
    const most = path === "/description" ? maxDescription : undefined;
    const cut = most === undefined ? undefined : cutText(seen, most);
    if (cut !== undefined) {
      const message = `the description is cut: it has ${seen.length} characters, more than ${most}`;
      changes.push({ keyword: "descriptions", path, message });
    }
    const shown = cut ?? seen;
    if (shown !== value) edits.push({ range, text: JSON.stringify(shown) });
  }
}

function* visible(
  value: string,
  path: string,
  changes: AdaptChange[],
): Generator<void, string, void> {
  const found = yield* withoutHiddenSteps(value);
  if (found === undefined) return value;
  const message = `invisible characters are removed: ${found.removed}`;
  changes.push({ keyword: "descriptions", path, message });
  return found.text;
}

/**
 * Returns a schema without hidden characters in its titles and descriptions; the given schema itself if there are
 * none.
 */
function* visibleSchema(
  schema: JsonObject,
  path: string,
  changes: AdaptChange[],
): Generator<void, JsonObject, void> {
  const text = JSON.stringify(schema);
  // Most schemas have nothing to remove, and a copy takes longer than this check.
  if (!hasHidden(text) && !text.includes("\\u")) return schema;
  const copy: JsonObject = JSON.parse(text);
  const { length } = changes;
  for (const [at, place] of (yield* subschemaSteps(copy, path)).entries()) {
    if ((at + 1) % PLACES_PER_STEP === 0) yield;
    const holder = place.schema as Record<string, unknown>;
    for (const keyword of TEXTS) {
      const value = holder[keyword];
      if (typeof value !== "string") continue;
      holder[keyword] = yield* visible(value, joinPointer(place.path, keyword), changes);
    }
  }
  return changes.length === length ? schema : copy;
}

const CLOSE_OBJECT = 0x7d;
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Returns an edit that adds a member at the beginning of an object. */
function addedMember(root: JsonRange, text: Uint8Array, name: string, value: unknown): Edit {
  const at = root.start + 1;
  let next = at;
  while (isSpace(text[next])) next += 1;
  const comma = text[next] === CLOSE_OBJECT ? "" : ",";
  return {
    range: { start: at, end: at },
    text: `${JSON.stringify(name)}:${JSON.stringify(value)}${comma}`,
  };
}
