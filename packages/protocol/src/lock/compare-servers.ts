import { isObject, type JsonObject, joinPointer } from "@touchstone/core";
import { compareSchemas, type Direction, type SchemaChange } from "./compare-schemas.ts";
import type { Counterexample, Effort } from "./counterexample.ts";
import { membersOf } from "./definition.ts";
import { approves, type LockedDefinition, type LockedServer } from "./lock-file.ts";

/**
 * What a difference means for the users of a server.
 *
 * - `breaking`: what was accepted is refused, what was promised is not any more, or something is gone
 * - `text`: what a model or a person reads differs, or how dangerous a tool says it is
 * - `compatible`: whatever worked goes on to work
 * - `new`: there is more than before
 */
export type ChangeClass = "breaking" | "text" | "compatible" | "new";

/** What a change is about. */
export type ChangedThing = "server" | "tool" | "prompt" | "resource template";

/** One difference between what was locked and what is declared now. */
export interface Change {
  readonly class: ChangeClass;
  readonly rule: string;
  readonly thing: ChangedThing;
  /** Its name; empty for the server itself. */
  readonly name: string;
  /** RFC 6901 pointer into the definition, or into what the server says of itself. */
  readonly path: string;
  readonly message: string;
  /** JSON texts of what was there and is there; one is absent if there was or is nothing. */
  readonly before?: string;
  readonly after?: string;
  /** Arguments that were accepted and are refused, or a result that is promised and was not. */
  readonly counterexample?: Counterexample;
  /** Why it is compatible: `proved`, or the number of values among which nothing was found that breaks. */
  readonly evidence?: "proved" | number;
}

const CLASSES: readonly ChangeClass[] = ["breaking", "text", "compatible", "new"];
const rank = (change: Pick<Change, "class">): number => CLASSES.indexOf(change.class);

type Found = Omit<Change, "thing" | "name">;

/** How many differences of texts are listed of one schema. */
const MAX_TEXTS = 20;
/** Members of a schema that describe it and check nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  "title description default examples $comment deprecated readOnly writeOnly markdownDescription enumDescriptions".split(
    " ",
  ),
);
/** Each hint, with the value that is the safer one, and the one that holds if it is absent (MCP, ToolAnnotations). */
const HINTS: ReadonlyMap<string, { readonly safe: boolean; readonly absent: boolean }> = new Map([
  ["readOnlyHint", { safe: true, absent: false }],
  ["destructiveHint", { safe: false, absent: true }],
  ["idempotentHint", { safe: true, absent: false }],
  ["openWorldHint", { safe: false, absent: true }],
]);

/**
 * Compares what a server declares with what was locked, and says of each difference what it means. Parts that one of the
 * two does not know, such as the prompts of a file that has only tools, are not compared.
 * @param progress is told how many definitions are compared, as that can take a while
 */
export function compareServers(
  locked: LockedServer,
  declared: LockedServer,
  progress: (done: number) => void = () => {},
): readonly Change[] {
  let done = 0;
  const each = (
    thing: ChangedThing,
    compare: (before: string, after: string) => Iterable<Found>,
    before: ReadonlyMap<string, LockedDefinition> | undefined,
    after: ReadonlyMap<string, LockedDefinition> | undefined,
  ): Change[] => {
    if (before === undefined || after === undefined) return [];
    const changes: Change[] = [];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [old, now] = [before.get(name), after.get(name)];
      const found =
        old === undefined
          ? [added(thing, now?.text)]
          : now === undefined
            ? [gone(thing, old.text)]
            : approves(old, now.hash)
              ? []
              : compare(old.text, now.text);
      const sorted = [...found].sort((one, other) => rank(one) - rank(other));
      for (const one of sorted) changes.push({ ...one, thing, name });
      done += 1;
      progress(done);
    }
    return changes;
  };
  return [
    ...serverChanges(locked, declared).map((one) => ({
      ...one,
      thing: "server" as const,
      name: "",
    })),
    ...each("tool", toolChanges, locked.tools, declared.tools),
    ...each("prompt", promptChanges, locked.prompts, declared.prompts),
    ...each(
      "resource template",
      templateChanges,
      locked.resourceTemplates,
      declared.resourceTemplates,
    ),
  ];
}

