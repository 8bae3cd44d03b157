import { type Clause, type Issue, issueClause, type RootName } from "@touchstone/core/advanced";
import type { ActivityRecord } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { hashOf } from "../page/route.ts";
import { Badge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { PayloadSide, SchemaSide } from "./issue-places.tsx";
import type { KnownSchema } from "./known-schema.ts";

interface Props {
  /** All records of the same request. */
  readonly request: readonly ActivityRecord[];
  readonly issue: Issue;
  /** The server that the record is about. */
  readonly server: string | null;
  /** Its position in the list, starting at 1. */
  readonly number: number;
  readonly direction: string | null;
  /** The schema that was found, if any. */
  readonly schema: KnownSchema | undefined;
  readonly isAsking: boolean;
}

/** Returns the text of an issue, worded for the location that its path names. */
function clauseOf(issue: Issue, direction: string | null): Clause {
  return issueClause(issue, WHOLES.get(direction));
}

/** What issues call the root, by direction. */
const WHOLES: ReadonlyMap<string | null, RootName> = new Map([
  ["input", "the arguments"],
  ["output", "the result"],
  ["protocol", "the message"],
]);

/** The setting that forbids a call, and where it is shown. */
function PolicySide({
  keyword,
  server,
}: {
  readonly keyword: string | undefined;
  readonly server: string | null;
}): ReactElement {
  return (
    <div className="min-w-0">
      <h4 className="mb-1 text-[0.8125rem] text-soft">Setting</h4>
      <p>
        {keyword !== undefined && (
          <code className="font-mono">
            <ExternalText text={keyword} />
          </code>
        )}{" "}
        {server !== null && (
          <a className={LINK_CLASS} href={hashOf("servers", server)}>
            What limits calls of <ExternalText text={server} />
          </a>
        )}
      </p>
    </div>
  );
}

/** Settings of policy that concern the values of arguments; all other settings concern the call. */
const OF_VALUES: ReadonlySet<string | undefined> = new Set(["narrow", "within", "hosts"]);

/** Returns whether an issue is about the payload. */
function isOfPayload({ rule, keyword }: Issue): boolean {
  return rule !== "policy" || OF_VALUES.has(keyword);
}

/** Shows an issue next to its location in the schema and in the payload. */
export function IssueItem(props: Props): ReactElement {
  const { issue, number, direction, schema, isAsking, request, server } = props;
  const { subject, predicate } = clauseOf(issue, direction);
  return (
    <li className="rounded-lg border border-line px-3 py-2">
      <p className="font-medium">
        <code className="font-mono text-[0.8125rem]">
          <ExternalText text={subject} />
        </code>{" "}
        <ExternalText text={predicate} />{" "}
        <Badge>
          <ExternalText text={issue.rule} />
        </Badge>
      </p>
      <div className="mt-2 grid grid-cols-1 gap-3 md:grid-cols-2">
        {issue.rule === "policy" ? (
          <PolicySide keyword={issue.keyword} server={server} />
        ) : (
          <div className="min-w-0">
            <h4 className="mb-1 text-[0.8125rem] text-soft">
              Schema{" "}
              {issue.schemaPath !== undefined && (
                <code className="font-mono">
                  <ExternalText text={issue.schemaPath} />
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
            {isAsking && (
              // About as high as the lines that will appear here.
              <p role="status" className="min-h-56">
                Loading the schema…
              </p>
            )}
            {schema !== undefined && schema.text === undefined && (
              <p className="text-soft">The tool declares none now.</p>
            )}
          </div>
        )}
        {isOfPayload(issue) && (
          <div className="min-w-0">
            <h4 className="mb-1 text-[0.8125rem] text-soft">Payload</h4>
            <PayloadSide
              issue={issue}
              label={`In the ${direction} payload, issue ${number}`}
              direction={direction}
              request={request}
            />
          </div>
        )}
      </div>
    </li>
  );
}
