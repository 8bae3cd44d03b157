import type { ServerDetail } from "@touchstone/gateway/api";
import { Ban, CirclePlay, Pencil } from "lucide-react";
import { type ReactElement, Suspense, useCallback, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { clientPreviewHash } from "../page/client-preview.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { lazyPart } from "../page/lazy-part.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { hashOf, serverToolHash } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { visible } from "../text/visible.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Button, ButtonLink, LINK_CLASS } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ClientConfiguration } from "./client-configuration.tsx";
import { Contracts } from "./contracts.tsx";
import { ModeForm } from "./mode-form.tsx";
import { Paused } from "./paused.tsx";
import { PolicyCard } from "./policy-card.tsx";
import { PresetSelect } from "./preset-select.tsx";
import { REFRESH_MS } from "./refresh.ts";
import { serverTarget, type ToolFault, toolFaults, variableNames } from "./server.ts";
import { newDraft } from "./server-edit.ts";
import { ServerForm } from "./server-form.tsx";
import { type ServerRights, serverRights } from "./server-rights.ts";
import { TRAFFIC_PERIOD, type Traffic, TrafficFigures, trafficOf } from "./traffic.tsx";
import { UnlistedTools } from "./unlisted-tools.tsx";

interface Props {
  readonly api: GatewayApi;
  readonly name: string;
  /** The open tab. */
  readonly tab: "state" | "log";
}

interface Found {
  readonly server: ServerDetail;
  readonly traffic: Traffic;
  readonly rights: ServerRights;
}

const LogView = lazyPart(() => import("./log-view.tsx"));

const FIXED = "The configuration cannot be edited from here.";

async function load(api: GatewayApi, name: string, signal: AbortSignal): Promise<Found> {
  const scope = { server: name, period: TRAFFIC_PERIOD };
  const [server, settings, summary] = await Promise.all([
    api.get("getServer", { server: name }, signal),
    api.get("getSettings", {}, signal),
    // Shows the server even if the records cannot be read.
    api.get("summariseActivity", scope, signal).catch(() => undefined),
  ]);
  return { server, traffic: trafficOf(summary).of(name), rights: serverRights(settings) };
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
      hint="Calls of these tools are not checked, or are blocked, depending on the mode."
    >
      <ul className="flex flex-col gap-2">
        {faults.slice(0, MAX_FAULTS).map(({ tool, direction, message, hint }) => (
          <li key={`${tool} ${direction} ${message}`} className="min-w-0 wrap-anywhere">
            <a className={LINK_CLASS} href={api.address(serverToolHash(server, tool))}>
              <ExternalText text={tool} />
            </a>
            , {direction} schema: <ExternalText text={message} />
            <p className="text-soft">
              <ExternalText text={hint} />
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
  const may = usePermission("editConfig");
  const { name, state, transport } = server;
  const isDisabled = state === "disabled";
  return (
    <>
      <Button
        disabled={!may.isOffered}
        title={may.reason}
        onClick={() => may.run(() => setIsEditing(true))}
      >
        <Pencil aria-hidden="true" />
        Edit
      </Button>
      <Button
        disabled={!may.isOffered}
        title={may.reason}
        onClick={() =>
          may.run(() =>
            setAction({ kind: "server", name, entry: { disabled: isDisabled ? null : true } }),
          )
        }
      >
        {isDisabled ? <CirclePlay aria-hidden="true" /> : <Ban aria-hidden="true" />}
        {isDisabled ? "Enable" : "Disable"}
      </Button>
      {isEditing && (
        <ServerForm
          api={api}
          draft={newDraft(name, transport === "http" ? "url" : "command", variableNames(server))}
          onClose={() => setIsEditing(false)}
          onWritten={onChanged}
        />
      )}
      {action !== undefined && (
        <EditDialog
          api={api}
          title={<ExternalText text={`${isDisabled ? "Enable" : "Disable"} ${name}`} />}
          action={action}
          onClose={() => setAction(undefined)}
          onWritten={onChanged}
        />
      )}
    </>
  );
}

/** Returns how many schemas cannot be used, and how many of them were not read completely. */
function brokenText({ schemaFaults, unreadSchemas }: ServerDetail): string | number {
  if (schemaFaults === null) return "not known yet";
  return unreadSchemas ? `${schemaFaults} (${unreadSchemas} not read)` : schemaFaults;
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
    [transport === "http" ? "URL" : "Command", isWrapped ? null : serverTarget(server)],
    [
      transport === "http" ? "Headers" : "Environment",
      isWrapped ? null : variableNames(server).join(", ") || "none",
    ],
    ["Revisions", revisions.join(", ") || "none yet"],
    ["Sessions", sessions],
    ["Processes", transport === "http" ? null : children],
    ["Capability", server.capability],
    ["Tools", server.tools ?? "not known yet"],
    ["Broken schemas", brokenText(server)],
  ];
  return (
    <dl className="facts grid grid-cols-1 gap-x-8 md:grid-cols-2 [&>div]:grid [&>div]:grid-cols-[7rem_minmax(0,1fr)] [&>div]:gap-3 [&>div]:border-t [&>div]:border-line [&>div]:py-1.5 [&_dt]:text-soft">
      <div>
        <dt>State</dt>
        <dd>
          <StateBadge state={server.state} />{" "}
          {since !== undefined && (
            <>
              since <TimeText time={since} />
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
              <ExternalText text={api.address(server.endpoint)} />
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
              <ExternalText text={String(value)} />
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Makes the gateway request a server's tools, which starts the server if it is idle. */
function AskButton(props: Omit<Props, "tab"> & { readonly onAsked: () => void }): ReactElement {
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
        <ExternalText text={said} />
      </span>
    </>
  );
}

/** Shows a server's state, schemas that cannot be used, modes and tools. */
function State({
  api,
  name,
  found: value,
  onChanged: reload,
}: Omit<Props, "tab"> & { readonly found: Found; readonly onChanged: () => void }): ReactElement {
  const mayTools = usePermission("changeToolModes");
  const isEditable = value.rights.isEditable && mayTools.isOffered;
  return (
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
      <div className="mt-4 grid grid-cols-1 items-start gap-3 xl:grid-cols-2">
        <BrokenSchemas api={api} server={name} faults={toolFaults(value.server)} />
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
          <>
            <PresetSelect api={api} server={name} preset={value.server.preset} onChanged={reload} />
            <ModeForm
              api={api}
              of={{ server: name }}
              what={`server ${name}`}
              modes={value.server.modes}
              own={value.server.own}
              above={value.server.preset ? `preset ${value.server.preset}` : "inherit"}
              onChanged={reload}
            />
          </>
        ) : (
          <p className="text-[0.8125rem] text-soft">
            <ExternalText text={value.rights.reason ?? FIXED} />
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
        <Contracts api={api} server={value.server} isEditable={isEditable} onChanged={reload} />
      </section>
      <UnlistedTools api={api} server={value.server} isEditable={isEditable} onChanged={reload} />
    </>
  );
}

/** Shows one server: its state, its tools and its modes, or its log. */
export function ServerView({ api, name, tab }: Props): ReactElement {
  const ask = useCallback((signal: AbortSignal) => load(api, name, signal), [api, name]);
  const [{ value, error, isLoading }, reload] = useLoaded(ask, REFRESH_MS);
  return (
    <section aria-label="Server">
      <OpenedHeading page="servers" list="All servers">
        <ExternalText text={name} />
      </OpenedHeading>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
        {value !== undefined && value.server.transport !== "wrap" && (
          <>
            <AskButton api={api} name={name} onAsked={reload} />
            {value.rights.mayEditServers && (
              <ServerActions api={api} server={value.server} onChanged={reload} />
            )}
            <ButtonLink href={clientPreviewHash(name)}>As clients see it</ButtonLink>
          </>
        )}
        <ButtonLink href={hashOf("activity", "", { server: name })}>Activity</ButtonLink>
        {isLoading && <span role="status">Loading…</span>}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value !== undefined && (
        <Tabs
          label={`Views of ${visible(name)}`}
          open={tab}
          onOpen={(id) => {
            location.hash = hashOf("servers", name, id === "log" ? { tab: id } : {});
          }}
          tabs={[
            {
              id: "state",
              label: "State",
              panel: () => <State api={api} name={name} found={value} onChanged={reload} />,
            },
            {
              id: "log",
              label: "Log",
              panel: () => (
                <Suspense fallback={<Loading what="log" />}>
                  <LogView api={api} server={name} />
                </Suspense>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}
