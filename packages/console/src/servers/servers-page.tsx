import { type ReactElement, useCallback } from "react";
import { type GatewayApi, readList, unexpectedAnswer } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { Mark } from "../page/mark.tsx";
import { hashOf } from "../page/route.ts";
import { Shown } from "../page/shown.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { DIRECTIONS } from "./modes.ts";
import { readServer, type ServerSummary } from "./server.ts";
import { ServerView } from "./server-view.tsx";
import "../style/gateway.css";

interface Props {
  readonly api: GatewayApi;
  /** Name of the server that is open. */
  readonly open: string | undefined;
}

function countText(count: number | null): string {
  return count === null ? "not known yet" : count.toLocaleString("en");
}

function serversText({ length }: readonly ServerSummary[]): string {
  return `${length} ${length === 1 ? "server" : "servers"}`;
}

function Card({ server }: { readonly server: ServerSummary }): ReactElement {
  const { name, state, error, target, transport, revisions, tools, schemaFaults, modes } = server;
  return (
    <li className="card">
      <h2>
        <a href={hashOf("servers", name)}>
          <Shown text={name} />
        </a>
        <Mark text={state} />
      </h2>
      {error !== null && (
        <p className="error-text">
          <Shown text={error} />
        </p>
      )}
      <dl className="facts">
        <div>
          <dt>{transport === "http" ? "URL" : "Command"}</dt>
          <dd>
            <code>
              <Shown text={target} />
            </code>
          </dd>
        </div>
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
          <dt>Schema faults</dt>
          <dd>{countText(schemaFaults)}</dd>
        </div>
        <div>
          <dt>Modes</dt>
          <dd>{DIRECTIONS.map((each) => `${each} ${modes[each] ?? "?"}`).join(", ")}</dd>
        </div>
      </dl>
    </li>
  );
}

function ServerList({ api }: { readonly api: GatewayApi }): ReactElement {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const servers = readList(await api.get("servers", signal), readServer);
      if (servers === undefined) throw unexpectedAnswer();
      return servers;
    },
    [api],
  );
  const [{ value: servers, error, isLoading }, reload] = useLoaded(ask);
  return (
    <section aria-label="Servers">
      <div className="buttons">
        <button type="button" onClick={reload}>
          Reload
        </button>
        <span role="status">
          {isLoading ? "Asking for the servers …" : servers !== undefined && serversText(servers)}
        </span>
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      <ul className="cards">
        {servers?.map((server) => (
          <Card key={server.name} server={server} />
        ))}
      </ul>
    </section>
  );
}

/** The servers behind the gateway, and the one that is open. */
export default function ServersPage({ api, open }: Props): ReactElement {
  return open === undefined ? (
    <ServerList api={api} />
  ) : (
    <ServerView key={open} api={api} name={open} />
  );
}
