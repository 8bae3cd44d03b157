import { isObject, type JsonObject, joinPointer } from "@touchstone/core/advanced";
import {
  type ChangeClass,
  changedMembers,
  type FoundChange,
  jsonChange,
  ownMember,
  parseJsonText,
  textChange,
} from "./change.ts";

/** Each hint, with its safer value and its default value (MCP, ToolAnnotations). */
const HINTS: ReadonlyMap<string, { readonly safe: boolean; readonly absent: boolean }> = new Map([
  ["readOnlyHint", { safe: true, absent: false }],
  ["destructiveHint", { safe: false, absent: true }],
  ["idempotentHint", { safe: true, absent: false }],
  ["openWorldHint", { safe: false, absent: true }],
]);

/** Yields the annotations of a tool that differ. */
export function* annotationChanges(
  old: string | undefined,
  now: string | undefined,
): Generator<FoundChange> {
  const [before, after] = [parseJsonText(old), parseJsonText(now)].map((value) =>
    isObject(value) ? value : {},
  );
  if (before === undefined || after === undefined) return;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [mine, theirs] = [ownMember(before, name), ownMember(after, name)];
    if (JSON.stringify(mine) === JSON.stringify(theirs)) continue;
    const found = jsonChange(`/annotations${joinPointer("", name)}`, mine, theirs);
    const hint = HINTS.get(name);
    const isSafe = (value: unknown): boolean => (value ?? hint?.absent) === hint?.safe;
    if (hint !== undefined && isSafe(mine) && !isSafe(theirs)) {
      const message = `${name} is less safe than it was; clients may have run this tool without asking anyone`;
      yield { ...found, rule: "less-safe", message };
    } else yield found;
  }
}

/**
 * Yields changes of whether a tool can or must be called as a task (MCP 2025-11-25, Tasks, `execution.taskSupport`).
 */
export function* executionChanges(
  old: string | undefined,
  now: string | undefined,
): Generator<FoundChange> {
  const supportOf = (text: string | undefined): unknown => {
    const value = parseJsonText(text);
    return (isObject(value) ? value["taskSupport"] : undefined) ?? "forbidden";
  };
  const [before, after] = [supportOf(old), supportOf(now)];
  const found = textChange("/execution", old, now);
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

/** Yields what differs between two definitions of a prompt. */
export function* promptChanges(before: string, after: string): Generator<FoundChange> {
  let any = false;
  for (const [name, old, now] of changedMembers(before, after)) {
    any = true;
    if (name === "arguments") yield* argumentChanges(old, now);
    else yield textChange(joinPointer("", name), old, now);
  }
  if (!any) yield textChange("", before, after);
}

/** A prompt's arguments, by their names (MCP 2025-11-25, Prompts). */
function argumentsOf(text: string | undefined): ReadonlyMap<string, JsonObject> {
  const value = parseJsonText(text);
  const all = Array.isArray(value) ? value.filter(isObject) : [];
  return new Map(all.map((argument) => [String(argument["name"]), argument]));
}

function* argumentChanges(
  old: string | undefined,
  now: string | undefined,
): Generator<FoundChange> {
  const [before, after] = [argumentsOf(old), argumentsOf(now)];
  let any = false;
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const path = joinPointer("/arguments", name);
    const [mine, theirs] = [before.get(name), after.get(name)];
    if (JSON.stringify(mine) === JSON.stringify(theirs)) continue;
    any = true;
    const isRequired = theirs?.["required"] === true;
    const found = (kind: ChangeClass, message: string): FoundChange => ({
      ...jsonChange(path, mine, theirs),
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
        yield jsonChange(joinPointer(path, member), was, is);
      }
    }
  }
  if (!any) yield textChange("/arguments", old, now);
}

/** Yields what differs between two definitions of a resource template. */
export function* templateChanges(before: string, after: string): Generator<FoundChange> {
  let any = false;
  for (const [name, old, now] of changedMembers(before, after)) {
    any = true;
    const found = textChange(joinPointer("", name), old, now);
    if (name !== "mimeType") yield found;
    else if (old === undefined) yield { ...found, class: "compatible", rule: "mime-type" };
    else yield { ...found, class: "breaking", rule: "mime-type" };
  }
  if (!any) yield textChange("", before, after);
}
