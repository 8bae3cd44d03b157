import type { ReactElement } from "react";
import { Shown } from "../page/shown.tsx";
import { PayloadSide, SchemaSide } from "./issue-places.tsx";
import type { KnownSchema } from "./known-schema.ts";
import type { ActivityRecord, RecordIssue } from "./record.ts";

interface Props {
  /** All records of the same request. */
  readonly request: readonly ActivityRecord[];
  readonly issue: RecordIssue;
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly direction: string | null;
  /** What was found of the schema. */
  readonly schema: KnownSchema | undefined;
  readonly isAsking: boolean;
}

/** An issue, beside its place in the schema and in the payload. */
export function IssueItem(props: Props): ReactElement {
  const { issue, number, direction, schema, isAsking, request } = props;
  return (
    <li>
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
              label={`In the ${direction} schema, issue ${number}`}
              schema={schema.text}
            />
          )}
          {isAsking && <p role="status">Asking for the schema …</p>}
          {schema !== undefined && schema.text === undefined && (
            <p className="hint">The tool declares none now.</p>
          )}
        </div>
        <div>
          <h4>Payload</h4>
          <PayloadSide
            issue={issue}
            label={`In the ${direction} payload, issue ${number}`}
            direction={direction}
            request={request}
          />
        </div>
      </div>
    </li>
  );
}
