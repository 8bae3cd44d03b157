import { type ReactElement, useCallback } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { Shown } from "../page/shown.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { PayloadSide, SchemaSide } from "./issue-places.tsx";
import { loadSchema } from "./known-schema.ts";
import type { ActivityRecord } from "./record.ts";

interface Props {
  readonly api: GatewayApi;
  readonly record: ActivityRecord;
  /** All records of the same request. */
  readonly request: readonly ActivityRecord[];
}

/** Issues that are drawn with their places. */
const MAX_DRAWN = 50;

/** What the issues are about. */
function headOf(count: number, direction: string | null): string {
  const issues = count === 1 ? "1 issue" : `${count} issues`;
  if (direction === null) return issues;
  return direction === "protocol" ? `${issues} of the protocol` : `${issues} of the ${direction}`;
}

/** Each issue of a record, beside its place in the schema and in the payload. */
function RecordIssues({ api, record, request }: Props): ReactElement {
  const { issues, direction } = record;
  const wants = issues.some(({ schemaPath }) => schemaPath !== null);
  const ask = useCallback(
    (signal: AbortSignal) => (wants ? loadSchema(api, record, signal) : Promise.resolve(undefined)),
    [api, record, wants],
  );
  const [{ value: schema, error, isLoading }] = useLoaded(ask);
  const head = headOf(issues.length, direction);
  return (
    <section aria-label={head}>
      <h3>
        <Shown text={head} />
      </h3>
      {schema?.isOther === true && (
        <p className="hint">The tool declares another schema now than the one that was applied.</p>
      )}
      {wants && error !== undefined && (
        <p className="hint">
          The tool's schema cannot be shown. <Shown text={error} />
        </p>
      )}
      <ol>
        {issues.slice(0, MAX_DRAWN).map((issue, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two issues may be alike; a record never changes
          <li key={index}>
            <p>
              <code>
                <Shown text={issue.path === "" ? "the whole value" : issue.path} />
              </code>{" "}
              <Shown text={issue.message} />{" "}
              {issue.rule !== null && (
                <small className="badge">
                  <Shown text={issue.rule} />
                </small>
              )}
            </p>
            <div className="sides">
              <div>
                <h4>
                  Schema{" "}
                  {issue.schemaPath !== null && (
                    <code>
                      <Shown text={issue.schemaPath} />
                    </code>
                  )}
                </h4>
                {schema?.text !== undefined && (
                  <SchemaSide
                    issue={issue}
                    label={`In the ${direction} schema, issue ${index + 1}`}
                    schema={schema.text}
                  />
                )}
                {wants && isLoading && <p role="status">Asking for the schema …</p>}
                {schema !== undefined && schema.text === undefined && (
                  <p className="hint">The tool declares none now.</p>
                )}
              </div>
              <div>
                <h4>Payload</h4>
                <PayloadSide
                  issue={issue}
                  label={`In the ${direction} payload, issue ${index + 1}`}
                  direction={direction}
                  request={request}
                />
              </div>
            </div>
          </li>
        ))}
      </ol>
      {issues.length > MAX_DRAWN && <p className="hint">and {issues.length - MAX_DRAWN} more</p>}
    </section>
  );
}

/** The issues of a record; of a call, those of the decisions about it. */
export function Issues({ api, record, request }: Props): ReactElement {
  const judged =
    record.issues.length > 0 ? [record] : request.filter((each) => each.issues.length > 0);
  return (
    <>
      {judged.map((each) => (
        <RecordIssues key={each.id} api={api} record={each} request={request} />
      ))}
    </>
  );
}
