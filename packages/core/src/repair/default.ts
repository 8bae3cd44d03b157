import { fragmentTokens, pointerTokens, valueAt } from "../json/pointer.ts";
import { isObject } from "../json/value.ts";
import type { Issue, Suggestion } from "../result.ts";

/** How many references are followed from one to the next. */
const MAX_REFERENCES = 16;

/** Returns whether something above the root's level is a document of its own, where other pointers hold. */
function isWithinDocument(declared: unknown, tokens: readonly string[]): boolean {
  return tokens.some((_, i) => {
    const schema = valueAt(declared, tokens.slice(0, i + 1))?.value;
    return (
      isObject(schema) && (typeof schema["$id"] === "string" || typeof schema["id"] === "string")
    );
  });
}

/** Returns the default of the schema at a place, or of the one that it refers to by a pointer. */
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
 * Returns the default of the property that an issue says is missing: the one that the schema as its author wrote it
 * has at that place or behind pointers from there, else what the engine suggests, which knows every
 * kind of reference, and defaults that are small and valid by themselves.
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
