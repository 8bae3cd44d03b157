import type { Gateways } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { TimeText } from "../page/time-text.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { fleetText } from "./fleet.ts";

/** Enough of `sha256:` and a digest to distinguish it from others. */
const SHORT = 19;

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactElement | string;
}): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Card({ gateway }: { readonly gateway: Gateways["gateways"][number] }): ReactElement {
  const { host, listen, version, state, startedAt, seenAt, configuration, differs } = gateway;
  return (
    <li className="card flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface px-4 py-3">
      <h3 className="flex flex-wrap items-center justify-between gap-2 text-[0.9375rem] font-semibold">
        <ExternalText text={host} />
        <StateBadge state={state} />
        {differs && <StateBadge state="other configuration" />}
      </h3>
      <dl className="facts [&>div]:grid [&>div]:grid-cols-[8rem_minmax(0,1fr)] [&>div]:gap-3 [&>div]:border-t [&>div]:border-line [&>div]:py-1.5 [&_dt]:text-soft">
        <Fact name="Listening">
          <ExternalText text={listen} />
        </Fact>
        <Fact name="Version">
          <ExternalText text={version} />
        </Fact>
        <Fact name="Configuration">
          <code className="font-mono text-[0.8125rem]" title={configuration.slice(0, 200)}>
            <ExternalText text={configuration.slice(0, SHORT)} />
          </code>
        </Fact>
        <Fact name="Running since">
          <TimeText time={startedAt} />
        </Fact>
        <Fact name="Last seen">
          <TimeText time={seenAt} />
        </Fact>
      </dl>
    </li>
  );
}

/** Shows the gateways that share the activity store, and which of them have a different configuration. */
export function FleetView({ fleet }: { readonly fleet: Gateways }): ReactElement {
  return (
    <section className="mt-6" aria-label="Gateways">
      <h2 className="mb-2 text-base font-semibold">Gateways</h2>
      <p>{fleetText(fleet)}</p>
      <details open={fleet.gateways.length > 1}>
        <summary className="cursor-pointer text-[0.8125rem] text-soft">Each of them</summary>
        <ul className="my-3 grid grid-cols-[repeat(auto-fill,minmax(min(100%,22rem),1fr))] gap-3">
          {fleet.gateways.map((gateway) => (
            <Card key={gateway.id} gateway={gateway} />
          ))}
        </ul>
      </details>
    </section>
  );
}
