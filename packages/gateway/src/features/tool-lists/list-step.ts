import { foldText, tooLongToFold } from "@touchstone/core/advanced";
import type { ListStep, ToolView } from "../list-step.ts";
import { blocksTools, decideTool, policyFor, refusesTools } from "./decide.ts";

/**
 * Leaves out the tools that policy does not allow (`allow_tools`, `deny_tools`, `read_only`), and those whose names
 * are too long to be compared with the tools of `narrow`: calls of them are blocked. In `warn`, the list is
 * unchanged, and the record says what would be left out. A list that is shortened, or that may be longer for this
 * caller than for others, is private: a shared cache must not give it to other callers.
 */
export const allowListStep: ListStep = {
  name: "allow",
  prepare({ settings, caller, callersDiffer = false, narrowings }) {
    const policy = policyFor(settings(), caller);
    const narrows = narrowings?.blocking !== undefined;
    if (!refusesTools(policy) && !narrows && !callersDiffer) return undefined;
    return {
      key: JSON.stringify([policy, narrows]),
      isPrivate: callersDiffer || blocksTools(policy),
      isStrict: blocksTools(policy),
      view({ name, isReadOnly }) {
        const { decision, keyword, reason } = decideTool(policy, { name, isReadOnly });
        if (keyword === undefined) return narrows ? tooLong(name) : undefined;
        return decision === "blocked"
          ? { leftOut: true, reason, keyword }
          : { noted: true, reason, keyword };
      },
    };
  },
};

function tooLong(name: string | undefined): ToolView | undefined {
  if (name === undefined || foldText(name, "name") !== undefined) return undefined;
  const reason = `narrow is set, and the name ${tooLongToFold(name)}`;
  return { leftOut: true, reason, keyword: "narrow" };
}
