import { type ReactElement, useCallback } from "react";
import { type GatewayApi, readList } from "../api/gateway.ts";
import { Notice } from "../page/notice.tsx";
import { hashOf } from "../page/route.ts";
import { Shown } from "../page/shown.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { configurationFile, NoServers } from "./no-servers.tsx";
import { Paused } from "./paused.tsx";
import { REFRESH_MS } from "./refresh.ts";
import { readServer, type ServerSummary } from "./server.ts";

/** More are on the page of the servers. */
const MAX_SHOWN = 5;

interface Known {
  readonly servers: readonly ServerSummary[] | undefined;
  /** Asked for only if there is no server. */
  readonly file: string | undefined;
}

async function load(api: GatewayApi, signal: AbortSignal): Promise<Known> {
  const servers = readList(await api.get("servers", signal), readServer);
  if (servers?.length !== 0) return { servers, file: undefined };
  return { servers, file: configurationFile(await api.get("settings", signal)) };
}

/**
 * Which servers are down or paused, so that nobody looks for their tools in a list, or that there is no server at all; nothing
 * where none is down, or where the gateway does not tell.
 * @param after what was asked for before, by which servers are started: with another one it is asked anew
 */
export function DownServers({
  api,
  after,
}: {
  readonly api: GatewayApi;
  readonly after: unknown;
}): ReactElement {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came before is why it is asked anew
  const ask = useCallback((signal: AbortSignal) => load(api, signal), [api, after]);
  const [{ value: loaded, error }] = useLoaded(ask, REFRESH_MS);
  const { servers: known, file } = (error === undefined ? loaded : undefined) ?? {};
  const value = known?.filter(({ state }) => state === "failed") ?? [];
  const paused = known?.filter(({ pausedUntil }) => pausedUntil !== null) ?? [];
  return (
    <div role="status">
      {known?.length === 0 && <NoServers file={file} />}
      {paused.length > 0 && (
        <Notice kind="warning">
          {paused.slice(0, MAX_SHOWN).map(({ name, pausedUntil }) => (
            <p key={name}>
              <a href={hashOf("servers", name)}>
                <Shown text={name} />
              </a>
              : <Paused until={pausedUntil ?? ""} />
            </p>
          ))}
          {paused.length > MAX_SHOWN && <p>{paused.length - MAX_SHOWN} more are paused.</p>}
        </Notice>
      )}
      {value.length > 0 && (
        <Notice kind="warning">
          {value.slice(0, MAX_SHOWN).map(({ name, error }) => (
            <p key={name}>
              <a href={hashOf("servers", name)}>
                <Shown text={name} />
              </a>{" "}
              is down: <Shown text={error ?? "it gives no reason"} />
            </p>
          ))}
          {value.length > MAX_SHOWN && <p>{value.length - MAX_SHOWN} more are down.</p>}
        </Notice>
      )}
    </div>
  );
}
