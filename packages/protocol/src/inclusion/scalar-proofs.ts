import { areMultiples, isBoundWithin, lowerBound, upperBound } from "./number-bounds.ts";
import {
  type Kind,
  kindsOfTypes,
  numbersIn,
  requiredBy,
  type SchemaParts,
  sizeBounds,
} from "./schema-parts.ts";
import type { TextProofs } from "./text-proofs.ts";

/**
 * Returns whether the parts imply a keyword that has no schemas: a type, a bound, a length, a count, a pattern.
 * @param kinds what the values can be
 * @returns undefined for other keywords
 */
export function scalarImplied(
  parts: SchemaParts,
  kinds: ReadonlySet<Kind>,
  keyword: string,
  value: unknown,
  texts: TextProofs,
): boolean | undefined {
  const limit = typeof value === "number" ? value : Number.NaN;
  const least = (): number => sizeBounds(parts, keyword, "")[0];
  const most = (name: string = keyword): number => sizeBounds(parts, "", name)[1];
  switch (keyword) {
    case "type": {
      const allowed = kindsOfTypes(Array.isArray(value) ? value : [value]);
      return [...kinds].every((kind) => allowed.has(kind));
    }
    case "minimum":
    case "exclusiveMinimum":
      return isBoundWithin(lowerBound(parts, kinds), limit, keyword === "exclusiveMinimum", 1);
    case "maximum":
    case "exclusiveMaximum":
      return isBoundWithin(upperBound(parts, kinds), limit, keyword === "exclusiveMaximum", -1);
    case "multipleOf": {
      const numbers = numbersIn(parts, keyword);
      const isWhole = !kinds.has("fraction");
      return areMultiples(numbers, limit) || (isWhole && areMultiples([1, ...numbers], limit));
    }
    case "minLength":
      return least() >= limit || texts.hasNone(parts, { maxLength: Math.ceil(limit) - 1 });
    case "maxLength":
      return most() <= limit || texts.hasNone(parts, { minLength: Math.floor(limit) + 1 });
    case "minItems":
      return least() >= limit;
    case "maxItems":
      return most() <= limit;
    case "minProperties":
      return Math.max(least(), requiredBy(parts).size) >= limit;
    case "pattern":
      return (
        parts.some((part) => part[keyword] === value) ||
        texts.hasNone(parts, { missed: [String(value)] })
      );
    case "format":
      return parts.some((part) => part[keyword] === value);
    case "uniqueItems":
      return (
        value === false || parts.some((part) => part[keyword] === true) || most("maxItems") <= 1
      );
    default:
      return undefined;
  }
}
