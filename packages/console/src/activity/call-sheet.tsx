import type { ActivityRecord, Call, CallDetail } from "@touchstone/gateway/api";
import {
  ArrowLeftRight,
  ChevronDown,
  ChevronUp,
  CornerDownRight,
  MessageSquareWarning,
  SearchX,
  Send,
  Server,
} from "lucide-react";
import { type ReactElement, type ReactNode, useCallback } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { prettyJson } from "../json/tree.ts";
import { Failure } from "../page/failure.tsx";
import { hashOf, serverToolHash } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { durationText } from "../text/duration.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Button, ButtonLink, LINK_CLASS } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { Sheet } from "../ui/dialog.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { useShortcut } from "../ui/shortcuts.ts";
import { linkId } from "./activity-table.tsx";
import { bodyOf } from "./call.ts";
import { CallActions, CopyMenu } from "./call-actions.tsx";
import { RowTime, typeWord } from "./columns.tsx";
import { parametersOf, readFilters } from "./filter.ts";
import { Issues } from "./issues.tsx";
import { NextPassed } from "./next-passed.tsx";
import { serverToolName } from "./record.ts";
import { RecordFields } from "./record-fields.tsx";
import { RecordLinks } from "./record-links.tsx";
import type { ActivityRow } from "./rows.ts";

interface Props {
  readonly api: GatewayApi;
  readonly id: string;
  /** The row, if it is in the list. */
  readonly known: ActivityRow | undefined;
  /** The filters, kept when another call is opened. */
  readonly query: string;
  readonly onClose: () => void;
}

/** Links to the server, the tool and other things that a call names. */
type Links = Readonly<Record<"server" | "tool", string | undefined>>;

/**
 * A call, a record of it, and whether the gateway serves its server: calls of servers that `wrap` runs cannot be sent
 * from here.
 */
type Loaded = CallDetail & { readonly record: ActivityRecord; readonly isServed: boolean };

async function isServed(
  api: GatewayApi,
  server: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (server === null) return false;
  return api.get("getServer", { server }, signal).then(
    ({ transport }) => transport !== "wrap",
    () => false,
  );
}

/** Loads a call. A record that does not belong to a call is shown alone. */
async function load(
  api: GatewayApi,
  id: string,
  query: string,
  signal: AbortSignal,
): Promise<Loaded> {
  const record = await api.get("getActivityRecord", { id }, signal);
  const alone = {
    call: null,
    records: [record],
    received: null,
    next_attempt: null,
    next_passed: null,
  };
  if (record.type !== "tool_call" && record.type !== "policy_decision") {
    const served = await isServed(api, record.server, signal);
    return { ...alone, newer: null, older: null, record, isServed: served };
  }
  const filters = parametersOf("calls", readFilters(query));
  const [detail, served] = await Promise.all([
    api.get("getCall", { ...filters, id }, signal),
    isServed(api, record.server, signal),
  ]);
  return { ...detail, record, isServed: served };
}

function titleOf(row: ActivityRow): string {
  const names = serverToolName(row);
  const word = "type" in row ? typeWord(row.type) : "call";
  return names === "" ? word : `${word}: ${names}`;
}

/** Shows one turn of the conversation. */
function Step({
  icon,
  title,
  children,
}: {
  readonly icon: ReactElement;
  readonly title: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <section aria-label={title} className="relative ps-11 pb-6 last:pb-2">
      <span
        aria-hidden="true"
        className="absolute top-8 bottom-0 start-[0.8125rem] w-px bg-line [section:last-of-type>&]:hidden"
      />
      <span
        aria-hidden="true"
        className="absolute start-0 top-0 flex size-7 items-center justify-center rounded-full border border-line bg-sunken text-soft [&_svg]:size-4"
      >
        {icon}
      </span>
      <h3 className="mb-2 leading-7 font-semibold">{title}</h3>
      {children}
    </section>
  );
}

