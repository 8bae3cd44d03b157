import { type ReactElement, useCallback, useState } from "react";
import { type GatewayApi, messageOf, segment, unexpectedAnswer } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { Failure } from "../page/failure.tsx";
import { useOpenedHeading } from "../page/opened-heading.ts";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { When } from "../page/when.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Button, ButtonLink, LINK } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Shown } from "../ui/shown.tsx";
import { Contracts } from "./contracts.tsx";
import { ModeForm } from "./mode-form.tsx";
import { Paused } from "./paused.tsx";
import { REFRESH_MS } from "./refresh.ts";
import { readServerDetail, type ServerDetail } from "./server.ts";
import { Unlisted } from "./unlisted.tsx";

interface Props {
  readonly api: GatewayApi;
  readonly name: string;
}

interface Found {
  readonly server: ServerDetail;
  /** Why modes cannot be switched here; absent if they can. */
  readonly fixed?: string;
}

const FIXED = "The configuration cannot be edited from here.";

async function load(api: GatewayApi, name: string, signal: AbortSignal): Promise<Found> {
  const [answer, settings] = await Promise.all([
    api.get(`servers/${segment(name)}`, signal),
    api.get("settings", signal),
  ]);
  const server = readServerDetail(answer);
  if (server === undefined) throw unexpectedAnswer();
  const configuration = isObject(settings) ? settings["configuration"] : undefined;
  if (!isObject(configuration) || configuration["editable"] === true) return { server };
  const { reason } = configuration;
  return { server, fixed: typeof reason === "string" ? reason : FIXED };
}

function Facts({
  api,
  server,
}: {
  readonly api: GatewayApi;
  readonly server: ServerDetail;
}): ReactElement {
  const { transport, target, given, since, pausedUntil, revisions, sessions, children } = server;
  const isWrapped = transport === "wrap";
  const facts: readonly (readonly [string, string | number | null])[] = [
    [transport === "http" ? "URL" : "Command", isWrapped ? null : target],
    [
      transport === "http" ? "Headers" : "Environment",
      isWrapped ? null : given.join(", ") || "none",
    ],
    ["Revisions", revisions.join(", ") || "none yet"],
    ["Sessions", sessions],
    ["Processes", transport === "http" ? null : children],
    ["Capability", server.capability],
    ["Tools", server.tools ?? "not known yet"],
    ["Schema faults", server.schemaFaults ?? "not known yet"],
  ];
  return (
    <dl className="facts grid gap-x-8 md:grid-cols-2 [&>div]:grid [&>div]:grid-cols-[8rem_minmax(0,1fr)] [&>div]:gap-3 [&>div]:border-t [&>div]:border-line [&>div]:py-1.5 [&_dt]:text-soft">
      <div>
        <dt>State</dt>
        <dd>
          <StateBadge state={server.state} />{" "}
          {since !== null && (
            <>
              since <When time={since} />
            </>
          )}
        </dd>
      </div>
      {pausedUntil !== null && (
        <div>
          <dt>Checks</dt>
          <dd>
            <Paused until={pausedUntil} />
          </dd>
        </div>
      )}
      {server.endpoint !== null && !isWrapped && (
        <div className="endpoint">
          <dt>Endpoint</dt>
          <dd>
            <code className="font-mono text-[0.8125rem]">
              <Shown text={api.address(server.endpoint)} />
            </code>{" "}
            <CopyButton text={api.address(server.endpoint)} what="URL" />
          </dd>
        </div>
      )}
      {facts.map(([label, value]) =>
        value === null ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Shown text={String(value)} />
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Makes the gateway ask a server for its tools, which starts it where it is idle. */
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

/** One server: its state, its contracts, and its modes. */
export function ServerView({ api, name }: Props): ReactElement {
  const ask = useCallback((signal: AbortSignal) => load(api, name, signal), [api, name]);
  const [{ value, error, isLoading }, reload] = useLoaded(ask, REFRESH_MS);
  const heading = useOpenedHeading();
  return (
    <section aria-label="Server">
      <a className={LINK} href={hashOf("servers")}>
        All servers
      </a>
      <h1 ref={heading} tabIndex={-1} className="mt-1 mb-2 text-xl font-semibold">
        <Shown text={name} />
      </h1>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Button onClick={reload}>Reload</Button>
        {value?.server.transport !== "wrap" && <AskButton api={api} name={name} onAsked={reload} />}
        <ButtonLink
          href={hashOf("activity", "", `server=${encodeURIComponent(name.toWellFormed())}`)}
        >
          Activity
        </ButtonLink>
        {isLoading && <span role="status">Loading…</span>}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value !== undefined && (
        <>
          {value.server.error !== null && (
            <p className="text-bad">
              <Shown text={value.server.error} />
            </p>
          )}
          <Facts api={api} server={value.server} />
          <section className="mt-6" aria-label="Modes">
            <h2 className="mb-2 text-base font-semibold">Modes</h2>
            {value.fixed === undefined ? (
              <ModeForm
                api={api}
                path={`servers/${segment(name)}/modes`}
                what={`server ${name}`}
                modes={value.server.modes}
                own={value.server.own}
                above="as the gateway"
                onChanged={reload}
              />
            ) : (
              <p className="text-[0.8125rem] text-soft">
                <Shown text={value.fixed} />
              </p>
            )}
          </section>
          <section className="mt-6" aria-label="Tool definitions and faults">
            <h2 className="mb-2 text-base font-semibold">Tool definitions</h2>
            <Contracts
              api={api}
              server={value.server}
              isEditable={value.fixed === undefined}
              onChanged={reload}
            />
          </section>
          <Unlisted
            api={api}
            server={value.server}
            isEditable={value.fixed === undefined}
            onChanged={reload}
          />
        </>
      )}
    </section>
  );
}
