import { definitionSteps } from "@touchstone/protocol/lock";
import type { ListStep } from "../list-step.ts";
import { decidePinned } from "./decide.ts";

/**
 * Leaves out tools whose current declaration is not approved. In `warn` the list stays as it is, and the record says
 * what would be left out.
 */
export const pinListStep: ListStep = {
  name: "pin",
  wait: ({ pins }) => (pins?.isOn === true ? pins.refresh() : undefined),
  prepare({ settings, pins }) {
    const { pin: own } = settings();
    if (own === undefined || own.mode === "off") return undefined;
    return {
      key: JSON.stringify([own, pins?.version]),
      isStrict: own.mode === "strict",
      *view({ name, original }) {
        // Checks each entry by its own definition: a page may have two tools with one name.
        const hash = name === undefined ? undefined : (yield* definitionSteps(original, 0)).hash;
        const { decision, reason } = decidePinned(own, { name, hash }, pins);
        if (decision === "allowed") return undefined;
        return decision === "blocked"
          ? { leftOut: true, reason, keyword: "pin" }
          : { noted: true, reason, keyword: "pin" };
      },
    };
  },
};
