import { addToAllOf } from "./composite.ts";
import { type Keyword, type KeywordSpelling, keyword } from "./keyword.ts";
import type { NodeDraft } from "./node.ts";
import { SCHEMA_SHAPE, type SchemaReader } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly $ref?: SchemaNode;
    /** Returns the target of `$dynamicRef` or `$recursiveRef` from here. */
    readonly $dynamicRef?: SchemaNode;
  }
}

/** A reference leads to a schema but does not contain one. */
const { holds: _, ...REFERENCE } = SCHEMA_SHAPE;

function reference(
  name: "$ref" | "$dynamicRef",
  since: Keyword["since"],
  older: readonly KeywordSpelling[],
  read: (node: NodeDraft, from: SchemaReader) => void,
): Keyword {
  return keyword({
    name,
    vocabulary: "core",
    since,
    older,
    shape: REFERENCE,
    where: "always",
    appliesTo: "any",
    read,
    write: (node, into, below) => {
      const target = node[name];
      if (target !== undefined) addToAllOf(into, [below(target)]);
    },
    compile: (node, { apply }) => {
      const target = node[name];
      if (target === undefined) return undefined;
      const applied = apply(target);
      return (run, value, place, marks) => applied.check(run, value, place, marks);
    },
  });
}

/** `$ref` (2020-12 Core, section 8.2.3.1). */
export const ref: Keyword = reference("$ref", "draft-04", [], (node, from) => {
  const target = from.reference("$ref");
  if (target !== undefined) node.$ref = target;
});

/** `$dynamicRef` and `$recursiveRef`, resolved for each dynamic scope (2020-12 Core, section 8.2.3.2). */
export const dynamicRef: Keyword = reference(
  "$dynamicRef",
  "2020-12",
  [{ name: "$recursiveRef", vocabulary: "core", since: "2019-09", until: "2019-09" }],
  (node, from) => {
    const target = from.dynamicReference("$dynamicRef") ?? from.dynamicReference("$recursiveRef");
    if (target !== undefined) node.$dynamicRef = target;
  },
);
