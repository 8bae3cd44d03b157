import type { Gateways, ServerSummary, ShownSettings } from "@touchstone/gateway/api";
import { Plus } from "lucide-react";
import { type ReactElement, useCallback, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { readClientPreview } from "../page/client-preview.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { Button } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { ClientListView } from "./client-list-view.tsx";
import { FleetView } from "./fleet-view.tsx";
import { NoServers } from "./no-servers.tsx";
import { REFRESH_MS } from "./refresh.ts";
import { ServerForm } from "./server-form.tsx";
import { type ServerRights, serverRights } from "./server-rights.ts";
import { ServerTable } from "./server-table.tsx";
import { ServerView } from "./server-view.tsx";
import { SkippedEntries } from "./skipped-entries.tsx";
import { type AllTraffic, TRAFFIC_PERIOD, trafficOf } from "./traffic.tsx";

interface Props {
  readonly api: GatewayApi;
  /** Name of the open server. */
  readonly open: string | undefined;
  readonly query: string;
}

function serversText({ servers: { length }, leftOut }: Found): string {
  const out = leftOut.length === 0 ? "" : `, ${leftOut.length} skipped`;
  return `${length} ${length === 1 ? "server" : "servers"}${out}`;
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
    rights: serverRights(settings),
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
  const may = usePermission("editConfig");
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
              <Button
                variant="primary"
                disabled={!may.isOffered}
                title={may.reason}
                onClick={() => may.run(() => setIsAdding(true))}
              >
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
      {servers !== undefined && servers.length > 0 && (
        <ServerTable servers={servers} traffic={value?.traffic} />
      )}
      {(value?.traffic.leftOut ?? 0) > 0 && (
        <p className="text-soft">
          The figures cover the 100 servers with the most calls in the last 24 hours.
        </p>
      )}
      <SkippedEntries leftOut={leftOut} />
      {fleet !== undefined && <FleetView fleet={fleet} />}
      {fleetError !== undefined && (
        <section className="mt-6" aria-label="Gateways">
          <h2 className="mb-2 text-base font-semibold">Gateways</h2>
          <p className="text-bad">
            <ExternalText text={fleetError} />
          </p>
        </section>
      )}
    </section>
  );
}

/** Shows the servers behind the gateway, and the open one. */
export default function ServersPage({ api, open, query }: Props): ReactElement {
  const look = readClientPreview(query);
  if (open === undefined) return <ServerList api={api} />;
  const tab = new URLSearchParams(query).get("tab") === "log" ? "log" : "state";
  return look === undefined ? (
    <ServerView key={open} api={api} name={open} tab={tab} />
  ) : (
    <ClientListView key={open} api={api} name={open} look={look} />
  );
}
