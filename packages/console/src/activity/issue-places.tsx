import type { Issue } from "@touchstone/core";
import type { ActivityRecord } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { ExcerptView } from "./excerpt-view.tsx";
import { payloadPlace, schemaPlace } from "./places.ts";

/** Shows the keyword that an issue is about, within its schema. */
export function SchemaSide(props: {
  readonly issue: Issue;
  readonly label: string;
  readonly schema: string;
}): ReactElement {
  const { issue, label, schema } = props;
  const excerpt = schemaPlace(schema, issue);
  if (excerpt === undefined) {
    return <p className="text-soft">The schema has nothing at this place anymore.</p>;
  }
  return <ExcerptView excerpt={excerpt} label={label} />;
}

/** Shows the value that an issue is about, in the arguments or result. */
export function PayloadSide(props: {
  readonly issue: Issue;
  readonly label: string;
  readonly direction: string | null;
  readonly request: readonly ActivityRecord[];
}): ReactElement {
  const { issue, label, direction, request } = props;
  const place = payloadPlace(issue, direction, request);
  if (place.kind === "found") {
    return (
      <>
        {!place.excerpt.found && <p className="text-soft">Missing from the marked value:</p>}
        <ExcerptView excerpt={place.excerpt} label={label} />
      </>
    );
  }
  if (place.kind === "cut") return <p className="text-soft">Only a part of it was kept.</p>;
  if (place.kind === "message") return <p className="text-soft">Messages are never kept whole.</p>;
  if (place.kind === "absent")
    return <p className="text-soft">The result had no structured content.</p>;
  return (
    <p className="text-soft">
      It was not kept. To see the place in the payload, set{" "}
      <code>"activity": {'{ "bodies": "all" }'}</code> in <code>touchstone.json</code>. Secrets are
      redacted before anything is written.
    </p>
  );
}
