import type { ChosenBranch } from "@touchstone/core/advanced";
import { useCallback, useMemo, useState } from "react";
import type { OnBranchChange } from "./context.ts";

const BRANCH = /^(.*)\/(\d+)$/s;

/** The branches that a form shows, by the pointer to the value of their union. */
type Choices = ReadonlyMap<string, string>;

function changed(choices: Choices, pointer: string, branch: string | undefined): Choices {
  if (choices.get(pointer) === branch) return choices;
  const next = new Map(choices);
  if (branch === undefined) next.delete(pointer);
  else next.set(pointer, branch);
  return next;
}

/** Returns the location of a keyword in the engine's notation: a pointer as a URI fragment. */
function fragmentOf(pointer: string): string {
  return `#${pointer.toWellFormed().split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * Returns the branch of a union that is shown for its value, if the shown branch belongs to this union in the schema.
 */
export function chosenBranch(choices: Choices): ChosenBranch {
  return ({ path, schemaPath }) => {
    const [, union, index] = BRANCH.exec(choices.get(path) ?? "") ?? [];
    if (union === undefined || fragmentOf(union) !== schemaPath) return undefined;
    return Number(index);
  };
}

/** Returns the union branches that the form shows, and the callback that reports them. */
export function useChoices(): readonly [chosen: ChosenBranch, onChoice: OnBranchChange] {
  const [choices, setChoices] = useState<Choices>(new Map());
  const onChoice: OnBranchChange = useCallback(
    (pointer, branch) => setChoices((before) => changed(before, pointer, branch)),
    [],
  );
  return [useMemo(() => chosenBranch(choices), [choices]), onChoice];
}
