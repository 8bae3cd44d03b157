import type { Gateways, ServerSummary, ShownSettings } from "@touchstone/gateway/api";
import { Plus, TriangleAlert } from "lucide-react";
import { type ReactElement, useCallback, useState } from "react";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { readLook } from "../page/look.ts";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Button, LINK } from "../ui/button.tsx";
import { Shown } from "../ui/shown.tsx";
import { ClientListView } from "./client-list-view.tsx";
import { FleetView } from "./fleet-view.tsx";
import { LeftOutView } from "./left-out-view.tsx";
import { DIRECTIONS } from "./modes.ts";
import { NoServers } from "./no-servers.tsx";
import { Paused } from "./paused.tsx";
import { REFRESH_MS } from "./refresh.ts";
import { targetOf } from "./server.ts";
import { ServerForm } from "./server-form.tsx";
import { ServerView } from "./server-view.tsx";
import {
  type AllTraffic,
  NO_TRAFFIC,
  TRAFFIC_PERIOD,
  type Traffic,
  TrafficFigures,
  trafficOf,
} from "./traffic.tsx";
import { rightsOf, type ServerRights } from "./what-may-change.ts";

interface Props {
  readonly api: GatewayApi;
  /** Name of the open server. */
  readonly open: string | undefined;
  readonly query: string;
}

function countText(count: number | null): string {
  return count === null ? "not known yet" : count.toLocaleString("en");
}

function serversText({ servers: { length }, leftOut }: Found): string {
  const out = leftOut.length === 0 ? "" : `, ${leftOut.length} left out`;
  return `${length} ${length === 1 ? "server" : "servers"}${out}`;
}

function Card({
  server,
  traffic,
}: {
  readonly server: ServerSummary;
  readonly traffic: Traffic;
}): ReactElement {
  const { name, state, error, pausedUntil, transport, revisions, tools, schemaFaults, modes } =
    server;
  return (
    <li className="card flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface px-4 py-3">
      <h2 className="flex flex-wrap items-center justify-between gap-2 text-[0.9375rem] font-semibold">
        <a className={LINK} href={hashOf("servers", name)}>
          <Shown text={name} />
        </a>
        <StateBadge state={state} />
        {pausedUntil !== undefined && <StateBadge state="paused" />}
      </h2>
      {pausedUntil !== undefined && <Paused until={pausedUntil} still={server.stillBlocking} />}
      {state === "disabled" && (
        <p className="text-[0.8125rem] text-soft">
          It is disabled in the configuration, so it is not served.
        </p>
      )}
      {state === "wrapped" && (
        <p className="text-[0.8125rem] text-soft">
          The configuration holds its settings for <code>touchstone wrap --name</code>. A client
          starts it.
        </p>
      )}
      {error !== undefined && (
        <p className="line-clamp-4 text-bad">
          {state === "disabled" && "Enabled, it would fail: "}
          <Shown text={error} />
        </p>
      )}
      <TrafficFigures server={name} traffic={traffic} />
      <dl className="facts [&>div]:grid [&>div]:grid-cols-[8rem_minmax(0,1fr)] [&>div]:gap-3 [&>div]:border-t [&>div]:border-line [&>div]:py-1.5 [&_dt]:text-soft">
        {transport !== "wrap" && (
          <div>
            <dt>{transport === "http" ? "URL" : "Command"}</dt>
            <dd>
              <code className="font-mono text-[0.8125rem]">
                <Shown text={targetOf(server)} />
              </code>
            </dd>
          </div>
        )}
        <div>
          <dt>Revisions</dt>
          <dd>
            <Shown text={revisions.length === 0 ? "none yet" : revisions.join(", ")} />
          </dd>
        </div>
        <div>
          <dt>Tools</dt>
          <dd>{countText(tools)}</dd>
        </div>
        <div>
          <dt>Broken schemas</dt>
          <dd>
            {schemaFaults === null || schemaFaults === 0 ? (
              countText(schemaFaults)
            ) : (
              <a
                className="inline-flex items-center gap-1 text-warn underline underline-offset-2"
                href={hashOf("servers", name)}
              >
                <TriangleAlert className="size-4" aria-hidden="true" />
                {schemaFaults}
              </a>
            )}
          </dd>
        </div>
        <div>
          <dt>Modes</dt>
          <dd>{DIRECTIONS.map((each) => `${each} ${modes[each]}`).join(", ")}</dd>
        </div>
      </dl>
    </li>
  );
}

