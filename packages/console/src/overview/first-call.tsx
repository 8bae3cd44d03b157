import type { ServerSummary } from "@touchstone/gateway/api";
import { PlugZap } from "lucide-react";
import { type ReactElement, useCallback } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { ClientConfiguration } from "../servers/client-configuration.tsx";
import { serverRights } from "../servers/server-rights.ts";
import { lengthOf, rangeText, type TimeRange } from "../time/range.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { type Tab, Tabs } from "../ui/tabs.tsx";

const CONFIG = JSON.stringify(
  {
    mcpServers: {
      files: {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
      },
    },
  },
  null,
  2,
);

/** Shown before the first call: explains how to send one. */
export function FirstCall({
  api,
  servers,
  range,
}: {
  readonly api: GatewayApi;
  readonly servers: readonly ServerSummary[];
  /** The time without calls. */
  readonly range: TimeRange;
}): ReactElement {
  const [first] = servers.filter(({ state }) => state !== "disabled" && state !== "wrapped");
  const ask = useCallback(
    async (signal: AbortSignal) => serverRights(await api.get("getSettings", {}, signal)),
    [api],
  );
  const [{ value: rights }] = useLoaded(ask, undefined, ["rights"]);
  const isRecent = range.until === "" && lengthOf(range.since) !== undefined;
  const text = rangeText(range, Date.now());
  const time = isRecent ? `in the ${text.toLowerCase()}` : `in this time: ${text}`;
  const install: Tab = {
    id: "install",
    label: "Servers that a client has already",
    panel: () => (
      <Code
        label="Command"
        copy="command"
        text={"touchstone install --client cursor --dry-run\ntouchstone install --client cursor"}
      />
    ),
  };
  const http: Tab =
    first === undefined
      ? {
          id: "http",
          label: "A server over HTTP",
          panel: () => <Code label="touchstone.json" copy="configuration" text={CONFIG} />,
        }
      : {
          id: "http",
          label: "A server of this gateway",
          panel: () => (
            <ClientConfiguration
              server={{
                name: first.name,
                url: api.address(`mcp/${encodeURIComponent(first.name)}`),
                hasKey: rights?.hasKey === true,
              }}
            />
          ),
        };
  return (
    <EmptyState icon={PlugZap} title={`No calls ${time}.`}>
      <p className="text-soft">
        Point a client at the gateway. Its calls appear here as soon as it sends them.
      </p>
      <div className="w-full text-start">
        <Tabs
          label="Ways to connect a client"
          tabs={first === undefined ? [install, http] : [http, install]}
        />
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        <ButtonLink href={hashOf("tools")} variant="primary">
          Try a tool yourself
        </ButtonLink>
        <ButtonLink href={hashOf("servers")}>See the servers</ButtonLink>
      </div>
    </EmptyState>
  );
}
