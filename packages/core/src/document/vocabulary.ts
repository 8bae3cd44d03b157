import { DIALECTS, type Dialect } from "../keywords/dialect.ts";

/** How a keyword holds subschemas; `dependencies` holds them beside lists of names. */
export type Holding = "schema" | "list" | "schema or list" | "map";

/** The vocabularies whose keywords change a verdict (2020-12 Core, section 8.1.2). */
export type VocabularyName = "core" | "applicator" | "unevaluated" | "validation" | "format";

/** What a dialect knows, in the terms of a metaschema. */
export interface Vocabulary {
  readonly dialect: Dialect;
  /** `undefined` means all of the dialect's. */
  readonly names?: ReadonlySet<VocabularyName>;
  /** Whether the metaschema asks for `format` to be asserted. */
  readonly assertsFormat: boolean;
}

interface Keyword {
  readonly vocabulary: VocabularyName;
  readonly holding?: Holding;
}

const D4 = 0;
const D6 = 1;
const D7 = 2;
const D2019 = 3;
const D2020 = 4;

type Row = readonly [
  keywords: string,
  vocabulary: VocabularyName,
  from: number,
  to: number,
  holding?: Holding,
];

/** Every keyword that a dialect knows and that can change a verdict, or holds what can. */
const ROWS: readonly Row[] = [
  ["id", "core", D4, D4],
  ["$id", "core", D6, D2020],
  ["$ref", "core", D4, D2020],
  ["$anchor", "core", D2019, D2020],
  ["$recursiveRef $recursiveAnchor", "core", D2019, D2019],
  ["$dynamicRef $dynamicAnchor", "core", D2020, D2020],
  ["$defs", "core", D2019, D2020, "map"],
  // Kept from 2019-09 on, so that older schemas go on to work (2019-09 Validation, appendix A).
  ["definitions", "core", D4, D2020, "map"],
  ["dependencies", "applicator", D4, D2020, "map"],
  ["allOf anyOf oneOf", "applicator", D4, D2020, "list"],
  ["not additionalProperties", "applicator", D4, D2020, "schema"],
  ["properties patternProperties", "applicator", D4, D2020, "map"],
  ["items", "applicator", D4, D2019, "schema or list"],
  ["items", "applicator", D2020, D2020, "schema"],
  ["additionalItems", "applicator", D4, D2019, "schema"],
  ["prefixItems", "applicator", D2020, D2020, "list"],
  ["contains propertyNames", "applicator", D6, D2020, "schema"],
  ["if then else", "applicator", D7, D2020, "schema"],
  ["dependentSchemas", "applicator", D2019, D2020, "map"],
  ["unevaluatedItems unevaluatedProperties", "applicator", D2019, D2019, "schema"],
  ["unevaluatedItems unevaluatedProperties", "unevaluated", D2020, D2020, "schema"],
  // An annotation, but identifiers in it count.
  ["contentSchema", "core", D2019, D2020, "schema"],
  ["type enum multipleOf maximum exclusiveMaximum", "validation", D4, D2020],
  ["minimum exclusiveMinimum maxLength minLength pattern", "validation", D4, D2020],
  ["maxItems minItems uniqueItems", "validation", D4, D2020],
  ["maxProperties minProperties required", "validation", D4, D2020],
  ["const", "validation", D6, D2020],
  ["maxContains minContains dependentRequired", "validation", D2019, D2020],
  ["format", "format", D4, D2020],
];

function keywordsOf(dialect: number): ReadonlyMap<string, Keyword> {
  const known = new Map<string, Keyword>();
  for (const [keywords, vocabulary, from, to, holding] of ROWS) {
    if (dialect < from || dialect > to) continue;
    const entry = holding === undefined ? { vocabulary } : { vocabulary, holding };
    for (const keyword of keywords.split(" ")) known.set(keyword, entry);
  }
  return known;
}

const KEYWORDS: ReadonlyMap<Dialect, ReadonlyMap<string, Keyword>> = new Map(
  DIALECTS.map((dialect, i) => [dialect, keywordsOf(i)]),
);

/** What a vocabulary knows of a keyword; `undefined` where the keyword means nothing to it. */
export function keywordOf(vocabulary: Vocabulary, keyword: string): Keyword | undefined {
  const known = KEYWORDS.get(vocabulary.dialect)?.get(keyword);
  if (known === undefined || known.vocabulary === "core") return known;
  return vocabulary.names?.has(known.vocabulary) === false ? undefined : known;
}

/** The whole of a dialect. */
export function vocabularyOf(dialect: Dialect): Vocabulary {
  return { dialect, assertsFormat: false };
}

/** Whether a `$ref` makes the keywords beside it void (draft-07 Core, section 8.3). */
export function refHidesSiblings({ dialect }: Vocabulary): boolean {
  return dialect === "draft-04" || dialect === "draft-06" || dialect === "draft-07";
}

/** Vocabularies that a metaschema may name; the others of the two dialects change no verdict. */
const NAMES: ReadonlyMap<string, VocabularyName | undefined> = new Map([
  ["core", "core"],
  ["applicator", "applicator"],
  ["unevaluated", "unevaluated"],
  ["validation", "validation"],
  ["format", "format"],
  ["format-annotation", "format"],
  ["format-assertion", "format"],
  ["meta-data", undefined],
  ["content", undefined],
]);

/**
 * What a metaschema's `$vocabulary` leaves of its own dialect (2020-12 Core, section 8.1.2).
 * @returns the name of the vocabulary that it requires and nobody knows, where there is one.
 */
export function chooseVocabulary(
  dialect: Dialect,
  declared: Readonly<Record<string, unknown>>,
): Vocabulary | string {
  const names = new Set<VocabularyName>();
  let assertsFormat = false;
  const prefix = `https://json-schema.org/draft/${dialect}/vocab/`;
  for (const [uri, required] of Object.entries(declared)) {
    const name = uri.startsWith(prefix) ? uri.slice(prefix.length) : "";
    if (!NAMES.has(name)) {
      if (required === true) return uri;
      continue;
    }
    const known = NAMES.get(name);
    if (known !== undefined) names.add(known);
    // 2020-12 Validation, section 7.2.2: recognised, it asserts; 2019-09, section 7.2: only if true.
    if (name === "format-assertion" || (name === "format" && required === true)) {
      assertsFormat = true;
    }
  }
  return { dialect, names, assertsFormat };
}
