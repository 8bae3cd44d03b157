import type { ServerDetail } from "@touchstone/gateway/api";
import { Ban, CirclePlay, Pencil } from "lucide-react";
import { type ReactElement, useCallback, useState } from "react";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { lookHash } from "../page/look.ts";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { hashOf, serverToolHash } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { When } from "../page/when.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Button, ButtonLink, LINK } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Shown } from "../ui/shown.tsx";
import { ClientConfiguration } from "./client-configuration.tsx";
import { Contracts } from "./contracts.tsx";
import { ModeForm } from "./mode-form.tsx";
import { Paused } from "./paused.tsx";
import { PolicyCard } from "./policy-card.tsx";
import { REFRESH_MS } from "./refresh.ts";
import { faultsOf, givenOf, type ToolFault, targetOf } from "./server.ts";
import { draftOf } from "./server-edit.ts";
import { ServerForm } from "./server-form.tsx";
import { TRAFFIC_PERIOD, type Traffic, TrafficFigures, trafficOf } from "./traffic.tsx";
import { Unlisted } from "./unlisted.tsx";
import { rightsOf, type ServerRights } from "./what-may-change.ts";

interface Props {
  readonly api: GatewayApi;
  readonly name: string;
}

interface Found {
  readonly server: ServerDetail;
  readonly traffic: Traffic;
  readonly rights: ServerRights;
}

const FIXED = "The configuration cannot be edited from here.";

async function load(api: GatewayApi, name: string, signal: AbortSignal): Promise<Found> {
  const scope = { server: name, period: TRAFFIC_PERIOD };
  const [server, settings, summary] = await Promise.all([
    api.get("getServer", { server: name }, signal),
    api.get("getSettings", {}, signal),
    // Shows the server even if the records cannot be read.
    api.get("summariseActivity", scope, signal).catch(() => undefined),
  ]);
  return { server, traffic: trafficOf(summary).of(name), rights: rightsOf(settings) };
}

/** Shows the schemas that cannot be used, with what to do about each. */
function BrokenSchemas({
  api,
  server,
  faults,
}: {
  readonly api: GatewayApi;
  readonly server: string;
  readonly faults: readonly ToolFault[];
}): ReactElement | null {
  if (faults.length === 0) return null;
  const count = `${faults.length} ${faults.length === 1 ? "schema" : "schemas"} cannot be used`;
  return (
    <Card
      title={count}
      hint="Calls of these tools are not checked, or are blocked, as the mode says."
    >
      <ul className="flex flex-col gap-2">
        {faults.slice(0, MAX_FAULTS).map(({ tool, direction, message, hint }) => (
          <li key={`${tool} ${direction} ${message}`} className="min-w-0 wrap-anywhere">
            <a className={LINK} href={api.address(serverToolHash(server, tool))}>
              <Shown text={tool} />
            </a>
            , {direction} schema: <Shown text={message} />
            <p className="text-soft">
              <Shown text={hint} />
            </p>
          </li>
        ))}
      </ul>
      {faults.length > MAX_FAULTS && (
        <p className="mt-2 text-soft">and {faults.length - MAX_FAULTS} more, in the table below</p>
      )}
    </Card>
  );
}

const MAX_FAULTS = 20;

/** Changes a server's entry, and turns the server off and on. */
function ServerActions({
  api,
  server,
  onChanged,
}: {
  readonly api: GatewayApi;
  readonly server: ServerDetail;
  readonly onChanged: () => void;
}): ReactElement {
  const [isEditing, setIsEditing] = useState(false);
  const [action, setAction] = useState<EditAction>();
  const { name, state, transport } = server;
  const isDisabled = state === "disabled";
  return (
    <>
      <Button onClick={() => setIsEditing(true)}>
        <Pencil aria-hidden="true" />
        Edit
      </Button>
      <Button
        onClick={() =>
          setAction({ kind: "server", name, entry: { disabled: isDisabled ? null : true } })
        }
      >
        {isDisabled ? <CirclePlay aria-hidden="true" /> : <Ban aria-hidden="true" />}
        {isDisabled ? "Enable" : "Disable"}
      </Button>
      {isEditing && (
        <ServerForm
          api={api}
          draft={draftOf(name, transport === "http" ? "url" : "command", givenOf(server))}
          onClose={() => setIsEditing(false)}
          onWritten={onChanged}
        />
      )}
      {action !== undefined && (
        <EditDialog
          api={api}
          title={<Shown text={`${isDisabled ? "Enable" : "Disable"} ${name}`} />}
          action={action}
          onClose={() => setAction(undefined)}
          onWritten={onChanged}
        />
      )}
    </>
  );
}

