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
import { annotationChanges, executionChanges } from "./member-changes.ts";
import { schemaChanges } from "./schema-changes.ts";

const CLASSES: readonly ChangeClass[] = ["breaking", "unproven", "text", "compatible", "new"];
const rank = (change: Pick<Change, "class">): number => CLASSES.indexOf(change.class);

/** Compares two definitions of one thing. */
export type Compare = (before: string, after: string) => Iterable<FoundChange>;

/** Returns the changes of one thing, the heaviest first. */
export function changesOf(
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

/**
 * Compares two definitions of a tool, each canonical JSON. They may be incomplete: a member that both lack is not a
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

/** Yields what has changed between two definitions of a tool. */
export function* toolChanges(
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
