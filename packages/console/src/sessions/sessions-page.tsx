import type { ReactElement } from "react";
import type { PageProps } from "../page/page-props.ts";
import { TIMELINE } from "./session.ts";
import { SessionList } from "./session-list.tsx";
import { TimelineView } from "./timeline-view.tsx";

/** Shows sessions, and an open one as a timeline. */
export default function SessionsPage({ api, open, query }: PageProps): ReactElement {
  if (open === undefined) return <SessionList api={api} query={query} />;
  const of = open === TIMELINE ? query : new URLSearchParams({ session: open }).toString();
  return <TimelineView key={`${open} ${of}`} api={api} query={of} />;
}