const NO_BODIES = (
  <p className="text-soft">
    Its arguments were not kept. By default, records keep those of calls that fail a check. An
    undeclared argument alone is noted, and is not a failure. To keep more, change{" "}
    <code>activity.bodies</code> in{" "}
    <a className={LINK_CLASS} href={hashOf("settings")}>
      Settings
    </a>
    . Secrets are redacted before anything is written.
  </p>
);

function Summary({
  row,
  links,
}: {
  readonly row: ActivityRow;
  readonly links: Links;
}): ReactElement {
  const { status, client, duration_ms: took, session, server, tool } = row;
  const names = { server, tool };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-b border-line px-4 py-2.5 text-soft">
      {status !== null && <StateBadge state={status} />}
      <RowTime time={row.time} />
      {(["server", "tool"] as const).map((name) => {
        const text = names[name];
        return text === null || links[name] === undefined ? null : (
          <a key={name} className={LINK_CLASS} href={links[name]} title={`The ${name}`}>
            <ExternalText text={text} />
          </a>
        );
      })}
      {took !== null && <span>took {durationText(took)}</span>}
      {client !== null && (
        <span>
          from <ExternalText text={client} />
        </span>
      )}
      {"caller" in row && row.caller !== null && (
        <span>
          caller <ExternalText text={row.caller} />
        </span>
      )}
      {session !== null && (
        <a className={LINK_CLASS} href={hashOf("sessions", session)}>
          The whole conversation
        </a>
      )}
    </div>
  );
}

/** Shows the call that the agent sent after it learned what was wrong. */
function NextAttempt({ call, query }: { readonly call: Call; readonly query: string }) {
  const isFixed = call.status === "success" || call.status === "repaired";
  return (
    <a
      href={hashOf("activity", call.id, query)}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line px-3 py-2 hover:bg-hover"
    >
      {call.status !== null && <StateBadge state={call.status} />}
      <span className="font-medium">
        {isFixed ? "It fixed the call" : "It tried again, and failed again"}
      </span>
      <span className="text-soft">
        <RowTime time={call.time} />
      </span>
      {call.issue !== null && (
        <span className="basis-full text-soft">
          <ExternalText text={call.issue} />
        </span>
      )}
    </a>
  );
}

function Conversation({
  api,
  detail,
  query,
}: {
  readonly api: GatewayApi;
  readonly detail: Loaded;
  readonly query: string;
}): ReactElement {
  const { call, records, received, next_attempt, next_passed, record } = detail;
  const [sent, returned] = [bodyOf(records, "arguments"), bodyOf(records, "result")];
  const hasIssues = records.some(({ issues }) => issues.length > 0);
  const reason = call?.reason ?? record.reason;
  // A call may have failed for another reason than its issues, such as a limit after it was repaired.
  const hasOtherReason =
    reason !== null &&
    !records.some((each) => each.issues.length > 0 && each.reason?.includes(reason) === true);
  return (
    <div className="p-4">
      <Step icon={<Send />} title="The agent sent">
        {sent === null ? (
          NO_BODIES
        ) : (
          <Code label="Arguments" text={prettyJson(sent)} copy="arguments" />
        )}
      </Step>
      {(hasIssues || reason !== null) && (
        <Step icon={<MessageSquareWarning />} title="What was wrong">
          {hasOtherReason && (
            <p className="mb-3 last:mb-0">
              <ExternalText text={reason} />
            </p>
          )}
          <Issues api={api} records={records} hasReason={hasOtherReason} />
        </Step>
      )}
      {returned !== null && (
        <Step icon={<Server />} title="The server returned">
          <Code label="Result" text={prettyJson(returned)} copy="result" />
        </Step>
      )}
      {received !== null && (
        <Step icon={<CornerDownRight />} title="The agent read">
          <Code label="What the agent read" text={received} copy="text" />
        </Step>
      )}
      {next_attempt !== null && (
        <Step icon={<Send />} title="Then it sent">
          <NextAttempt call={next_attempt} query={query} />
        </Step>
      )}
      {next_passed !== null && (
        <Step icon={<ArrowLeftRight />} title="The next call that passed">
          <NextPassed api={api} records={records} passed={next_passed} query={query} />
        </Step>
      )}
    </div>
  );
}

