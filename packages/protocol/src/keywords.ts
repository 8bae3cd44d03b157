import {
  editDistance,
  isInPlace,
  type JsonObject,
  KEYWORD_SPELLINGS,
  type KeywordSpelling,
} from "@touchstone/core/advanced";

function namesOf(is: (spelling: KeywordSpelling) => boolean): ReadonlySet<string> {
  // Policy keywords mean nothing in a server's schema.
  const known = KEYWORD_SPELLINGS.filter(({ vocabulary }) => vocabulary !== "policy");
  return new Set(known.filter(is).map(({ name }) => name));
}

/** Keywords that hold schemas under names that the author chose. */
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = namesOf(({ holds }) => holds === "map");
/** Keywords that hold one schema or a list of schemas. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = namesOf(
  ({ holds }) => holds !== undefined && holds !== "map",
);
/** Keywords whose schemas apply to the same value as the surrounding schema. */
export const IN_PLACE_KEYWORDS: ReadonlySet<string> = namesOf(
  ({ holds, where }) => holds !== undefined && isInPlace(where),
);
/** Keywords that check nothing, and name nothing. */
const ANNOTATIONS =
  "$schema $comment $vocabulary contentEncoding contentMediaType description deprecated readOnly writeOnly examples";
/** Names that are not JSON Schema keywords but have a meaning in other formats. */
const FOREIGN =
  "nullable example discriminator xml externalDocs enumNames enumDescriptions markdownDescription " +
  "markdownEnumDescriptions errorMessage defaultSnippets doNotSuggest deprecationMessage propertyOrdering " +
  "$async $data optional order tsType javaType private sensitive label hint placeholder extends version name";

const KNOWN: readonly string[] = [...namesOf(() => true), ...ANNOTATIONS.split(" ")];
const KNOWN_SET: ReadonlySet<string> = new Set([...KNOWN, ...FOREIGN.split(" ")]);
const KEYWORDS: ReadonlySet<string> = new Set(KNOWN);
const MAX_LENGTH = 30;

/** Returns whether a name is a keyword of JSON Schema, in any of its dialects. */
export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name);
}

/**
 * Returns the keyword that an author probably meant, if the given one is not a keyword but is close to one: one
 * letter off, two in a word of more than six, or the same in another case. Vendor keywords (`x-…`) are left alone.
 */
export function closestKeyword(keyword: string): string | undefined {
  if (KNOWN_SET.has(keyword) || keyword.length > MAX_LENGTH || /^x[-_]/i.test(keyword)) {
    return undefined;
  }
  const lower = keyword.toLowerCase().replaceAll(/[-_]/g, "");
  const same = KNOWN.find((known) => known.toLowerCase() === lower);
  if (same !== undefined) return same;
  // A word as short as `if` or `id` is close to too many other words.
  if (keyword.length < 4) return undefined;
  const most = keyword.length > 6 ? 2 : 1;
  let best: string | undefined;
  let least = most + 1;
  for (const known of KNOWN) {
    if (known.length < 4 || Math.abs(known.length - keyword.length) >= least) continue;
    const distance = editDistance(keyword, known);
    if (distance < least) [best, least] = [known, distance];
  }
  return best;
}

/** Returns whether keywords beside `$ref` count in a document: from 2019-09 on, and if it names no dialect. */
export function allowsRefSiblings({ $schema }: JsonObject): boolean {
  return typeof $schema !== "string" || !/draft-0[3-7]/.test($schema);
}
