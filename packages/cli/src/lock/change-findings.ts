import { canonicalText, joinPointer } from "@touchstone/core/advanced";
import type { Change, ChangeClass } from "@touchstone/protocol/lock";
import { plural } from "@touchstone/util/plural";
import type { Level, ReportFinding } from "../findings/finding.ts";

/** The severity of each class of change. */
const LEVELS: Readonly<Record<ChangeClass, Level>> = {
  breaking: "error",
  unproven: "error",
  text: "warning",
  compatible: "note",
  new: "note",
};

const MEMBERS = {
  server: "",
  tool: "/tools",
  prompt: "/prompts",
  "resource template": "/resource_templates",
} as const;

/** Changes that a server usually makes to many tools at once. */
const GATHERED: ReadonlySet<string> = new Set(["closed-schema", "opened-schema"]);

/** Longer values are truncated. */
const MAX_VALUE = 2_000;
/** How many lines of each side of a change to show. */
const MAX_LINES = 30;

/** Returns the name that reports use for the subject of a change. */
export function changeSubject({ thing, name }: Pick<Change, "thing" | "name">): string {
  if (thing === "server") return "server";
  return thing === "tool" ? name : `${thing} ${name}`;
}

/** Returns the place of a change in the lock file, as a pointer. */
export function changePointer(server: string, { thing, name, path }: Change): string {
  const at = joinPointer("/servers", server) + MEMBERS[thing];
  return thing === "server" ? `${at}${path}` : `${joinPointer(at, name)}/definition${path}`;
}

/** Changes that a command allows, each with the option that allows it. */
export interface AllowedChanges {
  readonly closed?: boolean;
  readonly opened?: boolean;
  readonly unproven?: boolean;
}

/** Returns the option that allows a change; undefined if none does. */
function allowanceOf(
  { class: kind, rule }: Change,
  { closed, opened, unproven }: AllowedChanges,
): string | undefined {
  if (rule === "closed-schema" && closed === true) return "--allow closed";
  if (rule === "opened-schema" && opened === true) return "--allow opened";
  return kind === "unproven" && unproven === true ? "--allow-unproven" : undefined;
}

/** Returns a change as a finding. An allowed change keeps its rule, but is only a note. */
export function changeFinding(change: Change, allowed: AllowedChanges): ReportFinding {
  const { class: kind, rule, path } = change;
  const shown = shownOf(change);
  const allowance = allowanceOf(change, allowed);
  const message =
    allowance === undefined ? change.message : `${change.message} (passes with ${allowance})`;
  return {
    rule: `${kind}/${rule}`,
    level: allowance === undefined ? LEVELS[kind] : "note",
    subject: changeSubject(change),
    path,
    message: `${message}${evidenceOf(change)}`,
    ...(GATHERED.has(rule) ? { cause: message } : {}),
    ...(shown === undefined ? {} : { shown }),
  };
}

function evidenceOf({ evidence, counterexample }: Change): string {
  if (counterexample !== undefined) return `: ${counterexample.issues.join("; ")}`;
  if (evidence === undefined) return "";
  if (evidence === "proved") return " (proved)";
  return ` (no counterexample in ${plural(evidence, "value")})`;
}

function shownOf({ counterexample, class: kind, before, after }: Change): ReportFinding["shown"] {
  if (counterexample !== undefined) return { as: "json", text: cut(counterexample.text) };
  if (kind !== "text" || (before === undefined && after === undefined)) return undefined;
  return { as: "diff", text: diffOf(linesOf(before), linesOf(after)) };
}

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** Returns a value as lines of text: the content of a JSON string, or the JSON of any other value. */
function linesOf(json: string | undefined): readonly string[] {
  if (json === undefined) return [];
  const value: unknown = JSON.parse(json);
  const text = typeof value === "string" ? value : (canonicalText(json, "  ") ?? json);
  return text.split(/\r\n|\r|\n/).map(cut);
}

/** Returns the difference between two texts, with a line of context before and after it, if there is one. */
function diffOf(old: readonly string[], now: readonly string[]): string {
  const least = Math.min(old.length, now.length);
  let start = 0;
  while (start < least && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < least - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const part = (lines: readonly string[], mark: string): string[] => {
    const changed = lines.slice(start, lines.length - end);
    const shown = changed.slice(0, MAX_LINES).map((line) => `${mark} ${line}`);
    return changed.length > MAX_LINES
      ? [...shown, `${mark} … ${changed.length - MAX_LINES} more lines`]
      : shown;
  };
  const around = (line: string | undefined): string[] => (line === undefined ? [] : [`  ${line}`]);
  return [
    ...around(start === 0 ? undefined : old[start - 1]),
    ...part(old, "-"),
    ...part(now, "+"),
    ...around(end === 0 ? undefined : old[old.length - end]),
  ].join("\n");
}
