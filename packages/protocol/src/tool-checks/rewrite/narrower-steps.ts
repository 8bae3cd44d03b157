import { closeObjects } from "./close-objects.ts";
import { dropEmptyText, nameImpliedType } from "./listed-values.ts";
import { type RewriteStep, stepForEachSchema } from "./steps.ts";

/** The steps after which a schema accepts fewer values, and none that it refused before. */
export const NARROWER_STEPS: readonly RewriteStep[] = [
  {
    name: "close-objects",
    kind: "narrower",
    did: "objects refuse properties that they do not declare",
    apply: (schema, provider) =>
      provider.places["closed-objects"] === undefined ? schema : closeObjects(schema),
  },
  {
    name: "name-implied-type",
    kind: "narrower",
    did: "schemas name the type that their keywords are about",
    apply: stepForEachSchema((schema, provider) => nameImpliedType(schema, provider)),
  },
  {
    name: "drop-empty-text",
    kind: "narrower",
    did: "the empty string is removed from the values to choose from",
    apply: stepForEachSchema((schema, provider) => dropEmptyText(schema, provider)),
  },
];
