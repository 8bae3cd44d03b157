import type { ActivityRecord, Call, DefinitionChange, MeantChange } from "@touchstone/gateway/api";
import { type ReactElement, useCallback } from "react";
import { CallExamples } from "../activity/call-examples.tsx";
import { writeFilters } from "../activity/filter.ts";
import { serverToolName } from "../activity/record.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { hashOf, serverToolHash } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { localTime } from "../text/local-time.ts";
import { Badge } from "../ui/badge.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { CHANGE_CLASSES } from "./change.ts";
import { DefinitionDiff } from "./definition-diff.tsx";
import { changeKind } from "./record-words.ts";
import { type Version, VersionPicker, versionsOf } from "./version-picker.tsx";
import { type ComparedWith, comparedQuery } from "./versions.ts";

/** Maximum number of changes whose versions can be chosen. */
const MOST_CHANGES = "200";
/** Maximum number of broken calls that are shown. */
const EXAMPLES = "5";

interface Found {
  readonly record: ActivityRecord;
  readonly change: DefinitionChange;
  /** All versions of the tool. */
  readonly versions: readonly Version[];
  /** The time of the other version, if it is not the version before this change. */
  readonly since?: string;
  /** Calls of the tool since then that were blocked, or that would be blocked. */
  readonly broken: readonly Call[];
}

/**
 * The filters of Activity that show which calls a change may have broken; undefined if the change does not concern a
 * tool.
 */
function brokenSince({ server, tool, time }: ActivityRecord) {
  if (server === null || tool === null) return undefined;
  return { server, tool, status: "blocked,warning", since: time };
}

async function load(
  api: GatewayApi,
  id: string,
  from: ComparedWith | undefined,
  signal: AbortSignal,
): Promise<Found> {
  const other = from === undefined ? {} : comparedQuery(from);
  const [record, change, earlier] = await Promise.all([
    api.get("getActivityRecord", { id }, signal),
    api.get("getDefinitionChange", { id, ...other }, signal),
    from && api.get("getActivityRecord", { id: from.id }, signal),
  ]);
  const versions = await versionsFor(api, record, signal);
  const found = { record, change, versions };
  if (earlier !== undefined) return { ...found, since: earlier.time, broken: [] };
  const filters = brokenSince(record);
  if (filters === undefined) return { ...found, broken: [] };
  const { calls } = await api.get("listCalls", { ...filters, limit: EXAMPLES }, signal);
  return { ...found, broken: calls };
}

async function versionsFor(
  api: GatewayApi,
  { server, tool }: ActivityRecord,
  signal: AbortSignal,
): Promise<readonly Version[]> {
  if (server === null || tool === null) return [];
  const filters = { type: "schema_change", server, tool, limit: MOST_CHANGES };
  const { activities, next_cursor } = await api.get("listActivity", filters, signal);
  return versionsOf(activities, next_cursor === null);
}

function Meant({ class: meant, path, message, counterexample }: MeantChange): ReactElement {
  const [tone, word] = (Object.hasOwn(CHANGE_CLASSES, meant)
    ? CHANGE_CLASSES[meant]
    : undefined) ?? ["plain", meant];
  return (
    <li className="min-w-0">
      <p className="wrap-anywhere">
        <Badge tone={tone}>
          <ExternalText text={word} />
        </Badge>{" "}
        {path !== "" && (
          <code className="font-mono text-[0.8125rem]">
            <ExternalText text={path} />
          </code>
        )}{" "}
        <ExternalText text={message} />
      </p>
      {counterexample !== null && (
        <div className="mt-1.5">
          <Code label="An example of what breaks" text={counterexample} copy="example" />
        </div>
      )}
    </li>
  );
}

function Meaning({ changes }: { readonly changes: readonly MeantChange[] | null }) {
  return (
    <Card title="What it means">
      {changes === null && (
        <p className="text-soft">
          Unknown: a text is not kept, or the comparison takes too long here. Use{" "}
          <code className="font-mono">touchstone lock --check</code> to compare whole servers.
        </p>
      )}
      {changes?.length === 0 && (
        <p className="text-soft">The parts that are kept of the two definitions are equal.</p>
      )}
      <ul className="flex flex-col gap-2">
        {changes?.map((change) => (
          <Meant key={JSON.stringify(change)} {...change} />
        ))}
      </ul>
    </Card>
  );
}

