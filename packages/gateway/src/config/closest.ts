import { closest } from "@touchstone/util/closest";

/** ` — did you mean "…"?`, or nothing if no candidate is close. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const found = closest(name, candidates);
  return found === undefined ? "" : ` — did you mean "${found}"?`;
}

/** Returns a name in a form that is the same for `serverUrl`, `server_url` and `server-url`. */
export function foldedKey(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}
