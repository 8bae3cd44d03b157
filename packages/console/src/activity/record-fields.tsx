import type { ReactElement } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { printTree, readTree } from "../json/tree.ts";
import { hashOf, serverToolHash } from "../page/route.ts";
import { Shown } from "../page/shown.tsx";
import { When } from "../page/when.tsx";
import { durationText } from "../text/duration.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Code } from "../ui/code.tsx";
import type { ActivityRecord } from "./record.ts";

/** Members in the order in which people ask for them; issues, reason and bodies have places of their own. */
const FIELDS = [
  ["Status", "status"],
  ["Decision", "decision"],
  ["Outcome", "outcome"],
  ["Direction", "direction"],
  ["Mode", "mode"],
  ["Server", "server"],
  ["Tool", "tool"],
  ["Client", "client"],
  ["Source", "source"],
  ["Took", "duration_ms"],
  ["Bytes in", "bytes_in"],
  ["Bytes out", "bytes_out"],
  ["Secrets taken out", "redactions"],
  ["Type", "type"],
  ["Id", "id"],
  ["Request", "request_id"],
  ["Session", "session"],
  ["Schema", "schema_hash"],
  ["Schema before", "previous_schema_hash"],
  ["Hash of this record", "hash"],
  ["Hash of the record before", "prev_hash"],
] as const satisfies readonly (readonly [string, keyof ActivityRecord])[];

const MARKED: ReadonlySet<string> = new Set(["status", "decision"]);

function Body({ text, label }: { readonly text: string | null; readonly label: string }) {
  if (text === null) return null;
  const read = readTree(text);
  return (
    <details>
      <summary>{label}</summary>
      <Code label={label} text={read.ok ? printTree(read.tree) : text} />
    </details>
  );
}

interface Props {
  readonly api: GatewayApi;
  readonly record: ActivityRecord;
}

/** Where what a member names is to be seen. */
function linkOf(name: keyof ActivityRecord, { api, record }: Props): string | undefined {
  const { server, tool } = record;
  if (server === null) return undefined;
  if (name === "server") return hashOf("servers", server);
  // Only the page of all servers has the tools of each.
  return name === "tool" && tool !== null ? api.address(serverToolHash(server, tool)) : undefined;
}

function Value({
  name,
  text,
  link,
}: Readonly<Record<"name" | "text", string> & { link: string | undefined }>) {
  if (MARKED.has(name)) return <StateBadge state={text} />;
  if (link === undefined) return <Shown text={text} />;
  return (
    <a href={link}>
      <Shown text={text} />
    </a>
  );
}

type Other = ActivityRecord["others"][number];

/** Longer text is shown once it is asked for. */
const MAX_FACT = 300;
const isLong = ([, value]: Other): boolean => String(value).length > MAX_FACT;
const labelOf = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

/** All that a record says, member by member. */
export function RecordFields(props: Props): ReactElement {
  const { record } = props;
  return (
    <section aria-label="The record">
      <h3>The record</h3>
      <dl className="facts">
        <div>
          <dt>Time</dt>
          <dd>
            <When time={record.time} />
          </dd>
        </div>
        {FIELDS.map(([label, name]) => {
          const value = record[name];
          if (value === null) return null;
          const text = name === "duration_ms" ? durationText(record[name] ?? 0) : String(value);
          return (
            <div key={name}>
              <dt>{label}</dt>
              <dd>
                <Value name={name} text={text} link={linkOf(name, props)} />
              </dd>
            </div>
          );
        })}
        {record.others
          .filter((other) => !isLong(other))
          .map(([name, value]) => (
            <div key={name}>
              <dt>{labelOf(name)}</dt>
              <dd>
                <Shown text={String(value)} />
              </dd>
            </div>
          ))}
      </dl>
      {record.others.filter(isLong).map(([name, value]) => (
        <Body key={name} text={String(value)} label={labelOf(name)} />
      ))}
      <Body text={record.arguments} label="Arguments" />
      <Body text={record.result} label="Result" />
    </section>
  );
}
