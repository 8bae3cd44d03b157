import { SquareTerminal } from "lucide-react";
import { type ReactElement, Suspense, useCallback, useEffect, useState } from "react";
import type { Api } from "../api/client.ts";
import type { GatewayApi } from "../api/gateway.ts";
import type { Drafts } from "../call/drafts.ts";
import type { Runs } from "../call/runs.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazily } from "../page/lazily.tsx";
import { Loading } from "../page/loading.tsx";
import { Notice } from "../page/notice.tsx";
import { DownServers } from "../servers/down-servers.tsx";
import { ToolLinks } from "../servers/tool-links.tsx";
import { Button, LINK } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { EmptyState } from "../ui/empty.tsx";
import { Shown } from "../ui/shown.tsx";
import { ToolList } from "./tool-list.tsx";
import { useTools } from "./use-tools.ts";

/** So long after it came, in milliseconds, the list is shown, even if what stands above it is still missing. */
const MAX_WAIT_MS = 1_000;

// Loads core, the forms and the editor: most of the page's code, which the list does not need.
const ToolPage = lazily(() => import("../tool/tool-page.tsx"));

interface Props {
  readonly api: Api;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly allowExecute: boolean;
  readonly authorization: string | undefined;
  /** The open tool. */
  readonly open: string | undefined;
  /** The query after the tool in the URL: `call` names the record whose arguments to load. */
  readonly query: string;
  /** API of the gateway whose servers' tools are listed; absent if they belong to a single server. */
  readonly gateway: GatewayApi | undefined;
}

const BROKEN: ReactElement = (
  <Notice kind="bad">This tool cannot be shown. Reload the page to try again.</Notice>
);

/** Shows the list of tools, and the open tool. */
export function ToolsPage({
  api,
  drafts,
  runs,
  allowExecute,
  authorization,
  open,
  query,
  gateway,
}: Props): ReactElement {
  const [{ tools, error }, reload] = useTools(api, authorization);
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
          <ToolList tools={tools} open={open} onReload={reload}>
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
            <Shown text={error} />
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
                There is no tool to show. See{" "}
                <a className={LINK} href="#/activity">
                  what was recorded
                </a>
                , or{" "}
                <a className={LINK} href="#/servers">
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
          <a className={`${LINK} mb-2 inline-block md:hidden`} href="#/tools">
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
                authorization={authorization}
              />
            </Suspense>
          </ErrorBoundary>
        </section>
      )}
    </div>
  );
}
