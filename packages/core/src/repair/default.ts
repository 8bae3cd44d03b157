import { fragmentTokens, pointerTokens, valueAt } from "../json/pointer.ts";
import { isObject } from "../json/value.ts";
import type { Issue, Suggestion } from "../result.ts";

/** Maximum number of references followed in a row. */
const MAX_REFERENCES = 16;

/**
 * Returns whether a schema on the way from the root is a document of its own, in which pointers resolve differently.
 */
function isWithinDocument(declared: unknown, tokens: readonly string[]): boolean {
  return tokens.some((_, i) => {
    const schema = valueAt(declared, tokens.slice(0, i + 1))?.value;
    return (
      isObject(schema) && (typeof schema["$id"] === "string" || typeof schema["id"] === "string")
    );
  });
}

/** Returns the default of the schema at a place, or of the schema that it refers to by a pointer. */
function defaultAt(
  declared: unknown,
  place: readonly string[],
): { readonly value: unknown } | undefined {
  let tokens = place;
  for (let i = 0; i <= MAX_REFERENCES; i += 1) {
    const schema = valueAt(declared, tokens)?.value;
    if (!isObject(schema)) return undefined;
    if (Object.hasOwn(schema, "default")) return { value: schema["default"] };
    const reference = schema["$ref"];
    if (typeof reference !== "string" || isWithinDocument(declared, tokens)) return undefined;
    const target = fragmentTokens(reference);
    if (target === undefined) return undefined;
    tokens = target;
  }
  return undefined;
}

/**
 * Returns the default of the property that an issue reports as missing. The author's schema comes first, at that place
 * or where pointers lead from there. Otherwise it is the engine's suggestion, which covers every kind of reference and
 * defaults that are small and valid by themselves.
 */
export function missingDefault(
  { keyword, path, schemaPath }: Issue,
  declared: unknown,
  suggestions: readonly Suggestion[],
): { readonly value: unknown } | undefined {
  if (keyword !== "required" && keyword !== "dependentRequired") return undefined;
  const name = pointerTokens(path).at(-1);
  const tokens = schemaPath === undefined ? undefined : fragmentTokens(schemaPath);
  if (name === undefined || tokens === undefined) return undefined;
  const at = tokens.lastIndexOf(keyword);
  if (at < 0) return undefined;
  const found = defaultAt(declared, [...tokens.slice(0, at), "properties", name]);
  if (found !== undefined) return found;
  const suggested = suggestions.find((one) => one.path === path && Object.hasOwn(one, "value"));
  return suggested && { value: suggested.value };
}
