import type { ReactElement } from "react";
import { hashOf } from "../page/route.ts";
import { ButtonLink } from "../ui/button.tsx";
import type { ActivityRecord } from "./record.ts";

interface RecordLink {
  readonly label: string;
  readonly href: (record: ActivityRecord) => string;
  readonly fits: (record: ActivityRecord) => boolean;
}

const hasHash = ({ schema_hash, previous_schema_hash }: ActivityRecord): boolean =>
  schema_hash !== null || previous_schema_hash !== null;

/** The pages that show more of what a record is about. A new one is one entry. */
const LINKS: readonly RecordLink[] = [
  {
    label: "Show the difference",
    fits: (record) =>
      (record.type === "schema_change" || record.type === "config_change") &&
      record.server !== null &&
      hasHash(record),
    href: ({ id }) => hashOf("changes", id),
  },
  {
    label: "Show the approvals",
    fits: ({ type, server, issues }) =>
      type === "policy_decision" &&
      server !== null &&
      issues.some(({ rule, keyword }) => rule === "policy" && keyword === "pin"),
    href: ({ server }) => hashOf("pins", "", { server: server ?? "" }),
  },
  {
    label: "Show the list as the client sees it",
    fits: ({ type, server }) => type === "list_change" && server !== null,
    href: ({ server, client, others }) => {
      const caller = others.find(([name]) => name === "caller")?.[1];
      const by = { client: client ?? "", caller: caller === undefined ? "" : String(caller) };
      return hashOf("servers", server ?? "", { view: "client", ...by });
    },
  },
];

/** Links to the pages that show more of what records are about. */
export function RecordLinks({
  records,
}: {
  readonly records: readonly ActivityRecord[];
}): ReactElement | null {
  const found = LINKS.flatMap(({ label, href, fits }) => {
    const record = records.find(fits);
    return record === undefined ? [] : [{ label, href: href(record) }];
  });
  if (found.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-2 px-4 pt-3">
      {found.map(({ label, href }) => (
        <ButtonLink key={label} size="sm" href={href}>
          {label}
        </ButtonLink>
      ))}
    </p>
  );
}
