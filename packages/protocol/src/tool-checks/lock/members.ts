import {
  decodeUtf8,
  encodeUtf8,
  escapePointer,
  isObject,
  locatePointers,
} from "@touchstone/core/advanced";

/**
 * Returns the members of a canonical object by name, each as its own text. If a name occurs twice, returns the last
 * one.
 * @param text canonical JSON; a value that is not an object has no members
 */
export function membersOf(text: string): ReadonlyMap<string, string> {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return new Map();
  const bytes = encodeUtf8(text);
  const pointers = new Map(Object.keys(value).map((name) => [`/${escapePointer(name)}`, name]));
  const members = new Map<string, string>();
  for (const [pointer, place] of locatePointers(bytes, pointers.keys())) {
    const name = pointers.get(pointer) ?? "";
    members.set(name, decodeUtf8(bytes, place.value.start, place.value.end));
  }
  return members;
}
