import { type Keyword, type KeywordSpelling, keyword } from "./keyword.ts";
import { ANY_VALUE_SHAPE, TEXT_SHAPE } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    /** The author's `title` and `default`, which do not check anything (2020-12 Validation, section 9). */
    readonly title?: string;
    readonly default?: SchemaValue;
  }
}

/** `title` (2020-12 Validation, section 9.1): the name of a schema in an explanation. */
export const title: Keyword = keyword({
  name: "title",
  vocabulary: "core",
  since: "draft-04",
  shape: TEXT_SHAPE,
  appliesTo: "any",
  read(node, from) {
    const text = from.value("title");
    if (typeof text === "string" && text !== "") node.title = text;
  },
  write: () => {},
});

/** `default` (2020-12 Validation, section 9.2): a suggestion may use it. */
export const defaultValue: Keyword = keyword({
  name: "default",
  vocabulary: "core",
  since: "draft-04",
  shape: ANY_VALUE_SHAPE,
  appliesTo: "any",
  write: () => {},
});

/**
 * Keywords that neither check nor annotate: they name schemas, or hold schemas that others refer to (2020-12 Core,
 * section 8). `contentSchema` annotates, but identifiers in it count.
 */
export const STRUCTURAL_KEYWORDS: readonly KeywordSpelling[] = [
  { name: "id", vocabulary: "core", since: "draft-04", until: "draft-04" },
  { name: "$id", vocabulary: "core", since: "draft-06" },
  { name: "$anchor", vocabulary: "core", since: "2019-09" },
  { name: "$recursiveAnchor", vocabulary: "core", since: "2019-09", until: "2019-09" },
  { name: "$dynamicAnchor", vocabulary: "core", since: "2020-12" },
  { name: "$defs", vocabulary: "core", since: "2019-09", holds: "map" },
  // Kept from 2019-09 on so that older schemas still work (2019-09 Validation, appendix A).
  { name: "definitions", vocabulary: "core", since: "draft-04", holds: "map" },
  { name: "contentSchema", vocabulary: "core", since: "2019-09", holds: "schema" },
];
