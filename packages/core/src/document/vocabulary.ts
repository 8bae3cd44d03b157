import { DIALECTS, type Dialect, type OwnDialect, POLICY } from "../keywords/dialect.ts";
import { KEYWORD_SPELLINGS } from "../keywords/index.ts";
import type { KeywordSpelling, VocabularyName } from "../keywords/keyword.ts";
import { isJson, type Json } from "./json.ts";

/** The keywords of a dialect that a metaschema selects. */
export interface Vocabulary {
  readonly dialect: Dialect;
  /** `undefined` means all of the dialect's. */
  readonly names?: ReadonlySet<VocabularyName>;
  /** Whether the metaschema asks for `format` to be asserted. */
  readonly assertsFormat: boolean;
}

function spellingsOf(dialect: Dialect): ReadonlyMap<string, KeywordSpelling> {
  const at = (name: Dialect): number => DIALECTS.indexOf(name);
  const known = KEYWORD_SPELLINGS.filter(
    ({ since, until = "2020-12" }) => at(since) <= at(dialect) && at(dialect) <= at(until),
  );
  return new Map(known.map((spelling) => [spelling.name, spelling]));
}

/** Every keyword of a dialect that can change a verdict, or contains one that can. */
const KEYWORDS: ReadonlyMap<Dialect, ReadonlyMap<string, KeywordSpelling>> = new Map(
  DIALECTS.map((dialect) => [dialect, spellingsOf(dialect)]),
);

/** Returns the declaration of a keyword in a vocabulary; undefined if the keyword has no meaning in it. */
export function keywordOf(vocabulary: Vocabulary, keyword: string): KeywordSpelling | undefined {
  const known = KEYWORDS.get(vocabulary.dialect)?.get(keyword);
  if (known === undefined || known.vocabulary === "core") return known;
  if (known.vocabulary === "policy") return isPolicy(vocabulary) ? known : undefined;
  return vocabulary.names?.has(known.vocabulary) === false ? undefined : known;
}

const POLICY_VOCABULARY: Vocabulary = {
  dialect: "2020-12",
  names: new Set(["core", "applicator", "unevaluated", "validation", "format", "policy"]),
  assertsFormat: true,
};

/** Returns the whole of a dialect. */
export function vocabularyOf(dialect: OwnDialect): Vocabulary {
  return dialect === POLICY ? POLICY_VOCABULARY : { dialect, assertsFormat: false };
}

/** Returns whether schemas are of the dialect for policies. */
export function isPolicy({ names }: Vocabulary): boolean {
  return names?.has("policy") === true;
}

/** Returns whether a `$ref` disables the keywords beside it (draft-07 Core, section 8.3). */
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
 * Returns the part of its own dialect that a metaschema's `$vocabulary` selects (2020-12 Core, section 8.1.2).
 * @returns the name of a required vocabulary that is unknown, if there is one.
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

/** Where a vocabulary has schemas: a member of a schema, or the values of a list or map in one. */
export interface Subschema {
  readonly value: unknown;
  readonly container: object;
  readonly name: string;
  readonly keyword: string;
}

/** Returns the direct subschemas of a schema, in the order of its members. */
export function subschemas(schema: Json, vocabulary: Vocabulary): readonly Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of Object.keys(schema)) {
    const holds = keywordOf(vocabulary, keyword)?.holds;
    if (holds === undefined) continue;
    const held = schema[keyword];
    if (holds === "schema" || (holds === "schema or list" && !Array.isArray(held))) {
      found.push({ value: held, container: schema, name: keyword, keyword });
    } else if (holds === "map" ? isJson(held) : Array.isArray(held)) {
      const container = held as Json;
      for (const name of Object.keys(container)) {
        found.push({ value: container[name], container, name, keyword });
      }
    }
  }
  return found;
}

/** Returns the reference tokens that lead from a schema to one of its subschemas. */
export function subschemaTokens(
  schema: Json,
  { container, keyword, name }: Subschema,
): readonly string[] {
  return container === schema ? [keyword] : [keyword, name];
}