/** Shown if no record has the id in the address. */
function Missing({ id }: { readonly id: string }): ReactElement {
  return (
    <EmptyState icon={SearchX} title="No record has this id.">
      <p className="text-soft wrap-anywhere">
        <code>
          <ExternalText text={id.slice(0, MAX_ID)} />
        </code>{" "}
        is not in the records. Retention may have removed it, or the link was cut.
      </p>
    </EmptyState>
  );
}

/** Number of characters shown of an id that does not exist. */
const MAX_ID = 64;

function Neighbour({
  id,
  label,
  keys,
  query,
}: {
  readonly id: string | null;
  readonly label: string;
  readonly keys: string;
  readonly query: string;
}): ReactElement {
  const href = id === null ? undefined : hashOf("activity", id, query);
  useShortcut(
    {
      keys,
      label,
      run: () => {
        if (href !== undefined) location.hash = href;
      },
    },
    href !== undefined,
  );
  const Icon = keys === "k" ? ChevronUp : ChevronDown;
  const icon = <Icon aria-hidden="true" />;
  if (href === undefined) {
    return (
      <Button variant="quiet" size="icon" aria-label={label} disabled>
        {icon}
      </Button>
    );
  }
  return (
    <ButtonLink
      variant="quiet"
      size="icon"
      aria-label={label}
      title={`${label} (${keys})`}
      href={href}
    >
      {icon}
    </ButtonLink>
  );
}

/**
 * Shows one call as a conversation: what was sent, what was wrong with it, what the agent read, and what it did next.
 */
export default function CallSheet({ api, id, known, query, onClose }: Props): ReactElement {
  const ask = useCallback((signal: AbortSignal) => load(api, id, query, signal), [api, id, query]);
  const [{ value, error, isMissing }, reload] = useLoaded(ask, undefined, ["call", id, query]);
  const row = value?.call ?? value?.record ?? known;
  const { server = null, tool = null } = row ?? {};
  // Only the page for all servers lists the tools of each server.
  const hasTool = server !== null && tool !== null && value?.isServed === true;
  const links: Links = {
    server: server === null ? undefined : hashOf("servers", server),
    tool: hasTool ? api.address(serverToolHash(server, tool)) : undefined,
  };
  return (
    <Sheet
      open
      onClose={onClose}
      // The row may differ from the one that had the focus, or the list may have been reloaded.
      finalFocus={() => document.getElementById(linkId({ id }))}
      title={row === undefined ? "Record" : <ExternalText text={titleOf(row)} />}
      actions={
        <span className="flex items-center gap-1">
          <Neighbour id={value?.newer ?? null} label="Newer call" keys="k" query={query} />
          <Neighbour id={value?.older ?? null} label="Older call" keys="j" query={query} />
          <CopyMenu api={api} detail={value} />
        </span>
      }
    >
      {row !== undefined && <Summary row={row} links={links} />}
      {error !== undefined && isMissing && <Missing id={id} />}
      {error !== undefined && !isMissing && (
        <div className="p-4">
          <Failure error={error} onRetry={reload} />
        </div>
      )}
      {value === undefined && error === undefined && (
        <p role="status" className="p-4 text-soft">
          Loading the record…
        </p>
      )}
      {value !== undefined && (
        <>
          <CallActions api={api} detail={value} />
          <RecordLinks records={value.records} />
          {value.call === null && value.record.reason !== null && (
            <p className="px-4 pt-4">
              <ExternalText text={value.record.reason} />
            </p>
          )}
          {value.call !== null && <Conversation api={api} detail={value} query={query} />}
          {value.records.map((record) => (
            <RecordFields
              key={record.id}
              record={record}
              isOpen={value.call === null}
              links={links}
            />
          ))}
        </>
      )}
    </Sheet>
  );
}
