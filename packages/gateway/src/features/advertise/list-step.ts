import { lateImport } from "@touchstone/util";
import type { ListStep, ListViewer } from "../list-step.ts";
import { isOwnClient } from "../own-client.ts";

type Advertising = typeof import("./advertise.ts");

/** The module that writes policies into definitions: loaded for the first list that needs it. */
let advertising: Advertising | undefined;

const load = lateImport(async () => {
  advertising = await import("./advertise.ts");
});

/**
 * Returns the constraints that are shown to a viewer, and a text that changes whenever they do; undefined if none are
 * shown.
 */
function shownTo({ narrowings, client }: ListViewer) {
  const key = narrowings?.advertised;
  return narrowings === undefined || key === undefined || isOwnClient(client)
    ? undefined
    : { narrowings, key };
}

/**
 * Shows in the definitions of tools what `narrow` allows (`policy.advertise`). A call is checked by both schemas in any
 * case. In `warn` the list stays as it is, and the record says what would be changed.
 */
export const advertiseListStep: ListStep = {
  name: "advertise",
  wait: (viewer) =>
    advertising === undefined && shownTo(viewer) !== undefined ? load() : undefined,
  prepare(viewer) {
    const shown = shownTo(viewer);
    if (shown === undefined || advertising === undefined) return undefined;
    const { advertiseSteps } = advertising;
    return {
      key: shown.key,
      changesSchemas: true,
      isStrict: false,
      *view({ name, text }) {
        const narrowing = name === undefined ? undefined : shown.narrowings.of(name);
        if (narrowing?.advertise !== true) return undefined;
        const { text: changed, reason } = yield* advertiseSteps(text, narrowing);
        if (reason === undefined) return undefined;
        return changed === undefined || narrowing.mode !== "strict"
          ? { noted: true, reason }
          : { text: changed, reason };
      },
    };
  },
};
