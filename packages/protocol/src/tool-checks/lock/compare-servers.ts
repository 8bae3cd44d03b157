import { joinPointer } from "@touchstone/core/advanced";
import type { SearchEffort } from "../../inclusion/counterexample.ts";
import {
  type Change,
  type ChangeClass,
  type ChangeSubject,
  changedMembers,
  type FoundChange,
  textChange,
} from "./change.ts";
import { approves, type LockedDefinition, type LockedServer } from "./lock-file.ts";
import {
  annotationChanges,
  executionChanges,
  promptChanges,
  templateChanges,
} from "./member-changes.ts";
import { schemaChanges } from "./schema-changes.ts";

const CLASSES: readonly ChangeClass[] = ["breaking", "unproven", "text", "compatible", "new"];
const rank = (change: Pick<Change, "class">): number => CLASSES.indexOf(change.class);

/**
 * Compares what a server declares with what was locked, and reports what each difference means. Parts that either
 * side does not know, such as the prompts if a file has only tools, are not compared.
 * @param progress receives the number of definitions compared so far, as comparing can take a while
 */
export function compareServers(
  locked: LockedServer,
  declared: LockedServer,
  progress: (done: number) => void = () => {},
): readonly Change[] {
  let done = 0;
  const each = (
    thing: ChangeSubject,
    compare: Compare,
    before: ReadonlyMap<string, LockedDefinition> | undefined,
    after: ReadonlyMap<string, LockedDefinition> | undefined,
  ): Change[] => {
    if (before === undefined || after === undefined) return [];
    const changes: Change[] = [];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [old, now] = [before.get(name), after.get(name)];
      const isApproved = old !== undefined && now !== undefined && approves(old, now.hash);
      if (!isApproved) changes.push(...changesOf(thing, name, old?.text, now?.text, compare));
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

type Compare = (before: string, after: string) => Iterable<FoundChange>;

/** Returns the changes of one thing, the heaviest first. */
function changesOf(
  thing: ChangeSubject,
  name: string,
  before: string | undefined,
  after: string | undefined,
  compare: Compare,
): readonly Change[] {
  const found =
    before === undefined
      ? [added(thing, after)]
      : after === undefined
        ? [gone(thing, before)]
        : compare(before, after);
  const sorted = [...found].sort((one, other) => rank(one) - rank(other));
  return sorted.map((one) => ({ ...one, thing, name }));
}

function added(thing: ChangeSubject, text: string | undefined): FoundChange {
  const after = text === undefined ? {} : { after: text };
  return { class: "new", rule: "new", path: "", message: `this ${thing} is new`, ...after };
}

function gone(thing: ChangeSubject, text: string): FoundChange {
  return {
    class: "breaking",
    rule: "gone",
    path: "",
    message: `this ${thing} is gone`,
    before: text,
  };
}

function serverChanges(locked: LockedServer, declared: LockedServer): readonly FoundChange[] {
  const found: FoundChange[] = [];
  const jsonOf = (value: string | null | undefined): string | undefined =>
    typeof value === "string" ? JSON.stringify(value) : undefined;
  const add = (
    path: string,
    kind: ChangeClass,
    old: string | null | undefined,
    now: string | null | undefined,
  ): void => {
    if (old === now || (old ?? now ?? null) === null) return;
    const change = textChange(path, jsonOf(old), jsonOf(now));
    found.push({ ...change, class: kind, rule: kind === "text" ? "text" : "identity" });
  };
  const { identity: before, instructions: told, protocolVersion: spoke } = locked;
  const { identity: after, instructions: tells, protocolVersion: speaks } = declared;
  if (before !== undefined && after !== undefined) {
    add("/identity/name", "text", before.name, after.name);
    add("/identity/title", "text", before.title, after.title);
    // Another version or revision shows nothing about what works: it is neither compatible nor breaking.
    add("/identity/version", "new", before.version, after.version);
  }
  if (spoke !== undefined && speaks !== undefined) {
    add("/protocol_version", "new", spoke, speaks);
  }
  if (told !== undefined && tells !== undefined) add("/instructions", "text", told, tells);
  return found;
}

/**
 * Compares two definitions of a tool, each canonical JSON, or what is known of them: a member that both lack is not a
 * difference. The heaviest changes come first.
 * @param before undefined if there was no such tool; likewise `after`
 */
export function compareTools(
  name: string,
  before: string | undefined,
  after: string | undefined,
  effort?: SearchEffort,
): readonly Change[] {
  return changesOf("tool", name, before, after, (old, now) =>
    old === now ? [] : toolChanges(old, now, effort),
  );
}

function* toolChanges(
  before: string,
  after: string,
  effort?: SearchEffort,
): Generator<FoundChange> {
  let any = false;
  for (const [name, old, now] of changedMembers(before, after)) {
    any = true;
    const path = joinPointer("", name);
    if (name === "inputSchema") yield* schemaChanges(path, "input", old, now, effort);
    else if (name === "outputSchema") yield* schemaChanges(path, "output", old, now, effort);
    else if (name === "annotations") yield* annotationChanges(old, now);
    else if (name === "execution") yield* executionChanges(old, now);
    else yield textChange(path, old, now);
  }
  // If a member occurs twice, both count for the hash, but only the last one is read here.
  if (!any) yield textChange("", before, after);
}
