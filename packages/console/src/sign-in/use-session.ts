import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { PageSession } from "../access/rights.ts";
import { SessionStore } from "../access/session.ts";
import type { Fetch } from "../api/client.ts";
import { createGatewayApi } from "../api/gateway.ts";
import { forgetDrafts } from "../call/drafts.ts";
import { takeSignInCode } from "./code.ts";

/** Marks the console's own requests: the gateway accepts the session cookie only with this header. */
const OWN_HEADER = "x-touchstone-console";

/** Returns a `fetch` that marks requests as the console's. */
export function consoleFetch(fetch: Fetch): Fetch {
  return (url, init) => {
    const headers = new Headers(init.headers);
    headers.set(OWN_HEADER, "1");
    return fetch(url, { ...init, headers });
  };
}

/** Returns a `fetch` that requests the session again whenever a request is refused for lack of rights. */
export function sessionAwareFetch(fetch: Fetch, store: SessionStore): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    // The session has ended, or its role is lower than before.
    if (response.status === 401 || response.headers.has("www-authenticate")) void store.check();
    return response;
  };
}

const NEVER = (): (() => void) => () => {};
const NOTHING = (): undefined => undefined;

function channelOf(gateway: string): BroadcastChannel | undefined {
  return typeof BroadcastChannel === "undefined"
    ? undefined
    : new BroadcastChannel(`touchstone session ${gateway}`);
}

/**
 * Returns the session at a gateway; undefined without a gateway.
 * @param code the code of the link that opened the page
 */
export function useSession(
  gateway: string | undefined,
  fetch: Fetch,
  code: string | undefined,
): PageSession | undefined {
  const store = useMemo(
    () =>
      gateway === undefined
        ? undefined
        : new SessionStore(createGatewayApi(gateway, fetch), forgetDrafts, channelOf(gateway)),
    [gateway, fetch],
  );
  useEffect(() => {
    if (store === undefined) return undefined;
    void (code === undefined ? store.check() : store.takeLink(code));
    // A link of `touchstone ui` may be opened in a tab that already shows the page.
    const take = (): void => {
      const another = takeSignInCode(location, history);
      if (another !== undefined) void store.takeLink(another);
    };
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, [store, code]);
  const state = useSyncExternalStore(store?.subscribe ?? NEVER, store?.state ?? NOTHING);
  return useMemo(
    () =>
      gateway === undefined || store === undefined || state === undefined
        ? undefined
        : { gateway, store, state },
    [gateway, store, state],
  );
}
