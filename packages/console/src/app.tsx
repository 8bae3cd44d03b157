import {
  type ReactElement,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { Api, Fetch } from "./api/client.ts";
import { createGatewayApi } from "./api/gateway.ts";
import { createDrafts } from "./call/drafts.ts";
import { Runs } from "./call/runs.ts";
import { authorizationOf } from "./call/token.ts";
import { AskedAnew } from "./page/asked-anew.ts";
import { AuthBar } from "./page/auth-bar.tsx";
import { GatewayPage } from "./page/gateway-page.tsx";
import { Navigation } from "./page/navigation.tsx";
import { Notice } from "./page/notice.tsx";
import { readRoute } from "./page/route.ts";
import type { SignedIn } from "./page/sign-in.ts";
import { ThemeChoice } from "./page/theme.tsx";
import { HostContext } from "./tool/refusal.tsx";
import { ToolsPage } from "./tools/tools-page.tsx";

function onHash(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

interface Props {
  readonly api: Api;
  readonly fetch: Fetch;
  /** Where the gateway is that serves the page, with a slash at its end; absent on any other server. */
  readonly gateway: string | undefined;
  /** Whether the tools are those of all servers of the gateway. */
  readonly listsAll: boolean;
  readonly allowExecute: boolean;
  /** What the code of the page's link was exchanged for; undefined if it had none. */
  readonly signedIn?: SignedIn | undefined;
}

/** What an address shows that names no page. */
function NotFound(): ReactElement {
  return (
    <section aria-label="Not found">
      <h2>Page not found</h2>
      <p>The console has no page at this address.</p>
      <p>
        <a href="#/">All tools</a>
      </p>
    </section>
  );
}

/** The page. */
export function App({
  api,
  fetch,
  gateway,
  listsAll,
  allowExecute,
  signedIn,
}: Props): ReactElement {
  const hash = useSyncExternalStore(onHash, () => location.hash);
  const { token, refusal } = signedIn ?? {};
  const [typed, setTyped] = useState("");
  const [times, setTimes] = useState(0);
  const [drafts] = useState(() => createDrafts(api.callUrl("")));
  const [runs] = useState(() => new Runs());
  // What is typed wins, so that another token can be used.
  const authorization = authorizationOf(typed.trim() === "" ? (token ?? "") : typed);
  // Read for every request, so that a token that is being typed asks for nothing anew.
  const current = useRef(authorization);
  useEffect(() => {
    current.current = authorization;
  });
  const gatewayApi = useMemo(() => {
    if (gateway === undefined) return undefined;
    const places = { base: `${gateway}api/v1/`, root: gateway };
    return createGatewayApi(places, fetch, () => current.current);
  }, [gateway, fetch]);
  const route = readRoute(hash);
  const isFound = route.page === "tools" || (gatewayApi !== undefined && route.page !== undefined);
  return (
    <HostContext value={gateway === undefined ? "library" : "gateway"}>
      <AskedAnew value={times}>
        <div className="bar">
          <AuthBar
            typed={typed}
            isSignedIn={token !== undefined}
            onType={setTyped}
            onEnter={() => setTimes(times + 1)}
          />
          <ThemeChoice />
        </div>
        {gatewayApi !== undefined && <Navigation page={route.page} />}
        {refusal !== undefined && <Notice kind="bad">{refusal}</Notice>}
        {!isFound && <NotFound />}
        {isFound && route.page === "tools" && (
          <ToolsPage
            api={api}
            drafts={drafts}
            runs={runs}
            allowExecute={allowExecute}
            authorization={authorization}
            open={route.item}
            gateway={listsAll ? gatewayApi : undefined}
          />
        )}
        {gatewayApi !== undefined && route.page !== undefined && route.page !== "tools" && (
          <GatewayPage api={gatewayApi} route={route} />
        )}
      </AskedAnew>
    </HostContext>
  );
}