function added(thing: ChangedThing, text: string | undefined): Found {
  const after = text === undefined ? {} : { after: text };
  return { class: "new", rule: "new", path: "", message: `this ${thing} is new`, ...after };
}

function gone(thing: ChangedThing, text: string): Found {
  return {
    class: "breaking",
    rule: "gone",
    path: "",
    message: `this ${thing} is gone`,
    before: text,
  };
}

function textFound(path: string, before: string | undefined, after: string | undefined): Found {
  const name = lastOf(path) || "definition";
  const isMany = name.endsWith("s");
  const verb =
    before === undefined || after === undefined
      ? `${isMany ? "are" : "is"} ${before === undefined ? "new" : "gone"}`
      : `${isMany ? "have" : "has"} changed`;
  return {
    ...{ class: "text", rule: "text", path, message: `the ${name} ${verb}` },
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function serverChanges(locked: LockedServer, declared: LockedServer): readonly Found[] {
  const found: Found[] = [];
  const jsonOf = (value: string | null | undefined): string | undefined =>
    typeof value === "string" ? JSON.stringify(value) : undefined;
  const add = (
    path: string,
    kind: ChangeClass,
    old: string | null | undefined,
    now: string | null | undefined,
  ): void => {
    if (old === now || (old ?? now ?? null) === null) return;
    const change = textFound(path, jsonOf(old), jsonOf(now));
    found.push({ ...change, class: kind, rule: kind === "text" ? "text" : "identity" });
  };
  const { identity: before, instructions: told, protocolVersion: spoke } = locked;
  const { identity: after, instructions: tells, protocolVersion: speaks } = declared;
  if (before !== undefined && after !== undefined) {
    add("/identity/name", "text", before.name, after.name);
    add("/identity/title", "text", before.title, after.title);
    add("/identity/version", "compatible", before.version, after.version);
  }
  if (spoke !== undefined && speaks !== undefined) {
    add("/protocol_version", "compatible", spoke, speaks);
  }
  if (told !== undefined && tells !== undefined) add("/instructions", "text", told, tells);
  return found;
}

function* changedMembers(
  before: string,
  after: string,
): Generator<[name: string, before: string | undefined, after: string | undefined]> {
  const [old, now] = [membersOf(before), membersOf(after)];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    if (old.get(name) !== now.get(name)) yield [name, old.get(name), now.get(name)];
  }
}

/**
 * Compares two definitions of a tool, each canonical JSON, or what is known of them: a member that both lack is no
 * difference. The heaviest changes come first.
 * @param before undefined if there was no such tool; likewise `after`
 */
export function compareTools(
  name: string,
  before: string | undefined,
  after: string | undefined,
  effort?: Effort,
): readonly Change[] {
  const found =
    before === undefined
      ? [added("tool", after)]
      : after === undefined
        ? [gone("tool", before)]
        : before === after
          ? []
          : toolChanges(before, after, effort);
  const sorted = [...found].sort((one, other) => rank(one) - rank(other));
  return sorted.map((one) => ({ ...one, thing: "tool", name }));
}

function* toolChanges(before: string, after: string, effort?: Effort): Generator<Found> {
  let any = false;
  for (const [name, old, now] of changedMembers(before, after)) {
    any = true;
    const path = joinPointer("", name);
    if (name === "inputSchema") yield* schemaChanges(path, "input", old, now, effort);
    else if (name === "outputSchema") yield* schemaChanges(path, "output", old, now, effort);
    else if (name === "annotations") yield* annotationChanges(old, now);
    else if (name === "execution") yield* executionChanges(old, now);
    else yield textFound(path, old, now);
  }
  // A member that occurs twice counts for the hash, and only the last one is read here.
  if (!any) yield textFound("", before, after);
}

function* schemaChanges(
  path: string,
  direction: Direction,
  old: string | undefined,
  now: string | undefined,
  effort: Effort | undefined,
): Generator<Found> {
  const change = compareSchemas(old, now, direction, effort);
  const texts = [...textChanges(path, parsed(old), parsed(now), change.kind === "same")];
  yield* meaning(path, direction, change, old, now, texts.length > 0);
  yield* texts.slice(0, MAX_TEXTS);
  if (texts.length > MAX_TEXTS) {
    const message = `${texts.length - MAX_TEXTS} more texts in the schema have changed`;
    yield { class: "text", rule: "text", path, message };
  }
}

const WORDS = {
  input: {
    breaking: "arguments that were accepted are refused now",
    fine: "the schema has changed, and what was accepted is accepted",
    declared:
      "the schema has changed, and what was accepted is accepted, but for arguments that were not declared",
  },
  output: {
    breaking: "results may now be what the locked schema refuses",
    fine: "the schema has changed, and results are what was promised",
    declared:
      "the schema has changed, and results are what was promised, but for members that are not declared any more",
  },
} as const;

function* meaning(
  path: string,
  direction: Direction,
  change: SchemaChange,
  old: string | undefined,
  now: string | undefined,
  hasTexts: boolean,
): Generator<Found> {
  const said = WORDS[direction];
  const shown = {
    ...(old === undefined ? {} : { before: old }),
    ...(now === undefined ? {} : { after: now }),
  };
  const rule = `${direction}-schema`;
  switch (change.kind) {
    case "same":
      if (!hasTexts) {
        yield { class: "compatible", rule, path, message: said.fine, evidence: "proved", ...shown };
      }
      return;
    case "unusable": {
      const { which, fault } = change;
      const at = fault.path === "" ? "" : ` (${fault.path})`;
      const message = `the ${which === "old" ? "locked" : "new"} schema cannot be used, so nothing can be compared: ${fault.message}${at}`;
      yield { class: "breaking", rule: "unusable-schema", path, message, ...shown };
      return;
    }
    case "breaking": {
      const { counterexample } = change;
      yield { class: "breaking", rule, path, message: said.breaking, counterexample, ...shown };
      return;
    }
    case "proved": {
      const message = change.proof === "all" ? said.fine : said.declared;
      yield { class: "compatible", rule, path, message, evidence: "proved", ...shown };
      return;
    }
    case "tried": {
      const evidence = change.accepted;
      // Not one value that was accepted: then nothing was tried.
      if (evidence === 0) {
        const message = "no value was found that the schema accepts, so nothing could be compared";
        yield { class: "breaking", rule: "untested-schema", path, message, ...shown };
      } else yield { class: "compatible", rule, path, message: said.fine, evidence, ...shown };
    }
  }
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/**
 * Yields the annotations that differ at places that both schemas have.
 * @param all whether everything that differs is an annotation
 */
function* textChanges(path: string, old: unknown, now: unknown, all: boolean): Generator<Found> {
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
    for (const [at, item] of old.entries()) yield* textChanges(`${path}/${at}`, item, now[at], all);
    return;
  }
  if (!isObject(old) || !isObject(now)) {
    if (all && JSON.stringify(old) !== JSON.stringify(now)) yield jsonFound(path, old, now);
    return;
  }
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [mine, theirs] = [memberOf(old, name), memberOf(now, name)];
    const at = joinPointer(path, name);
    if (ANNOTATIONS.has(name) && !(isObject(mine) && isObject(theirs))) {
      if (JSON.stringify(mine) !== JSON.stringify(theirs)) yield jsonFound(at, mine, theirs);
    } else if (all || (mine !== undefined && theirs !== undefined)) {
      yield* textChanges(at, mine, theirs, all);
    }
  }
}

