import { type ReactElement, Suspense } from "react";
import type { Api } from "../api/client.ts";
import type { GatewayApi } from "../api/gateway.ts";
import type { Drafts } from "../call/drafts.ts";
import type { Runs } from "../call/runs.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazily } from "../page/lazily.tsx";
import { Notice } from "../page/notice.tsx";
import { Shown } from "../page/shown.tsx";
import { DownServers } from "../servers/down-servers.tsx";
import { ToolLinks } from "../servers/tool-links.tsx";
import { ToolList } from "./tool-list.tsx";
import { useTools } from "./use-tools.ts";

// With it come core, the forms and the editor: most of the page, which the list does not need.
const ToolPage = lazily(() => import("../tool/tool-page.tsx"));

interface Props {
  readonly api: Api;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly allowExecute: boolean;
  readonly authorization: string | undefined;
  /** The tool that is open. */
  readonly open: string | undefined;
  /** Of the gateway whose servers' tools are listed; absent where they are those of one server. */
  readonly gateway: GatewayApi | undefined;
}

const BROKEN: ReactElement = (
  <Notice kind="bad">This tool cannot be shown. Reload the page to try again.</Notice>
);

/** The list of tools, and the one that is open. */
export function ToolsPage({
  api,
  drafts,
  runs,
  allowExecute,
  authorization,
  open,
  gateway,
}: Props): ReactElement {
  const [{ tools, error }, reload] = useTools(api, authorization);
  return (
    <div className={open === undefined ? "tools" : "tools open"}>
      {tools !== undefined && (
        <ToolList tools={tools} open={open} onReload={reload}>
          {gateway !== undefined && <DownServers api={gateway} after={tools} />}
        </ToolList>
      )}
      {tools === undefined && error === undefined && <p role="status">Asking for the tools …</p>}
      {error !== undefined && (
        <Notice kind="bad">
          <p>
            <Shown text={error} />
          </p>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </Notice>
      )}
      {open === undefined ? (
        <p className="hint">
          {gateway !== undefined && tools?.length === 0 ? (
            <>
              There is no tool to show. See <a href="#/activity">what was recorded</a>, or{" "}
              <a href="#/servers">add a server</a>.
            </>
          ) : (
            "Choose a tool to see what it takes, and to try it."
          )}
        </p>
      ) : (
        <section className="tool" aria-label="Tool" key={open}>
          <a className="back" href="#/">
            All tools
          </a>
          {gateway !== undefined && <ToolLinks api={gateway} name={open} />}
          <ErrorBoundary fallback={BROKEN}>
            <Suspense fallback={<p role="status">Loading …</p>}>
              <ToolPage
                api={api}
                gateway={gateway}
                drafts={drafts}
                runs={runs}
                name={open}
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
