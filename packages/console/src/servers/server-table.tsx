import type { ServerSummary } from "@touchstone/gateway/api";
import { TriangleAlert } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { REFUSED_STATUSES } from "../activity/call.ts";
import { writeFilters } from "../activity/filter.ts";
import { hashOf } from "../page/route.ts";
import { durationText } from "../text/duration.ts";
import { visible } from "../text/visible.ts";
import { StateBadge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { LIST, ROW, useOpenedRow } from "../ui/list-keys.ts";
import { modeText } from "./modes.ts";
import { Paused } from "./paused.tsx";
import { serverTarget } from "./server.ts";
import { type AllTraffic, NO_TRAFFIC, TRAFFIC_PERIOD } from "./traffic.tsx";

const NUMBER = "px-3 py-1.5 text-end tabular-nums whitespace-nowrap";

function Figure({
  server,
  status,
  count,
  tone,
}: {
  readonly server: string;
  readonly status?: string;
  readonly count: number;
  readonly tone: string;
}): ReactElement {
  const href = hashOf("activity", "", writeFilters({ server, since: TRAFFIC_PERIOD, status }));
  return (
    <td className={NUMBER}>
      <a
        className={cx("underline-offset-2 hover:underline", count > 0 ? tone : "text-soft")}
        href={href}
      >
        {count.toLocaleString("en")}
      </a>
    </td>
  );
}

/** Returns what the user has to know about a server, in a line below its name. */
function notesOf(server: ServerSummary): ReactNode {
  const { state, error, pausedUntil } = server;
  return (
    <>
      {pausedUntil !== undefined && <Paused until={pausedUntil} still={server.stillBlocking} />}
      {state === "disabled" && (
        <p className="text-soft">It is disabled in the configuration, so it is not served.</p>
      )}
      {state === "wrapped" && (
        <p className="text-soft">
          The configuration has its settings for <code>touchstone wrap --name</code>. A client
          starts it.
        </p>
      )}
      {error !== undefined && (
        <p className="line-clamp-2 text-bad">
          {state === "disabled" && "If you enable it, it fails: "}
          <ExternalText text={error} />
        </p>
      )}
    </>
  );
}

function Row({
  server,
  traffic: { calls, blocked, errors, refused, p95Ms },
}: {
  readonly server: ServerSummary;
  readonly traffic: ReturnType<AllTraffic["of"]>;
}): ReactElement {
  const { name, state, pausedUntil, tools, schemaFaults, modes } = server;
  const target = serverTarget(server);
  return (
    <tr className="border-t border-line align-top hover:bg-hover">
      <th
        scope="row"
        className="max-w-44 min-w-44 px-3 py-1.5 text-start font-normal md:max-w-56 lg:max-w-80"
      >
        <a
          {...ROW}
          className={cx(LINK_CLASS, "font-medium wrap-anywhere")}
          href={hashOf("servers", name)}
        >
          <ExternalText text={name} />
        </a>
        {target !== "" && (
          <p className="truncate font-mono text-xs text-soft" title={visible(target)}>
            <ExternalText text={target} />
          </p>
        )}
        <div className="text-[0.8125rem]">{notesOf(server)}</div>
      </th>
      <td className="px-3 py-1.5">
        <span className="flex flex-wrap gap-1">
          <StateBadge state={state} />
          {pausedUntil !== undefined && <StateBadge state="paused" />}
        </span>
      </td>
      <Figure server={name} count={calls} tone="text-text" />
      <Figure server={name} status="blocked" count={blocked} tone="text-bad" />
      <Figure server={name} status={REFUSED_STATUSES.join(",")} count={refused} tone="text-warn" />
      <Figure server={name} status="error" count={errors} tone="text-error" />
      <td className={NUMBER}>
        {p95Ms === null ? <span className="text-soft">–</span> : durationText(p95Ms)}
      </td>
      <td className="min-w-28 px-3 py-1.5 max-md:whitespace-nowrap wrap-normal">
        {modeText(modes)}
      </td>
      <td className={NUMBER}>
        {tools === null ? <span className="text-soft">not known</span> : tools.toLocaleString("en")}
        {schemaFaults !== null && schemaFaults > 0 && (
          <a
            className="ms-1 inline-flex items-center gap-0.5 text-warn underline underline-offset-2"
            href={hashOf("servers", name)}
            title={`${schemaFaults} broken ${schemaFaults === 1 ? "schema" : "schemas"}`}
          >
            <TriangleAlert className="size-3.5" aria-hidden="true" />
            <span className="sr-only">Broken schemas: </span>
            {schemaFaults}
          </a>
        )}
      </td>
    </tr>
  );
}

const HEADS: readonly (readonly [label: string, isNumber: boolean])[] = [
  ["Server", false],
  ["State", false],
  ["Calls", true],
  ["Blocked", true],
  ["Refused", true],
  ["Errors", true],
  ["p95", true],
  ["Mode", false],
  ["Tools", true],
];

/** Lists the servers, one per line, with the results of their calls in the last 24 hours. */
export function ServerTable({
  servers,
  traffic,
}: {
  readonly servers: readonly ServerSummary[];
  /** Undefined if the records cannot be read. */
  readonly traffic: AllTraffic | undefined;
}): ReactElement {
  const list = useOpenedRow<HTMLTableSectionElement>();
  return (
    <section
      className="relative my-3 overflow-x-auto rounded-lg border border-line bg-surface scroll-thin"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
      tabIndex={0}
      aria-label="Servers and their calls of the last 24 hours"
    >
      <table aria-label="Servers" className="w-full text-[0.8125rem]">
        <thead>
          <tr>
            {HEADS.map(([label, isNumber]) => (
              <th
                key={label}
                scope="col"
                className={cx(
                  "px-3 py-2 font-medium whitespace-nowrap text-soft",
                  isNumber ? "text-end" : "text-start",
                )}
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={list} {...LIST}>
          {servers.map((server) => (
            <Row
              key={server.name}
              server={server}
              traffic={traffic?.of(server.name) ?? NO_TRAFFIC}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}
