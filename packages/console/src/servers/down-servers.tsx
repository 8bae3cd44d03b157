import type { ServerSummary } from "@touchstone/gateway/api";
import { type ReactElement, useCallback, useEffect } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { Notice } from "../page/notice.tsx";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { LINK_CLASS } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { NoServers } from "./no-servers.tsx";
import { Paused } from "./paused.tsx";
import { REFRESH_MS } from "./refresh.ts";

/** The servers page lists the rest. */
const MAX_SHOWN = 5;

interface Known {
  readonly servers: readonly ServerSummary[];
  /** Loaded only if there are no servers. */
  readonly file: string | null;
}

async function load(api: GatewayApi, signal: AbortSignal): Promise<Known> {
  const servers = await api.get("listServers", {}, signal);
  if (servers.length > 0) return { servers, file: null };
  const { configuration } = await api.get("getSettings", {}, signal);
  return { servers, file: configuration.file };
}

/** Shows a notice with a line for each of the first servers; nothing if there are none. */
function ServersNotice({
  servers,
  state,
  said,
}: {
  readonly servers: readonly ServerSummary[];
  readonly state: string;
  /** The text after a server's name. */
  readonly said: (server: ServerSummary) => ReactElement;
}): ReactElement | null {
  if (servers.length === 0) return null;
  return (
    <Notice kind="warning">
      {servers.slice(0, MAX_SHOWN).map((server) => (
        <p key={server.name}>
          <a className={LINK_CLASS} href={hashOf("servers", server.name)}>
            <ExternalText text={server.name} />
          </a>
          {said(server)}
        </p>
      ))}
      {servers.length > MAX_SHOWN && (
        <p>
          {servers.length - MAX_SHOWN} more are {state}.
        </p>
      )}
    </Notice>
  );
}

/**
 * Shows which servers are down or paused, so that nobody looks for their tools in a list, or that there are no
 * servers at all. Shows nothing if the gateway does not report it.
 * @param after the response to an earlier request that starts servers; a new response reloads this notice
 */
export function DownServers({
  api,
  after,
  onKnown,
}: {
  readonly api: GatewayApi;
  readonly after: unknown;
  /** Called once the content to show is known. Keep it with `useCallback`. */
  readonly onKnown: () => void;
}): ReactElement {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came before is why it asks again
  const ask = useCallback((signal: AbortSignal) => load(api, signal), [api, after]);
  const [{ value: loaded, error }] = useLoaded(ask, REFRESH_MS);
  const isKnown = loaded !== undefined || error !== undefined;
  useEffect(() => {
    if (isKnown) onKnown();
  }, [isKnown, onKnown]);
  const { servers: known, file = null } = (error === undefined ? loaded : undefined) ?? {};
  const down = known?.filter(({ state }) => state === "failed") ?? [];
  const paused = known?.filter(({ pausedUntil }) => pausedUntil !== undefined) ?? [];
  return (
    <div role="status">
      {known?.length === 0 && <NoServers file={file} />}
      <ServersNotice
        servers={paused}
        state="paused"
        said={({ pausedUntil, stillBlocking }) => (
          <>
            : <Paused until={pausedUntil ?? ""} still={stillBlocking} />
          </>
        )}
      />
      <ServersNotice
        servers={down}
        state="down"
        said={({ error }) => (
          <>
            {" "}
            is down: <ExternalText text={error ?? "no reason given"} />
          </>
        )}
      />
    </div>
  );
}
