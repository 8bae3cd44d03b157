import { isSignIn } from "./code.ts";

/** Key for the view while the user signs in at a provider; stored in this tab only. */
const KEY = "touchstone view";
/** Maximum number of characters of a view that the gateway accepts as `return_to`. */
const MAX_VIEW = 2_048;

type ViewStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Returns the view to return to after signing in, as a fragment; `#/` if the address has none. */
export function returnView(hash: string): string {
  if (!hash.startsWith("#/") || isSignIn(hash)) return "#/";
  if (hash.length <= MAX_VIEW) return hash;
  // The page without its filters.
  const [path = ""] = hash.split("?", 1);
  return path.length <= MAX_VIEW ? path : "#/";
}

/** Stores the view before the user leaves for a provider. Never throws. */
export function keepReturnView(
  hash: string,
  storage: () => ViewStorage = () => sessionStorage,
): void {
  try {
    if (!isSignIn(hash)) storage().setItem(KEY, returnView(hash));
  } catch {
    // Without storage, the overview opens afterward.
  }
}

/** Returns the stored view, and deletes it. Never throws. */
export function takeReturnView(storage: () => ViewStorage = () => sessionStorage): string {
  try {
    const view = storage().getItem(KEY) ?? "";
    storage().removeItem(KEY);
    return returnView(view);
  } catch {
    return "#/";
  }
}
