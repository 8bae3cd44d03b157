import type { Fetch } from "../api/client.ts";
import { isObject } from "../json/object.ts";

/** How long to wait for the gateway, in milliseconds; after that, the page opens without a token. */
const ASK_MS = 5_000;

/** The part of the page's address that is needed here. */
interface Address {
  readonly hash: string;
}

/**
 * Removes the code of a link (`#/activity/ID?code=…`) from the page's address and history, so that nobody finds it
 * there later. The page that the link names stays open.
 * @returns undefined if the address has no code
 */
export function takeCode(
  { hash }: Address,
  history: Pick<History, "replaceState">,
): string | undefined {
  const mark = hash.indexOf("?");
  if (mark < 0) return undefined;
  const query = new URLSearchParams(hash.slice(mark + 1));
  const code = query.get("code");
  if (code === null) return undefined;
  query.delete("code");
  const rest = query.toString();
  history.replaceState(null, "", hash.slice(0, mark) + (rest === "" ? "" : `?${rest}`));
  return code;
}

/** The result of signing in: a token, or why there is none. */
export interface SignedIn {
  readonly token?: string;
  readonly refusal?: string;
}

/**
 * Exchanges the code of a link for a token. Never rejects.
 * @param gateway its absolute URL, with a trailing slash
 */
export async function signIn(gateway: string, code: string, ask: Fetch): Promise<SignedIn> {
  try {
    const response = await ask(`${gateway}api/v1/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
      signal: AbortSignal.timeout(ASK_MS),
    });
    const body: unknown = await response.json();
    const { token, error }: Record<string, unknown> = isObject(body) ? body : {};
    if (response.ok && typeof token === "string") return { token };
    return { refusal: typeof error === "string" ? error : "The gateway refused this link." };
  } catch {
    return {
      refusal: "The gateway did not respond to this link. Reload the page to try without it.",
    };
  }
}
