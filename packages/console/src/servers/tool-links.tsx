import { type ReactElement, useCallback } from "react";
import { writeFilters } from "../activity/filter.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { clientPreviewHash } from "../page/client-preview.ts";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { LINK_CLASS } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";

interface Props {
  readonly api: GatewayApi;
  /** The tool's name in the list of all servers' tools. */
  readonly name: string;
}

/** Links from a tool to its server, where its contract is, to how clients see it, and to its records. */
export function ToolLinks({ api, name }: Props): ReactElement {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const servers = await api.get("listServers", {}, signal);
      const fitting = servers.filter((each) => name.startsWith(`${each.name}:`));
      // The name of a server may contain a colon: the longest matching name wins.
      return fitting.toSorted((a, b) => b.name.length - a.name.length)[0]?.name;
    },
    [api, name],
  );
  const [{ value: server }] = useLoaded(ask);
  const tool = name.slice((server?.length ?? 0) + 1);
  return (
    // It takes up its space before it has loaded.
    <p className="mb-2 flex min-h-5 flex-wrap justify-end gap-x-4 text-[0.8125rem]">
      {server !== undefined && (
        <>
          <a className={LINK_CLASS} href={hashOf("servers", server)}>
            Server <ExternalText text={server} />
          </a>{" "}
          <a className={LINK_CLASS} href={clientPreviewHash(server, { tool })}>
            As a client sees it
          </a>{" "}
          <a className={LINK_CLASS} href={hashOf("changes", "", { server, tool })}>
            Versions
          </a>{" "}
          <a className={LINK_CLASS} href={hashOf("activity", "", writeFilters({ server, tool }))}>
            Activity of this tool
          </a>
        </>
      )}
    </p>
  );
}
