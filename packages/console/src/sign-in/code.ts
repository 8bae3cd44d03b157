/** The part of the page's address that is needed here. */
interface Address {
  readonly hash: string;
}

/**
 * Removes the code of a link (`#/activity/ID?code=…`) from the page's address and history, so that nobody finds it
 * there later. The page that the link names stays open.
 * @returns undefined if the address has no code
 */
export function takeSignInCode(
  { hash }: Address,
  history: Pick<History, "replaceState">,
): string | undefined {
  const mark = hash.indexOf("?");
  // The code that a provider returns is not a code of the gateway.
  if (mark < 0 || isSignIn(hash)) return undefined;
  const query = new URLSearchParams(hash.slice(mark + 1));
  const code = query.get("code");
  if (code === null) return undefined;
  query.delete("code");
  const rest = query.toString();
  history.replaceState(null, "", hash.slice(0, mark) + (rest === "" ? "" : `?${rest}`));
  return code;
}

const SIGN_IN = "#/sign-in";

/** Returns whether an address is that of the sign-in page. */
export function isSignIn(hash: string): boolean {
  return hash === SIGN_IN || hash.startsWith(`${SIGN_IN}?`);
}

/** Why a sign-in at a provider failed. */
export interface ProviderError {
  readonly code: string;
  readonly provider: string;
}

/** Returns the error in the address of the sign-in page; undefined if there is none. */
export function errorIn(hash: string): ProviderError | undefined {
  if (!isSignIn(hash)) return undefined;
  const query = new URLSearchParams(hash.slice(SIGN_IN.length));
  const code = query.get("error") ?? "";
  return code === "" ? undefined : { code, provider: query.get("provider") ?? "" };
}
