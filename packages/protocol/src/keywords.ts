import { editDistance, isInPlace, SPELLINGS, type Spelling } from "@touchstone/core";

function namesOf(is: (spelling: Spelling) => boolean): ReadonlySet<string> {
  // Those of policies mean nothing in a server's schema.
  const known = SPELLINGS.filter(({ vocabulary }) => vocabulary !== "policy");
  return new Set(known.filter(is).map(({ name }) => name));
}

/** Keywords that hold schemas by names of the author's. */
export const MAPS: ReadonlySet<string> = namesOf(({ holds }) => holds === "map");
/** Keywords that hold one schema or a list of schemas. */
export const HOLDERS: ReadonlySet<string> = namesOf(
  ({ holds }) => holds !== undefined && holds !== "map",
);
/** Keywords whose schemas speak of the value that the schema around them speaks of. */
export const SAME_VALUE: ReadonlySet<string> = namesOf(
  ({ holds, where }) => holds !== undefined && isInPlace(where),
);
/** Those that check nothing, and name nothing. */
const ANNOTATIONS =
  "$schema $comment $vocabulary contentEncoding contentMediaType description deprecated readOnly writeOnly examples";
/** What is not a keyword of JSON Schema's and yet means something to somebody. */
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
 * Returns the keyword that an author will have meant, if this is none and one is near: one letter off, two
 * in a word of more than six, or the same in another case. Vendors' own (`x-…`) are left alone.
 */
export function meantKeyword(keyword: string): string | undefined {
  if (KNOWN_SET.has(keyword) || keyword.length > MAX_LENGTH || /^x[-_]/i.test(keyword)) {
    return undefined;
  }
  const lower = keyword.toLowerCase().replaceAll(/[-_]/g, "");
  const same = KNOWN.find((known) => known.toLowerCase() === lower);
  if (same !== undefined) return same;
  // A word as short as `if` or `id` is near to anything.
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