function Broken({ found: { record, broken } }: { readonly found: Found }): ReactElement | null {
  const filters = brokenSince(record);
  if (filters === undefined) return null;
  const all = writeFilters(filters);
  return (
    <Card
      title="Calls since"
      hint="Calls of this tool since the change that were blocked, or that strict would have blocked."
      actions={
        broken.length > 0 && (
          <ButtonLink size="sm" href={hashOf("activity", "", all)}>
            Show all in Activity
          </ButtonLink>
        )
      }
    >
      {broken.length === 0 && (
        <p className="text-soft">
          Since then, no call has a warning or was blocked by a check. Unchecked calls are not
          counted.
        </p>
      )}
      <CallExamples calls={broken} query={all} />
    </Card>
  );
}

/** Shows one change: what differs, what that means, and which calls failed since; or the difference of two versions. */
export function ChangeView({
  api,
  id,
  from,
}: {
  readonly api: GatewayApi;
  readonly id: string;
  /** What to compare with, if it is not the version before this change. */
  readonly from: ComparedWith | undefined;
}): ReactElement {
  const { id: other, side } = from ?? {};
  const ask = useCallback(
    (signal: AbortSignal) => {
      const compared = other === undefined || side === undefined ? undefined : { id: other, side };
      return load(api, id, compared, signal);
    },
    [api, id, other, side],
  );
  const [{ value, error }, reload] = useLoaded(ask);
  const { record, since } = value ?? {};
  return (
    <section aria-label="Schema change">
      <OpenedHeading page="changes" list="All schema changes">
        {record === undefined ? "Schema change" : <ExternalText text={serverToolName(record)} />}
      </OpenedHeading>
      {record !== undefined && since !== undefined && (
        <p className="mb-2 text-soft">
          From the version {side} <TimeText time={since} /> to that of{" "}
          <TimeText time={record.time} />
        </p>
      )}
      {record !== undefined && since === undefined && (
        <p className="mb-2 text-soft wrap-anywhere">
          <TimeText time={record.time} /> ·{" "}
          <ExternalText text={record.reason ?? changeKind(record)} />
          {record.revision !== undefined && (
            <>
              {" "}
              · MCP <ExternalText text={record.revision} />
            </>
          )}
          {record.client !== null && (
            <>
              {" "}
              · seen for <ExternalText text={record.client} />
            </>
          )}
        </p>
      )}
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
        {record?.server != null && record.tool !== null && (
          <ButtonLink href={api.address(serverToolHash(record.server, record.tool))}>
            Open the tool
          </ButtonLink>
        )}
        <ButtonLink href={hashOf("activity", id, "type=schema_change")}>The record</ButtonLink>
        {record?.mode != null && record.server !== null && (
          <ButtonLink href={hashOf("pins", "", { server: record.server })}>Approvals</ButtonLink>
        )}
      </div>
      {value !== undefined && <VersionPicker versions={value.versions} from={from} to={id} />}
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="the change" />}
      {value?.since !== undefined && (
        <div className="grid grid-cols-1 gap-3">
          <DefinitionDiff
            title="Difference"
            diff={value.change.diff}
            sides={[
              `${side === "after" ? "After" : "Before"} ${localTime(value.since)}`,
              `After ${localTime(value.record.time)}`,
            ]}
          />
          <Meaning changes={value.change.changes} />
        </div>
      )}
      {value !== undefined && value.since === undefined && (
        <div className="grid grid-cols-1 items-start gap-3 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <DefinitionDiff title="Difference" diff={value.change.diff} />
          <div className="grid min-w-0 gap-3">
            <Meaning changes={value.change.changes} />
            <Broken found={value} />
          </div>
        </div>
      )}
    </section>
  );
}
