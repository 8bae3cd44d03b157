import type { Issue } from "@touchstone/core";
import type { ActivityRecord } from "@touchstone/gateway/api";
import { type ReactElement, useCallback, useMemo } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { type IssueGroup, issueGroups } from "./issue-groups.ts";
import { IssueItem } from "./issue-item.tsx";
import { loadSchema } from "./known-schema.ts";
import { splitRelevantIssues } from "./relevant-issues.ts";

interface Props {
  readonly api: GatewayApi;
  readonly group: IssueGroup;
  /** Whether something is shown above it. */
  readonly isFirst: boolean;
  /** All records of the same request. */
  readonly request: readonly ActivityRecord[];
}

/** Issues that are shown with their locations. */
const MAX_DRAWN = 50;

/** Where the issues of a direction are. */
const PLACES: Readonly<Record<string, string | undefined>> = {
  input: "arguments",
  output: "result",
  protocol: "message",
};

/** Returns a heading for the issues. */
function headOf(count: number, direction: string | null): string {
  const issues = count === 1 ? "1 issue" : `${count} issues`;
  const where = direction === null ? undefined : PLACES[direction];
  return where === undefined ? issues : `${issues} in the ${where}`;
}

/** Shows each issue of a group next to its location in the schema and in the payload. */
function GroupedIssues({ api, group, isFirst, request }: Props): ReactElement {
  const { record, issues, repairs, truncated, first } = group;
  const { direction } = record;
  const wants = issues.some(
    ({ schemaPath, rule }) => schemaPath !== undefined && rule !== "policy",
  );
  const ask = useCallback(
    (signal: AbortSignal) => (wants ? loadSchema(api, record, signal) : Promise.resolve(undefined)),
    [api, record, wants],
  );
  const [{ value: schema, error, isLoading }] = useLoaded(ask);
  const count = headOf(issues.length + truncated, direction);
  const repaired = `${isFirst ? "" : "Before that: "}${count}, repaired: ${repairs}`;
  const head = repairs === undefined ? count : repaired;
  // References in a schema that has changed since may lead elsewhere.
  const applied = schema?.isApplied === true ? schema.text : undefined;
  const { meant, others } = useMemo(
    () => splitRelevantIssues(issues, applied === undefined ? undefined : JSON.parse(applied)),
    [issues, applied],
  );
  const item =
    (from: number) =>
    (issue: Issue, index: number): ReactElement => (
      <IssueItem
        key={index}
        number={from + index}
        isAsking={wants && isLoading}
        {...{ issue, direction, schema, request, server: record.server }}
      />
    );
  return (
    <section aria-label={head} className="mb-3">
      <h4 className="mb-1 text-soft">
        <ExternalText text={head} />
      </h4>
      {schema?.isOther === true && (
        <p className="text-soft">
          The tool declares another schema now than the one that was applied.
        </p>
      )}
      {wants && error !== undefined && (
        <p className="text-soft">
          The tool's schema cannot be shown. <ExternalText text={error} />
        </p>
      )}
      <ol className="flex flex-col gap-2">{meant.slice(0, MAX_DRAWN).map(item(first))}</ol>
      {others.length > 0 && (
        <details>
          <summary>
            {others.length === 1 ? "1 issue" : `${others.length} issues`} in alternatives that match
            the value less closely
          </summary>
          <ol className="mt-2 flex flex-col gap-2" start={first + meant.length}>
            {others.slice(0, Math.max(0, MAX_DRAWN - meant.length)).map(item(first + meant.length))}
          </ol>
        </details>
      )}
      {issues.length > MAX_DRAWN && (
        <p className="text-soft">and {issues.length - MAX_DRAWN} more</p>
      )}
      {truncated > 0 && <p className="text-soft">The record leaves out {truncated} more.</p>}
    </section>
  );
}

/** Shows the issues of the decisions about a call: first why it was blocked. */
export function Issues({
  api,
  records,
  hasReason,
}: {
  readonly api: GatewayApi;
  readonly records: readonly ActivityRecord[];
  /** Whether another reason is shown above them. */
  readonly hasReason: boolean;
}): ReactElement {
  const groups = useMemo(() => issueGroups(records), [records]);
  return (
    <>
      {groups.map((group, index) => (
        <GroupedIssues
          key={`${group.record.id} ${group.first}`}
          api={api}
          group={group}
          isFirst={index === 0 && !hasReason}
          request={records}
        />
      ))}
    </>
  );
}