function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function jsonFound(path: string, old: unknown, now: unknown): Found {
  return textFound(path, JSON.stringify(old), JSON.stringify(now));
}

function* annotationChanges(old: string | undefined, now: string | undefined): Generator<Found> {
  const [before, after] = [parsed(old), parsed(now)].map((value) => (isObject(value) ? value : {}));
  if (before === undefined || after === undefined) return;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [mine, theirs] = [memberOf(before, name), memberOf(after, name)];
    if (JSON.stringify(mine) === JSON.stringify(theirs)) continue;
    const found = jsonFound(`/annotations${joinPointer("", name)}`, mine, theirs);
    const hint = HINTS.get(name);
    const isSafe = (value: unknown): boolean => (value ?? hint?.absent) === hint?.safe;
    if (hint !== undefined && isSafe(mine) && !isSafe(theirs)) {
      const message = `${name} is less safe than it was; clients may have asked nobody about this tool`;
      yield { ...found, rule: "less-safe", message };
    } else yield found;
  }
}

/** How a tool may be called as a task (MCP 2025-11-25, Tasks, `execution.taskSupport`). */
function* executionChanges(old: string | undefined, now: string | undefined): Generator<Found> {
  const supportOf = (text: string | undefined): unknown => {
    const value = parsed(text);
    return (isObject(value) ? value["taskSupport"] : undefined) ?? "forbidden";
  };
  const [before, after] = [supportOf(old), supportOf(now)];
  const found = textFound("/execution", old, now);
  if (before === after) {
    yield found;
    return;
  }
  const isWider = before === "forbidden" && after === "optional";
  const was =
    before === "required"
      ? "calls had to be tasks"
      : before === "optional"
        ? "calls could be tasks"
        : "calls were no tasks";
  const message = `taskSupport was ${JSON.stringify(before)}, so that ${was}, and is ${JSON.stringify(after)}`;
  const path = "/execution/taskSupport";
  yield {
    ...found,
    class: isWider || after === "optional" ? "compatible" : "breaking",
    rule: "task-support",
    path,
    message,
  };
}

