import type { ActivityRecord } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { durationText } from "../text/duration.ts";
import { StateBadge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { RowTime, typeWord } from "./columns.tsx";

/** Fields that are shown elsewhere, or that are for programs only. */
const HIDDEN: ReadonlySet<string> = new Set(["response_text", "approvals", "erasures", "salt"]);

/** Members in the order in which people look for them. Issues, reason and bodies are shown elsewhere. */
const FIELDS = [
  ["Status", "status"],
  ["Decision", "decision"],
  ["Outcome", "outcome"],
  ["Direction", "direction"],
  ["Mode", "mode"],
  ["Repairs", "repairs"],
  ["Server", "server"],
  ["Tool", "tool"],
  ["Client", "client"],
  ["Caller", "caller"],
  ["Source", "source"],
  ["Took", "duration_ms"],
  ["Bytes in", "bytes_in"],
  ["Bytes out", "bytes_out"],
  ["Secrets removed", "redactions"],
  ["Type", "type"],
  ["Id", "id"],
  ["Request", "request_id"],
  ["Session", "session"],
  ["Schema", "schema_hash"],
  ["Schema before", "previous_schema_hash"],
  ["Output schema", "output_schema_hash"],
  ["Output schema before", "previous_output_schema_hash"],
  ["Hash of this record", "hash"],
  ["Hash of the previous record", "prev_hash"],
] as const satisfies readonly (readonly [string, keyof ActivityRecord])[];

/** Shown elsewhere: the reason already says what `guard` does. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...FIELDS.map(([, name]) => name),
  ...["time", "issues", "reason", "arguments", "result", "truncated", "guard"],
]);

type Other = readonly [name: string, value: string | number | boolean];

/** Returns whether a member of a record has no line of its own; a newer gateway may have more of them. */
function isOther(member: [name: string, value: unknown]): member is [...Other] {
  const [name, value] = member;
  return (
    !HIDDEN.has(name) &&
    !ELSEWHERE.has(name) &&
    ["string", "number", "boolean"].includes(typeof value)
  );
}

const MARKED: ReadonlySet<string> = new Set(["status", "decision"]);

/** Longer text is shown separately. */
const MAX_FACT = 300;

const labelOf = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

function Fact({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactElement;
}): ReactElement {
  return (
    <div className="grid grid-cols-[9rem_minmax(0,1fr)] gap-2 border-b border-line py-1">
      <dt className="text-soft">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

/** Returns the title of a record: `Decision record, input`. */
function titleOf({ type, direction }: ActivityRecord): string {
  const word = typeWord(type);
  const title = `${word.charAt(0).toUpperCase()}${word.slice(1)} record`;
  return direction === null ? title : `${title}, ${direction}`;
}

/** Shows all members of a record. */
export function RecordFields({
  record,
  isOpen,
  links,
}: {
  readonly record: ActivityRecord;
  readonly isOpen: boolean;
  /** Links for members, by name. */
  readonly links: Readonly<Record<string, string | undefined>>;
}): ReactElement {
  const others = Object.entries(record).filter(isOther);
  const isLong = ([, value]: Other): boolean => String(value).length > MAX_FACT;
  return (
    <details open={isOpen} className="border-t border-line px-4 py-2">
      <summary className="font-medium">
        <ExternalText text={titleOf(record)} />
      </summary>
      <dl className="mt-2 grid grid-cols-1 gap-x-6 md:grid-cols-2">
        <Fact label="Time">
          <RowTime time={record.time} />
        </Fact>
        {FIELDS.map(([label, name]) => {
          const value = record[name];
          if (value === null || value === undefined) return null;
          const text = name === "duration_ms" ? durationText(record[name] ?? 0) : String(value);
          const link = links[name];
          return (
            <Fact key={name} label={label}>
              {MARKED.has(name) ? (
                <StateBadge state={text} />
              ) : link === undefined ? (
                <ExternalText text={text} />
              ) : (
                <a className={LINK_CLASS} href={link}>
                  <ExternalText text={text} />
                </a>
              )}
            </Fact>
          );
        })}
        {others
          .filter((other) => !isLong(other))
          .map(([name, value]) => (
            <Fact key={name} label={labelOf(name)}>
              <ExternalText text={String(value)} />
            </Fact>
          ))}
      </dl>
      {others.filter(isLong).map(([name, value]) => (
        <div key={name} className="mt-2">
          <h4 className="text-soft">{labelOf(name)}</h4>
          <Code label={labelOf(name)} text={String(value)} />
        </div>
      ))}
    </details>
  );
}
