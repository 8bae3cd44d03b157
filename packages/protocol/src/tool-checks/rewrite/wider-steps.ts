import { takesReferences } from "../lint/providers/accepted-keywords.ts";
import { anyOfOrBeside } from "./any-of-beside.ts";
import { inlineReferences, inlineRefsWithSiblings } from "./inline-references.ts";
import { dropEnum } from "./listed-values.ts";
import {
  dropConstraints,
  dropImpossible,
  oneOfToAnyOf,
  requireDeclared,
  spreadAllOf,
  tupleToItems,
} from "./loosen.ts";
import { type RewriteStep, stepForEachSchema } from "./steps.ts";
import { flattenTop } from "./top-combinators.ts";

/**
 * The steps after which a schema may accept values that it refused before, because they remove something that a
 * provider refuses. They are for tools whose calls are still checked by the original schema.
 */
export const WIDER_STEPS: readonly RewriteStep[] = [
  {
    name: "cut-references",
    kind: "wider",
    did: "references into themselves are replaced by a type",
    apply: (schema, provider) =>
      takesReferences(provider, schema) ? schema : (inlineReferences(schema, true) ?? schema),
  },
  {
    name: "drop-beside-references",
    kind: "wider",
    did: "constraints beside references are removed",
    apply: (schema, provider) =>
      provider.places["ref-alone"] === undefined ? schema : inlineRefsWithSiblings(schema, true),
  },
  {
    name: "flatten-top",
    kind: "wider",
    did: "the properties of all alternatives at the top are declared together",
    apply: flattenTop,
  },
  {
    name: "spread-all-of",
    kind: "wider",
    did: "the parts of allOf are written into one schema, as far as they differ",
    apply: stepForEachSchema(spreadAllOf),
  },
  {
    name: "one-of-as-any-of",
    kind: "wider",
    did: "oneOf is written as anyOf, though a value may fit two branches",
    apply: stepForEachSchema(oneOfToAnyOf),
  },
  {
    name: "tuple-to-items",
    kind: "wider",
    did: "items by position are written as items of any of their types",
    apply: stepForEachSchema(tupleToItems),
  },
  {
    name: "drop-constraints",
    kind: "wider",
    did: "formats, lengths, patterns and other constraints that are refused are removed",
    apply: stepForEachSchema(dropConstraints),
  },
  {
    name: "drop-listed",
    kind: "wider",
    did: "values to choose from that are not strings are removed, except for their type and bounds",
    apply: stepForEachSchema(dropEnum),
  },
  {
    name: "drop-impossible",
    kind: "wider",
    did: "properties that no value may have are removed",
    apply: stepForEachSchema(dropImpossible),
  },
  {
    name: "any-of-or-beside",
    kind: "wider",
    did: "either anyOf or the keywords beside it are removed",
    apply: stepForEachSchema((schema, provider, isTop) =>
      provider.places["any-of-alone"] === undefined || isTop ? schema : anyOfOrBeside(schema),
    ),
  },
  {
    name: "require-declared",
    kind: "wider",
    did: "required properties that are not declared are removed",
    apply: stepForEachSchema(requireDeclared),
  },
];