function* promptChanges(before: string, after: string): Generator<Found> {
  let any = false;
  for (const [name, old, now] of changedMembers(before, after)) {
    any = true;
    if (name === "arguments") yield* argumentChanges(old, now);
    else yield textFound(joinPointer("", name), old, now);
  }
  if (!any) yield textFound("", before, after);
}

/** A prompt's arguments, by their names (MCP 2025-11-25, Prompts). */
function argumentsOf(text: string | undefined): ReadonlyMap<string, JsonObject> {
  const value = parsed(text);
  const all = Array.isArray(value) ? value.filter(isObject) : [];
  return new Map(all.map((argument) => [String(argument["name"]), argument]));
}

function* argumentChanges(old: string | undefined, now: string | undefined): Generator<Found> {
  const [before, after] = [argumentsOf(old), argumentsOf(now)];
  let any = false;
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const path = joinPointer("/arguments", name);
    const [mine, theirs] = [before.get(name), after.get(name)];
    if (JSON.stringify(mine) === JSON.stringify(theirs)) continue;
    any = true;
    const isRequired = theirs?.["required"] === true;
    const found = (kind: ChangeClass, message: string): Found => ({
      ...jsonFound(path, mine, theirs),
      ...{ class: kind, rule: "prompt-arguments", message },
    });
    if (theirs === undefined) yield found("breaking", `the argument "${name}" is gone`);
    else if (isRequired && mine?.["required"] !== true) {
      yield found("breaking", `the argument "${name}" is required now`);
    } else if (mine === undefined)
      yield found("compatible", `the argument "${name}" is new and optional`);
    else {
      if (!isRequired && mine["required"] === true) {
        yield found("compatible", `the argument "${name}" is optional now`);
      }
      for (const member of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
        const [was, is] = [mine[member], theirs[member]];
        if (member === "required" || JSON.stringify(was) === JSON.stringify(is)) continue;
        yield jsonFound(joinPointer(path, member), was, is);
      }
    }
  }
  if (!any) yield textFound("/arguments", old, now);
}

function* templateChanges(before: string, after: string): Generator<Found> {
  let any = false;
  for (const [name, old, now] of changedMembers(before, after)) {
    any = true;
    const found = textFound(joinPointer("", name), old, now);
    if (name !== "mimeType") yield found;
    else if (old === undefined) yield { ...found, class: "compatible", rule: "mime-type" };
    else yield { ...found, class: "breaking", rule: "mime-type" };
  }
  if (!any) yield textFound("", before, after);
}
