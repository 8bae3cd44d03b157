import { useEffect, useState } from "react";
import type { SessionStore } from "../access/session.ts";
import { errorIn } from "./code.ts";

/** What an error in the address of the sign-in page means, and what to do: by the gateway's error codes. */
const WORDS: Readonly<Record<string, string>> = {
  OIDC_NOT_STARTED:
    "The sign-in was not begun in this browser, took longer than 10 minutes, or was used already. Begin it again here.",
  OIDC_DENIED: "The provider refused to sign you in. Try again, or ask who manages your account.",
  OIDC_RESPONSE_INVALID:
    "The provider's response cannot be trusted, so you are not signed in. Try again. If it happens again, the gateway's log says what is wrong.",
  OIDC_CODE_REFUSED:
    "The provider refused the gateway. Ask the operator to check client_id, client_secret and redirect_uri in auth.oidc.",
  OIDC_UNREACHABLE:
    "The gateway cannot reach the provider. Try again later, or sign in with a key.",
  OIDC_NO_NAME:
    "The provider sent no usable name for you. Ask the operator to check name_claim in auth.oidc.",
  OIDC_NO_ROLE:
    "You are known, but none of your groups has a role here. Ask the operator to add one to roles in auth.oidc.",
  OIDC_TOO_MANY_GROUPS:
    "The provider left out your groups because there are too many. Ask the operator to let it send fewer groups.",
};

/** Maximum number of characters of an unknown code to show: anybody can write an address. */
const MAX_CODE = 60;

/** Returns the text to show for the error that a provider reported when it sent the browser back. */
export function providerErrorText(code: string): string {
  const known = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return (
    known ??
    `Signing in with the provider failed (${code.slice(0, MAX_CODE)}). Try again, or sign in with a key.`
  );
}

/**
 * Returns why a sign-in at a provider failed, if the gateway sent the browser back to this address; otherwise
 * undefined. The gateway keeps more details than the address has, for two minutes and for this browser only.
 */
export function useProviderError(store: SessionStore, hash: string): string | undefined {
  const { code, provider } = errorIn(hash) ?? {};
  const [said, setSaid] = useState<{ readonly hash: string; readonly text: string }>();
  useEffect(() => {
    if (code === undefined || provider === undefined || provider === "") return undefined;
    let isOver = false;
    void store.refusalOf(provider).then((refusal) => {
      if (!isOver && refusal?.code === code) setSaid({ hash, text: refusal.message });
    });
    return () => {
      isOver = true;
    };
  }, [store, code, provider, hash]);
  if (code === undefined) return undefined;
  return said?.hash === hash ? said.text : providerErrorText(code);
}