interface Found {
  readonly servers: readonly ServerSummary[];
  readonly leftOut: ShownSettings["configuration"]["leftOut"];
  readonly traffic: AllTraffic;
  readonly rights: ServerRights;
  /** The configuration file; null if there is none. */
  readonly file: string | null;
  /** Absent if the gateway does not share its records. */
  readonly fleet?: Gateways;
  /** Why the list of gateways is unknown. */
  readonly fleetError?: string;
}

async function askFleet(api: GatewayApi, signal: AbortSignal): Promise<Partial<Found>> {
  try {
    const fleet = await api.get("listGateways", {}, signal);
    return fleet.shared ? { fleet } : {};
  } catch (thrown) {
    return { fleetError: messageOf(thrown) };
  }
}

async function load(api: GatewayApi, signal: AbortSignal): Promise<Found> {
  const [servers, settings, summary, fleet] = await Promise.all([
    api.get("listServers", {}, signal),
    api.get("getSettings", {}, signal),
    // Shows the servers even if the records cannot be read.
    api.get("summariseActivity", { period: TRAFFIC_PERIOD }, signal).catch(() => undefined),
    askFleet(api, signal),
  ]);
  return {
    servers,
    traffic: trafficOf(summary),
    rights: rightsOf(settings),
    file: settings.configuration.file,
    leftOut: settings.configuration.leftOut,
    ...fleet,
  };
}

function ServerList({ api }: { readonly api: GatewayApi }): ReactElement {
  const ask = useCallback((signal: AbortSignal) => load(api, signal), [api]);
  const [{ value, error, isLoading }, reload] = useLoaded(ask, REFRESH_MS);
  const { servers, leftOut = [], fleet, fleetError } = value ?? {};
  const [isAdding, setIsAdding] = useState(false);
  return (
    <section aria-label="Servers">
      <PageHeader
        title="Servers"
        hint={
          <span role="status">
            {isLoading ? "Loading servers…" : value !== undefined && serversText(value)}
          </span>
        }
        actions={
          <>
            {value?.rights.mayEditServers === true && (
              <Button variant="primary" onClick={() => setIsAdding(true)}>
                <Plus aria-hidden="true" />
                Add a server
              </Button>
            )}
            <ReloadButton onClick={reload} />
          </>
        }
      />
      {isAdding && (
        <ServerForm
          api={api}
          onClose={() => setIsAdding(false)}
          onWritten={(name) => {
            location.hash = hashOf("servers", name);
          }}
        />
      )}
      {value?.rights.mayEditServers === false && (
        <p className="text-soft">
          Servers are added in the file: <code className="font-mono">http.edit_servers</code> does
          not let them be changed here.
        </p>
      )}
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {servers?.length === 0 && leftOut.length === 0 && <NoServers file={value?.file ?? null} />}
      <ul className="my-3 grid grid-cols-[repeat(auto-fill,minmax(min(100%,22rem),1fr))] gap-3">
        {servers?.map((server) => (
          <Card
            key={server.name}
            server={server}
            traffic={value?.traffic.of(server.name) ?? NO_TRAFFIC}
          />
        ))}
      </ul>
      {(value?.traffic.toolsLeftOut ?? 0) > 0 && (
        <p className="text-soft">
          The figures cover the 100 tools with the most calls in the last 24 hours.
        </p>
      )}
      <LeftOutView leftOut={leftOut} />
      {fleet !== undefined && <FleetView fleet={fleet} />}
      {fleetError !== undefined && (
        <section className="mt-6" aria-label="Gateways">
          <h2 className="mb-2 text-base font-semibold">Gateways</h2>
          <p className="text-bad">
            <Shown text={fleetError} />
          </p>
        </section>
      )}
    </section>
  );
}

/** Shows the servers behind the gateway, and the open one. */
export default function ServersPage({ api, open, query }: Props): ReactElement {
  const look = readLook(query);
  if (open === undefined) return <ServerList api={api} />;
  return look === undefined ? (
    <ServerView key={open} api={api} name={open} />
  ) : (
    <ClientListView key={open} api={api} name={open} look={look} />
  );
}
