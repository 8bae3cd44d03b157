import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { Compass } from "lucide-react";
import {
  type ReactElement,
  Suspense,
  useCallback,
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
import { AskedAnew, useQueriesAnew } from "./page/asked-anew.ts";
import { AuthBar, TokenContext, type TokenHolder } from "./page/auth-bar.tsx";
import { ErrorBoundary } from "./page/error-boundary.tsx";
import { GatewayPage } from "./page/gateway-page.tsx";
import { PageHeader } from "./page/header.tsx";
import { lazily } from "./page/lazily.tsx";
import { Notice } from "./page/notice.tsx";
import { PAGE_PARTS } from "./page/pages.tsx";
import { readRoute } from "./page/route.ts";
import { Shell } from "./page/shell.tsx";
import type { SignedIn } from "./page/sign-in.ts";
import { authorizationOf } from "./page/token.ts";
import { createQueries } from "./page/use-loaded.ts";
import { useVersion } from "./page/version.ts";
import { HostContext } from "./tool/refusal.tsx";
import { ToolsPage } from "./tools/tools-page.tsx";
import { ButtonLink } from "./ui/button.tsx";
import { useShortcut } from "./ui/shortcuts.ts";
import { Shown } from "./ui/shown.tsx";
import { ToastRegion } from "./ui/toast.tsx";

// Loaded when first opened.
const Palette = lazily(() => import("./page/palette.tsx"));
const ShortcutList = lazily(() => import("./page/shortcut-list.tsx"));

function onHash(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

interface Props {
  /** Creates the tool API with the page's own `fetch`. */
  readonly createApi: (fetch: Fetch) => Api;
  readonly fetch: Fetch;
  /** URL of the gateway that serves the page, with a trailing slash; absent on any other server. */
  readonly gateway: string | undefined;
  /** Whether the list has the tools of all servers of the gateway. */
  readonly listsAll: boolean;
  readonly allowExecute: boolean;
  readonly title: string;
  readonly project: { readonly name: string; readonly url: string | undefined } | undefined;
  /** The result of exchanging the code in the page's link; undefined if the link had none. */
  readonly signedIn?: SignedIn | undefined;
}

/** Captures what is typed while a field is still loading, so that no letter is lost or triggers a shortcut. */
function TypedAhead({ onType }: { readonly onType: (letter: string) => void }): null {
  useEffect(() => {
    const take = (event: KeyboardEvent): void => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      onType(event.key);
    };
    addEventListener("keydown", take, true);
    return () => removeEventListener("keydown", take, true);
  }, [onType]);
  return null;
}

/** Shown if the address does not match a page. */
function NotFound({ hash }: { readonly hash: string }): ReactElement {
  return (
    <section
      aria-label="Not found"
      className="mx-auto flex max-w-lg flex-col items-center gap-3 py-16 text-center"
    >
      <Compass className="size-10 text-faint" aria-hidden="true" />
      <h1 className="text-xl font-semibold">Page not found</h1>
      <p className="text-soft">
        The console has no page at{" "}
        <code className="font-mono">
          <Shown text={hash.slice(0, 200)} />
        </code>
        .
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <ButtonLink href="#/" variant="primary">
          Go to the start
        </ButtonLink>
        <ButtonLink href="#/tools">All tools</ButtonLink>
      </div>
    </section>
  );
}

/** What opens on top of the page. */
type Overlay = "palette" | "shortcuts";

function QueriesAnew(): null {
  useQueriesAnew();
  return null;
}

function Console(props: Props): ReactElement {
  const { createApi, fetch, gateway, listsAll, allowExecute, title, project, signedIn } = props;
  const hash = useSyncExternalStore(onHash, () => location.hash);
  const { token, refusal } = signedIn ?? {};
  const [typed, setTyped] = useState("");
  const [times, setTimes] = useState(0);
  const [isTokenShown, setIsTokenShown] = useState(false);
  const [overlay, setOverlay] = useState<Overlay>();
  const typedAhead = useRef("");
  const typeAhead = useCallback((letter: string): void => {
    typedAhead.current += letter;
  }, []);
  const readTyped = useCallback(() => typedAhead.current, []);
  // A typed token takes precedence, so that another token can be used.
  const authorization = authorizationOf(typed.trim() === "" ? (token ?? "") : typed);
  // Read for every request, so that a token that is being typed causes no request.
  const current = useRef(authorization);
  useEffect(() => {
    current.current = authorization;
  });
  const { api, gatewayApi } = useMemo(() => {
    const ask: Fetch = async (url, init) => {
      const response = await fetch(url, init);
      // A gateway sends 403 and this header if the key is valid, but not for this.
      if (response.status === 401 || response.headers.has("www-authenticate")) {
        setIsTokenShown(true);
      }
      return response;
    };
    // Dialogs alone send these, and ask for the token themselves.
    const write: Fetch = (url, init) =>
      init?.method === "POST" ? fetch(url, init) : ask(url, init);
    return {
      api: createApi(ask),
      gatewayApi:
        gateway === undefined ? undefined : createGatewayApi(gateway, write, () => current.current),
    };
  }, [gateway, fetch, createApi]);
  const [drafts] = useState(() => createDrafts(api.callUrl("")));
  const [runs] = useState(() => new Runs());
  const version = useVersion(gatewayApi);
  useShortcut({ keys: "Mod+k", label: "Search and do", run: () => setOverlay("palette") });
  useShortcut({ keys: "?", label: "Show the shortcuts", run: () => setOverlay("shortcuts") });
  const route = readRoute(hash, listsAll ? "overview" : "tools");
  const { page } = route;
  const isFound = page === "tools" || (gatewayApi !== undefined && page !== undefined);
  const close = (): void => {
    typedAhead.current = "";
    setOverlay(undefined);
  };
  const holder: TokenHolder = {
    typed,
    isSignedIn: token !== undefined,
    onType: setTyped,
    onEnter: () => setTimes(times + 1),
  };
  return (
    <HostContext value={gateway === undefined ? "library" : "gateway"}>
      <TokenContext value={holder}>
        <AskedAnew value={times}>
          <QueriesAnew />
          <Shell
            title={title}
            project={project?.name === title ? undefined : project}
            page={isFound ? page : undefined}
            hasPages={gatewayApi !== undefined}
            version={version}
            apiUrl={`${gateway}api/v1/openapi.json`}
            onSearch={() => setOverlay("palette")}
            onShortcuts={() => setOverlay("shortcuts")}
            onToken={() => setIsTokenShown(true)}
          >
            {isTokenShown && <AuthBar onClose={() => setIsTokenShown(false)} />}
            {refusal !== undefined && <Notice kind="bad">{refusal}</Notice>}
            {!isFound && <NotFound hash={hash} />}
            {isFound && page === "tools" && (
              <>
                <PageHeader title={gatewayApi === undefined ? title : PAGE_PARTS.tools.label} />
                <ToolsPage
                  api={api}
                  drafts={drafts}
                  runs={runs}
                  allowExecute={allowExecute}
                  authorization={authorization}
                  open={route.item}
                  query={route.query}
                  gateway={listsAll ? gatewayApi : undefined}
                />
              </>
            )}
            {gatewayApi !== undefined && page !== undefined && page !== "tools" && (
              <GatewayPage api={gatewayApi} name={page} route={route} />
            )}
          </Shell>
          <ErrorBoundary key={overlay} fallback={null}>
            <Suspense fallback={overlay === "palette" && <TypedAhead onType={typeAhead} />}>
              {overlay === "palette" && (
                <Palette api={api} gateway={gatewayApi} typedAhead={readTyped} onClose={close} />
              )}
              {overlay === "shortcuts" && <ShortcutList onClose={close} />}
            </Suspense>
          </ErrorBoundary>
        </AskedAnew>
      </TokenContext>
    </HostContext>
  );
}

/** The page. */
export function App(props: Props): ReactElement {
  const [queries] = useState(createQueries);
  return (
    // The page's policy forbids style elements.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <ToastRegion>
          <Console {...props} />
        </ToastRegion>
      </QueryClientProvider>
    </CSPProvider>
  );
}
