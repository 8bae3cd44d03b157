import type { ActivityRecord } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { clientPreviewHash } from "../page/client-preview.ts";
import { hashOf } from "../page/route.ts";
import { ButtonLink } from "../ui/button.tsx";

interface RecordLink {
  readonly label: string;
  /** Undefined if the page shows nothing about the record. */
  readonly href: (record: ActivityRecord) => string | undefined;
}

const hasHash = ({ schema_hash, previous_schema_hash }: ActivityRecord): boolean =>
  schema_hash !== null || previous_schema_hash !== undefined;

/** The pages that show more about the subject of a record. To add a link, add an entry. */
const LINKS: readonly RecordLink[] = [
  {
    label: "Show the difference",
    href: (record) =>
      (record.type === "schema_change" || record.type === "config_change") &&
      record.server !== null &&
      hasHash(record)
        ? hashOf("changes", record.id)
        : undefined,
  },
  {
    label: "Show the approvals",
    href: ({ type, server, issues }) =>
      type === "policy_decision" &&
      server !== null &&
      issues.some(({ rule, keyword }) => rule === "policy" && keyword === "pin")
        ? hashOf("pins", "", { server })
        : undefined,
  },
  {
    label: "Show the list as the client sees it",
    href: ({ type, server, client, caller }) => {
      if (type !== "list_change" || server === null) return undefined;
      return clientPreviewHash(server, { client: client ?? "", caller: caller ?? "" });
    },
  },
];

/** Links to the pages that show more about the subjects of records. */
export function RecordLinks({
  records,
}: {
  readonly records: readonly ActivityRecord[];
}): ReactElement | null {
  const found = LINKS.flatMap(({ label, href: hrefOf }) => {
    const [href] = records.flatMap((record) => hrefOf(record) ?? []);
    return href === undefined ? [] : [{ label, href }];
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
