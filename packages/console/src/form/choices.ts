import type { ChosenBranch } from "@touchstone/core";
import { useCallback, useMemo, useState } from "react";
import type { OnChoice } from "./context.ts";

const BRANCH = /^(.*)\/(\d+)$/s;

/** Which branches a form shows, by the pointer of the value of their union. */
type Choices = ReadonlyMap<string, string>;

function changed(choices: Choices, pointer: string, branch: string | undefined): Choices {
  if (choices.get(pointer) === branch) return choices;
  const next = new Map(choices);
  if (branch === undefined) next.delete(pointer);
  else next.set(pointer, branch);
  return next;
}

/** As the engine writes the place of a keyword: a pointer in a URI fragment. */
function fragmentOf(pointer: string): string {
  return `#${pointer.toWellFormed().split("/").map(encodeURIComponent).join("/")}`;
}

/** Returns the branch of a union that is shown for its value, if it is of this very union of the schema. */
export function chosenBranch(choices: Choices): ChosenBranch {
  return ({ path, schemaPath }) => {
    const [, union, index] = BRANCH.exec(choices.get(path) ?? "") ?? [];
    if (union === undefined || fragmentOf(union) !== schemaPath) return undefined;
    return Number(index);
  };
}

/** Returns the branches of unions that the form shows, and what it reports them by. */
export function useChoices(): readonly [chosen: ChosenBranch, onChoice: OnChoice] {
  const [choices, setChoices] = useState<Choices>(new Map());
  const onChoice: OnChoice = useCallback(
    (pointer, branch) => setChoices((before) => changed(before, pointer, branch)),
    [],
  );
  return [useMemo(() => chosenBranch(choices), [choices]), onChoice];
}
