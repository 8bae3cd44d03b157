import { type Check, isObject, pointerTokens } from "@touchstone/core/advanced";
import { isCountedKeyword, MAX_ITEMS, type Shape } from "@touchstone/records/plain";

/** Returns the part of a shape for a pointer into one of its values; undefined if nothing is kept of it. */
function partAt(shape: Shape, value: unknown, pointer: string): Shape | undefined {
  let part: Shape | undefined = shape;
  let at = value;
  for (const token of pointerTokens(pointer)) {
    if (Array.isArray(at)) {
      at = at[Number(token)];
      part = part.items;
    } else {
      at = isObject(at) ? at[token] : undefined;
      part = part.members.get(token);
    }
    if (part === undefined) return undefined;
  }
  return part;
}

/** Returns whether a pointer leads into an array that is only partly read. */
function isInLong(value: unknown, pointer: string): boolean {
  let at = value;
  for (const token of pointerTokens(pointer)) {
    if (Array.isArray(at) && at.length > MAX_ITEMS) return true;
    at = Array.isArray(at) ? at[Number(token)] : isObject(at) ? at[token] : undefined;
  }
  return false;
}

/**
 * Adds the declared schema's verdict about a value that has been added to a shape. Of an issue only the place and the
 * keyword count, not what it quotes.
 */
export function addCheckToShape(shape: Shape, value: unknown, check: Check): void {
  const { outcome, errors, truncated } = check;
  if (outcome === "pass") {
    shape.passed += 1;
    shape.told += 1;
    return;
  }
  shape.refused += 1;
  if (errors.some(({ instancePath = "" }) => isInLong(value, instancePath))) shape.strayed += 1;
  // A path that was cut leads to another place.
  const isCut = errors.some(({ instancePath }) => instancePath?.endsWith("…"));
  if (truncated === undefined && !isCut) shape.told += 1;
  const noted = new Map<Shape, Set<string>>();
  for (const { keyword = "", instancePath = "" } of errors) {
    const part = isCountedKeyword(keyword) ? partAt(shape, value, instancePath) : undefined;
    if (part === undefined) continue;
    const known = noted.get(part) ?? new Set();
    if (known.has(keyword)) continue;
    noted.set(part, known.add(keyword));
    part.broken.set(keyword, (part.broken.get(keyword) ?? 0) + 1);
  }
}
