import { type ActivityRecord, groupChanges } from "@touchstone/gateway/api";
import { FileDiff } from "lucide-react";
import { type ReactElement, useCallback, useEffect, useMemo } from "react";
import { serverToolName } from "../activity/record.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { sawChanges } from "../page/attention.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { type Page, useListing } from "../page/use-listing.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, LINK_CLASS } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { LIST, ROW, useOpenedRow } from "../ui/list-keys.ts";
import { ChangeView } from "./change-view.tsx";
import { changeKind, revisionsOf, shownRecord } from "./record-words.ts";
import { VersionPicker, versionsOf } from "./version-picker.tsx";
import { readCompared } from "./versions.ts";

const PAGE = "50";

/** The records of one change of a definition, newest first. */
type Change = readonly [newest: ActivityRecord, ...others: readonly ActivityRecord[]];

function Row({ change }: { readonly change: Change }): ReactElement {
  const [newest] = change;
  const shown = shownRecord(change) ?? newest;
  const kinds = [...new Set(change.map(changeKind))];
  return (
    <li className="min-w-0">
      <a
        {...ROW}
        href={hashOf("changes", shown.id)}
        className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-surface px-4 py-2.5 hover:border-edge hover:bg-hover"
      >
        <span className="min-w-0 flex-1 basis-56 font-medium wrap-anywhere">
          <ExternalText text={serverToolName(shown)} />
        </span>
        {kinds.map((kind) => (
          <Badge key={kind} tone={kind === "gone" ? "bad" : "plain"}>
            {kind}
          </Badge>
        ))}
        {revisionsOf(change).map((revision) => (
          <Badge key={revision} tone="info" title="The MCP revision in which it was listed">
            <ExternalText text={revision.slice(0, 50)} />
          </Badge>
        ))}
        {change.length > 1 && (
          <span className="text-soft">in {change.length.toLocaleString("en")} lists</span>
        )}
        <span className="text-soft">
          <TimeText time={newest.time} />
        </span>
        {shown.reason !== null && (
          <span className="basis-full text-soft wrap-anywhere">
            <ExternalText text={shown.reason.slice(0, 500)} />
          </span>
        )}
      </a>
    </li>
  );
}

function Rows({ changes }: { readonly changes: readonly Change[] }): ReactElement {
  const list = useOpenedRow<HTMLUListElement>();
  return (
    <ul ref={list} {...LIST} className="flex flex-col gap-2">
      {changes.map((change) => (
        <Row key={change[0].id} change={change} />
      ))}
    </ul>
  );
}

type Names = Readonly<Record<"server" | "tool", string>>;

async function readPage(
  api: GatewayApi,
  { server, tool }: Names,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page<ActivityRecord>> {
  const filters = { type: "schema_change", server, tool, limit: PAGE, cursor };
  const page = await api.get("listActivity", filters, signal);
  return { rows: page.activities, next: page.next_cursor };
}

function ChangeList({ api, names }: { readonly api: GatewayApi; readonly names: Names }) {
  const { server, tool } = names;
  const load = useCallback(
    (cursor: string | undefined, signal: AbortSignal) =>
      readPage(api, { server, tool }, cursor, signal),
    [api, server, tool],
  );
  const { rows, error, moreError, hasMore, reload, more } = useListing(load);
  const changes = useMemo(() => groupChanges(rows ?? []) as readonly Change[], [rows]);
  const newest = rows?.[0]?.time;
  const isScoped = server !== "" || tool !== "";
  useEffect(() => {
    if (newest !== undefined && !isScoped) sawChanges(newest);
  }, [newest, isScoped]);
  return (
    <section aria-label="Schema changes">
      <PageHeader
        title="Schema changes"
        hint="Tools whose definition has changed, latest first."
        actions={<ReloadButton onClick={reload} />}
      />
      {isScoped && (
        <p className="mb-3 text-soft">
          Of <ExternalText text={[server, tool].filter(Boolean).join(" / ")} />.{" "}
          <a className={LINK_CLASS} href={hashOf("changes")}>
            Show all
          </a>
        </p>
      )}
      {server !== "" && tool !== "" && (
        <VersionPicker versions={versionsOf(rows ?? [], !hasMore)} />
      )}
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {rows === undefined && error === undefined && <Loading what="schema changes" />}
      {rows?.length === 0 && (
        <EmptyState icon={FileDiff} title="No change of a tool is recorded.">
          <p className="text-soft">
            The gateway compares each list of tools with the one before. If a schema changes, it
            shows here what changed, and which calls fail since.
          </p>
        </EmptyState>
      )}
      {changes.length > 0 && <Rows changes={changes} />}
      {moreError !== undefined && <Failure error={moreError} onRetry={more} />}
      {hasMore && moreError === undefined && (
        <Button className="mt-3" onClick={more}>
          Load older changes
        </Button>
      )}
    </section>
  );
}

/** Shows the changes of what tools declare, and the change that is open. */
export default function ChangesPage({ api, open, query }: PageProps): ReactElement {
  const given = new URLSearchParams(query);
  const names = { server: given.get("server") ?? "", tool: given.get("tool") ?? "" };
  return open === undefined ? (
    <ChangeList key={JSON.stringify(names)} api={api} names={names} />
  ) : (
    <ChangeView key={`${open} ${query}`} api={api} id={open} from={readCompared(query)} />
  );
}