function Facts({
  api,
  server,
}: {
  readonly api: GatewayApi;
  readonly server: ServerDetail;
}): ReactElement {
  const { transport, since, pausedUntil, stillBlocking, revisions, sessions, children } = server;
  const isWrapped = transport === "wrap";
  const facts: readonly (readonly [string, string | number | null])[] = [
    [transport === "http" ? "URL" : "Command", isWrapped ? null : targetOf(server)],
    [
      transport === "http" ? "Headers" : "Environment",
      isWrapped ? null : givenOf(server).join(", ") || "none",
    ],
    ["Revisions", revisions.join(", ") || "none yet"],
    ["Sessions", sessions],
    ["Processes", transport === "http" ? null : children],
    ["Capability", server.capability],
    ["Tools", server.tools ?? "not known yet"],
    ["Broken schemas", server.schemaFaults ?? "not known yet"],
  ];
  return (
    <dl className="facts grid gap-x-8 md:grid-cols-2 [&>div]:grid [&>div]:grid-cols-[7rem_minmax(0,1fr)] [&>div]:gap-3 [&>div]:border-t [&>div]:border-line [&>div]:py-1.5 [&_dt]:text-soft">
      <div>
        <dt>State</dt>
        <dd>
          <StateBadge state={server.state} />{" "}
          {since !== undefined && (
            <>
              since <When time={since} />
            </>
          )}
        </dd>
      </div>
      {pausedUntil !== undefined && (
        <div>
          <dt>Checks</dt>
          <dd>
            <Paused until={pausedUntil} still={stillBlocking} />
          </dd>
        </div>
      )}
      {!isWrapped && (
        <div className="endpoint">
          <dt>Endpoint</dt>
          <dd className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-[0.8125rem]">
              <Shown text={api.address(server.endpoint)} />
            </code>
            <span className="-my-1">
              <CopyButton text={api.address(server.endpoint)} what="URL" />
            </span>
          </dd>
        </div>
      )}
      {facts.map(([label, value]) =>
        value === null ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd
              className={label === "Command" || label === "URL" ? "font-mono text-[0.8125rem]" : ""}
            >
              <Shown text={String(value)} />
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Makes the gateway request a server's tools, which starts the server if it is idle. */
function AskButton(props: Props & { readonly onAsked: () => void }): ReactElement {
  const { api, name, onAsked } = props;
  const [said, setSaid] = useState("");
  const ask = async (): Promise<void> => {
    setSaid("Loading…");
    try {
      await api.listTools(name);
      setSaid("");
    } catch (thrown) {
      setSaid(messageOf(thrown));
    }
    onAsked();
  };
  return (
    <>
      <Button onClick={() => void ask()}>Load tools</Button>
      <span role="status">
        <Shown text={said} />
      </span>
    </>
  );
}

/** Shows one server: its state, its contracts and its modes. */
export function ServerView({ api, name }: Props): ReactElement {
  const ask = useCallback((signal: AbortSignal) => load(api, name, signal), [api, name]);
  const [{ value, error, isLoading }, reload] = useLoaded(ask, REFRESH_MS);
  return (
    <section aria-label="Server">
      <OpenedHeading page="servers" list="All servers">
        <Shown text={name} />
      </OpenedHeading>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
        {value !== undefined && value.server.transport !== "wrap" && (
          <>
            <AskButton api={api} name={name} onAsked={reload} />
            {value.rights.mayEditServers && (
              <ServerActions api={api} server={value.server} onChanged={reload} />
            )}
            <ButtonLink href={lookHash(name)}>As clients see it</ButtonLink>
          </>
        )}
        <ButtonLink href={hashOf("activity", "", { server: name })}>Activity</ButtonLink>
        {isLoading && <span role="status">Loading…</span>}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value !== undefined && (
        <>
          {value.server.error !== undefined && (
            <section className="mb-3" aria-label="Why it failed">
              <h2 className="mb-1 font-semibold text-bad">Why it failed</h2>
              <Code label="Last words" text={value.server.error} copy="error" />
            </section>
          )}
          <div className="mb-3 max-w-xl">
            <TrafficFigures server={name} traffic={value.traffic} />
          </div>
          <Facts api={api} server={value.server} />
          <div className="mt-4 grid items-start gap-3 xl:grid-cols-2">
            <BrokenSchemas api={api} server={name} faults={faultsOf(value.server)} />
            {value.server.transport !== "wrap" && (
              <Card title="Use it in a client">
                <ClientConfiguration
                  server={{
                    name,
                    url: api.address(value.server.endpoint),
                    hasKey: value.rights.hasKey,
                  }}
                />
              </Card>
            )}
          </div>
          <section className="mt-6" aria-label="Modes">
            <h2 className="mb-2 text-base font-semibold">Modes</h2>
            {value.rights.isEditable ? (
              <ModeForm
                api={api}
                of={{ server: name }}
                what={`server ${name}`}
                modes={value.server.modes}
                own={value.server.own}
                above="as the gateway"
                onChanged={reload}
              />
            ) : (
              <p className="text-[0.8125rem] text-soft">
                <Shown text={value.rights.reason ?? FIXED} />
              </p>
            )}
          </section>
          {value.server.policy !== undefined && (
            <div className="mt-6">
              <PolicyCard
                api={api}
                policy={value.server.policy}
                server={name}
                isEditable={value.rights.isEditable}
                onChanged={reload}
              />
            </div>
          )}
          <section className="mt-6" aria-label="Tool definitions and faults">
            <h2 className="mb-2 text-base font-semibold">Tool definitions</h2>
            <Contracts
              api={api}
              server={value.server}
              isEditable={value.rights.isEditable}
              onChanged={reload}
            />
          </section>
          <Unlisted
            api={api}
            server={value.server}
            isEditable={value.rights.isEditable}
            onChanged={reload}
          />
        </>
      )}
    </section>
  );
}
