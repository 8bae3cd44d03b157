import { blocksTools, decideTool, policyFor, refusesTools } from "../../policy/tools.ts";
import type { ListStep } from "../list-view.ts";

/**
 * Leaves out the tools that policy does not allow (`allow_tools`, `deny_tools`, `read_only`). In `warn`, the list is
 * unchanged, and the record says what would be left out.
 */
export const allow: ListStep = {
  name: "allow",
  prepare({ settings, caller }) {
    const policy = policyFor(settings(), caller);
    if (!refusesTools(policy)) return undefined;
    return {
      key: JSON.stringify(policy),
      isPrivate: policy?.levels.some(({ level }) => level === "caller") === true,
      isStrict: blocksTools(policy),
      view({ name, isReadOnly }) {
        const { decision, keyword, reason } = decideTool(policy, { name, isReadOnly });
        if (keyword === undefined) return undefined;
        return decision === "blocked"
          ? { leftOut: true, reason, keyword }
          : { noted: true, reason, keyword };
      },
    };
  },
};
