import { SquareTerminal } from "lucide-react";
import { type ReactElement, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import type { Api } from "../api/client.ts";
import type { GatewayApi } from "../api/gateway.ts";
import type { Drafts } from "../call/drafts.ts";
import type { Runs } from "../call/runs.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazyPart } from "../page/lazy-part.tsx";
import { Loading } from "../page/loading.tsx";
import { Notice } from "../page/notice.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { DownServers } from "../servers/down-servers.tsx";
import { ToolLinks } from "../servers/tool-links.tsx";
import { TRAFFIC_PERIOD } from "../servers/traffic.tsx";
import { Button, LINK_CLASS } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { isInList } from "../ui/list-keys.ts";
import { useShortcut } from "../ui/shortcuts.ts";
import { type KnownTools, knownTools } from "./known-tools.ts";
import { openTool } from "./open-tool.ts";
import { ToolList } from "./tool-list.tsx";
import { useTools } from "./use-tools.ts";

/** Milliseconds after which a loaded list is shown, even if the notices above it are still missing. */
const MAX_WAIT_MS = 1_000;

// Loads core, the forms and the editor: most of the page's code, which the list does not need.
const ToolPage = lazyPart(() => import("../tool/tool-page.tsx"));

interface Props {
  readonly api: Api;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly allowExecute: boolean;
  /** The open tool. */
  readonly open: string | undefined;
  /** The query after the tool in the URL: `call` names the record whose arguments to load. */
  readonly query: string;
  /** API of the gateway whose servers' tools are listed; absent if they belong to a single server. */
  readonly gateway: GatewayApi | undefined;
}

/**
 * Returns what is known about the tools of a gateway's servers; undefined before it has loaded, and without a
 * gateway.
 */
function useKnownTools(gateway: GatewayApi | undefined): KnownTools | undefined {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      if (gateway === undefined) return undefined;
      const [servers, summary] = await Promise.all([
        gateway.get("listServers", {}, signal),
        // Shows the tools even if the records cannot be read.
        gateway.get("summariseActivity", { period: TRAFFIC_PERIOD }, signal).catch(() => undefined),
      ]);
      return knownTools(servers, summary);
    },
    [gateway],
  );
  const [{ value }] = useLoaded<KnownTools | undefined | null>(
    useCallback(async (signal: AbortSignal) => (await ask(signal)) ?? null, [ask]),
  );
  return value ?? undefined;
}

const BROKEN: ReactElement = (
  <Notice kind="bad">This tool cannot be shown. Reload the page to try again.</Notice>
);

/** Moves the focus to the open tool in the list, or shows the list if there is no room for both. */
function backToList(): void {
  const row = document.querySelector<HTMLElement>("main [data-row][aria-current]");
  if (row?.checkVisibility() === true) row.focus();
  else location.hash = "#/tools";
}

/** Shows the list of tools, and the open tool. */
export default function ToolsPage({
  api,
  drafts,
  runs,
  allowExecute,
  open: named,
  query,
  gateway,
}: Props): ReactElement {
  const [{ tools, error }, reload] = useTools(api);
  const names = useMemo(() => tools?.map(({ name }) => name), [tools]);
  const known = useKnownTools(gateway);
  // On a phone, the list itself is the page.
  const first = matchMedia("(min-width: 48rem)").matches ? names?.[0] : undefined;
  const open = openTool(named, names) ?? first;
  useShortcut(
    { keys: "Escape", label: "All tools", run: backToList, applies: () => !isInList() },
    open !== undefined,
  );
  // Notices above the list would move it, so both are shown together.
  const [isSettled, setIsSettled] = useState(gateway === undefined);
  const settle = useCallback(() => setIsSettled(true), []);
  const isThere = tools !== undefined;
  useEffect(() => {
    if (!isThere) return undefined;
    const timer = setTimeout(settle, MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, [settle, isThere]);
  return (
    <div className="grid items-start gap-x-6 gap-y-4 md:grid-cols-[minmax(13rem,18rem)_minmax(0,1fr)]">
      {tools !== undefined && (
        <div
          className={cx(
            "min-w-0",
            open !== undefined && "max-md:hidden",
            !isSettled && "invisible",
          )}
        >
          <ToolList tools={tools} open={open} onReload={reload} known={known}>
            {gateway !== undefined && <DownServers api={gateway} after={tools} onKnown={settle} />}
          </ToolList>
        </div>
      )}
      {tools === undefined && error === undefined && (
        <div className={cx(open !== undefined && "max-md:hidden")}>
          <Loading what="tools" />
        </div>
      )}
      {error !== undefined && (
        <Notice kind="bad">
          <p>
            <ExternalText text={error} />
          </p>
          <Button onClick={reload}>Try again</Button>
        </Notice>
      )}
      {open === undefined ? (
        <div className="max-md:hidden">
          <EmptyState
            icon={SquareTerminal}
            title={tools?.length === 0 ? "No tools" : "Choose a tool"}
          >
            {gateway !== undefined && tools?.length === 0 ? (
              <p>
                The gateway serves no tools. Those of wrapped servers are not listed here, because
                clients start these servers. See{" "}
                <a className={LINK_CLASS} href="#/activity">
                  what was recorded
                </a>
                , or{" "}
                <a className={LINK_CLASS} href="#/servers">
                  add a server
                </a>
                .
              </p>
            ) : (
              <p className="text-soft">See what it takes, fill in its arguments, and run it.</p>
            )}
          </EmptyState>
        </div>
      ) : (
        <section className="min-w-0" aria-label="Tool" key={open}>
          <a className={`${LINK_CLASS} mb-2 inline-block md:hidden`} href="#/tools">
            All tools
          </a>
          {gateway !== undefined && <ToolLinks api={gateway} name={open} />}
          <ErrorBoundary fallback={BROKEN}>
            <Suspense fallback={<Loading what="tool" />}>
              <ToolPage
                api={api}
                gateway={gateway}
                drafts={drafts}
                runs={runs}
                name={open}
                call={new URLSearchParams(query).get("call") ?? undefined}
                allowExecute={allowExecute}
              />
            </Suspense>
          </ErrorBoundary>
        </section>
      )}
    </div>
  );
}
