import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { Compass } from "lucide-react";
import {
  type ReactElement,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { SignInCount, useQueriesReload } from "./access/reload.ts";
import { roleTooLowText, SessionContext, useHasRole } from "./access/rights.ts";
import { createApi, type Fetch } from "./api/client.ts";
import { createGatewayApi, type GatewayApi, messageOf, toolsMount } from "./api/gateway.ts";
import { saveBlob } from "./api/save.ts";
import { createDrafts } from "./call/drafts.ts";
import { Runs } from "./call/runs.ts";
import { attentionBadges, useAttention } from "./page/attention.ts";
import { AttentionBanner } from "./page/attention-banner.tsx";
import { ErrorBoundary } from "./page/error-boundary.tsx";
import { BROKEN_PAGE, GatewayPage } from "./page/gateway-page.tsx";
import { PageHeader } from "./page/header.tsx";
import { lazyPart } from "./page/lazy-part.tsx";
import { Loading } from "./page/loading.tsx";
import { PAGE_PARTS } from "./page/pages.tsx";
import { PAGES, type PageName, readRoute } from "./page/route.ts";
import { Shell } from "./page/shell.tsx";
import { Toasts } from "./page/toasts.tsx";
import { createQueries } from "./page/use-loaded.ts";
import { useVersion } from "./page/version.ts";
import { AccountMenu } from "./sign-in/account-menu.tsx";
import { SignInGate } from "./sign-in/sign-in-gate.tsx";
import { consoleFetch, sessionAwareFetch, useSession } from "./sign-in/use-session.ts";
import { HostContext } from "./tool/refusal.tsx";
import { ButtonLink } from "./ui/button.tsx";
import { cx } from "./ui/classes.ts";
import { ExternalText } from "./ui/external-text.tsx";
import { useShortcut } from "./ui/shortcuts.ts";
import { showToast } from "./ui/toast.ts";

// Loaded when first shown.
const ToolsPage = lazyPart(() => import("./tools/tools-page.tsx"));
const Palette = lazyPart(() => import("./page/palette.tsx"));
const ShortcutList = lazyPart(() => import("./page/shortcut-list.tsx"));

function onHash(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

interface Props {
  /** URL of the tool API, with a trailing slash. */
  readonly tools: string;
  readonly fetch: Fetch;
  /** URL of the gateway that serves the page, with a trailing slash; absent on any other server. */
  readonly gateway: string | undefined;
  readonly allowExecute: boolean;
  readonly title: string;
  readonly project: { readonly name: string; readonly url: string | undefined } | undefined;
  /** The code in the link that opened the page; undefined if it had none. */
  readonly code: string | undefined;
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
          <ExternalText text={hash.slice(0, 200)} />
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

function QueriesReload(): null {
  useQueriesReload();
  return null;
}

/** Saves the document of the gateway's API. */
async function saveDocument(api: GatewayApi): Promise<void> {
  try {
    saveBlob(await api.download("getOpenapi", {}), "touchstone-openapi.json");
  } catch (thrown) {
    showToast({ kind: "bad", title: "Could not save the document", text: messageOf(thrown) });
  }
}

/** The page to start with. */
const START: PageName = "problems";
const TOOLS_ONLY: readonly PageName[] = ["tools"];
const NO_PAGES: readonly PageName[] = [];
const now = (): number => performance.now();

/** The pages, for one user. */
function Console({
  tools,
  fetch,
  gateway,
  allowExecute,
  title,
  project,
  hash,
}: Omit<Props, "code"> & { readonly hash: string }): ReactElement {
  const session = useContext(SessionContext);
  const store = session?.store;
  const canRead = useHasRole("viewer");
  const listsAll = gateway !== undefined && gateway === tools;
  const [overlay, setOverlay] = useState<Overlay>();
  const typedAhead = useRef("");
  const typeAhead = useCallback((letter: string): void => {
    typedAhead.current += letter;
  }, []);
  const readTyped = useCallback(() => typedAhead.current, []);
  const { api, gatewayApi } = useMemo(() => {
    if (gateway === undefined || store === undefined) {
      return { api: createApi(tools, fetch, now), gatewayApi: undefined };
    }
    const ask = sessionAwareFetch(fetch, store);
    return {
      api: createApi(toolsMount(gateway, tools), ask, now, tools),
      gatewayApi: createGatewayApi(gateway, ask),
    };
  }, [gateway, tools, fetch, store]);
  const [drafts] = useState(() => createDrafts(api.callUrl("")));
  const [runs] = useState(() => new Runs());
  const readable = canRead ? gatewayApi : undefined;
  const version = useVersion(readable);
  const attention = useAttention(readable);
  useShortcut({
    keys: "Mod+k",
    label: "Search or run a command",
    run: () => setOverlay("palette"),
  });
  useShortcut({ keys: "?", label: "Show the shortcuts", run: () => setOverlay("shortcuts") });
  const route = readRoute(hash, listsAll && canRead ? START : "tools");
  const { page } = route;
  const isFound = page === "tools" || (gatewayApi !== undefined && page !== undefined);
  const pages = gatewayApi === undefined ? NO_PAGES : canRead ? PAGES : TOOLS_ONLY;
  const close = (): void => {
    typedAhead.current = "";
    setOverlay(undefined);
  };
  return (
    <>
      <Shell
        title={title}
        project={project?.name === title ? undefined : project}
        page={isFound ? page : undefined}
        pages={pages}
        badges={attentionBadges(attention.value)}
        version={version}
        account={<AccountMenu />}
        onApi={readable && (() => void saveDocument(readable))}
        playground={gateway === undefined ? undefined : `${gateway}playground/`}
        onSearch={() => setOverlay("palette")}
        onShortcuts={() => setOverlay("shortcuts")}
      >
        {!isFound && <NotFound hash={hash} />}
        {isFound && page === "tools" && (
          <>
            <PageHeader title={gatewayApi === undefined ? title : PAGE_PARTS.tools.label} />
            <ErrorBoundary fallback={BROKEN_PAGE}>
              <Suspense fallback={<Loading what="tools" />}>
                <ToolsPage
                  api={api}
                  drafts={drafts}
                  runs={runs}
                  allowExecute={allowExecute}
                  open={route.item}
                  query={route.query}
                  gateway={listsAll ? readable : undefined}
                />
              </Suspense>
            </ErrorBoundary>
          </>
        )}
        {gatewayApi !== undefined && page !== undefined && page !== "tools" && (
          <>
            {page === START && <AttentionBanner attention={attention} />}
            {/* What comes above a page would move it. */}
            <div className={cx(page === START && canRead && !attention.isSettled && "invisible")}>
              <GatewayPage
                api={gatewayApi}
                name={page}
                route={route}
                reason={canRead ? undefined : roleTooLowText("viewer", session?.state.role)}
              />
            </div>
          </>
        )}
      </Shell>
      <ErrorBoundary key={overlay} fallback={null}>
        <Suspense fallback={overlay === "palette" && <TypedAhead onType={typeAhead} />}>
          {overlay === "palette" && (
            <Palette
              api={api}
              gateway={readable}
              pages={pages}
              typedAhead={readTyped}
              onClose={close}
            />
          )}
          {overlay === "shortcuts" && <ShortcutList onClose={close} />}
        </Suspense>
      </ErrorBoundary>
    </>
  );
}

/** Everything that belongs to one user: what was loaded, typed and run. */
function OnePerson(props: Parameters<typeof Console>[0]): ReactElement {
  const [queries] = useState(createQueries);
  return (
    <QueryClientProvider client={queries}>
      <QueriesReload />
      <Console {...props} />
    </QueryClientProvider>
  );
}

/** The page. */
export function App({ code, fetch, ...props }: Props): ReactElement {
  const { gateway, title } = props;
  const hash = useSyncExternalStore(onHash, () => location.hash);
  const own = useMemo(
    () => (gateway === undefined ? fetch : consoleFetch(fetch)),
    [gateway, fetch],
  );
  const session = useSession(gateway, own, code);
  const pages = (
    <OnePerson key={session?.state.generation ?? 0} {...props} fetch={own} hash={hash} />
  );
  return (
    // The page's policy forbids style elements.
    <CSPProvider disableStyleElements>
      <HostContext value={gateway === undefined ? "library" : "gateway"}>
        <SessionContext value={session}>
          <SignInCount value={session?.state.signIns ?? 0}>
            {session === undefined ? (
              pages
            ) : (
              <SignInGate session={session} title={title} hash={hash}>
                {pages}
              </SignInGate>
            )}
            <Toasts />
          </SignInCount>
        </SessionContext>
      </HostContext>
    </CSPProvider>
  );
}
