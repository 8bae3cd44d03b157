import type { ReactElement } from "react";
import { Shown } from "../page/shown.tsx";
import { When } from "../page/when.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { type Fleet, fleetText, type SharingGateway } from "./fleet.ts";

/** Enough of `sha256:` and a digest to tell it from others. */
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

function Card({ gateway }: { readonly gateway: SharingGateway }): ReactElement {
  const { host, listen, version, state, startedAt, seenAt, configuration, differs } = gateway;
  return (
    <li className="card">
      <h3>
        <Shown text={host} />
        <StateBadge state={state} />
        {differs && <StateBadge state="other configuration" />}
      </h3>
      <dl className="facts">
        <Fact name="Listening">
          <Shown text={listen} />
        </Fact>
        <Fact name="Version">
          <Shown text={version} />
        </Fact>
        <Fact name="Configuration">
          <code title={configuration.slice(0, 200)}>
            <Shown text={configuration.slice(0, SHORT)} />
          </code>
        </Fact>
        {startedAt !== null && (
          <Fact name="Running since">
            <When time={startedAt} />
          </Fact>
        )}
        {seenAt !== null && (
          <Fact name="Last heard of">
            <When time={seenAt} />
          </Fact>
        )}
      </dl>
    </li>
  );
}

/** The gateways that share the activity store, and which of them has another configuration. */
export function FleetView({ fleet }: { readonly fleet: Fleet }): ReactElement {
  return (
    <section className="part" aria-label="Gateways">
      <h2>Gateways</h2>
      <p>{fleetText(fleet)}</p>
      <details open={fleet.gateways.length > 1}>
        <summary>Each of them</summary>
        <ul className="cards">
          {fleet.gateways.map((gateway) => (
            <Card key={gateway.id} gateway={gateway} />
          ))}
        </ul>
      </details>
    </section>
  );
}
