import { type ReactElement, useEffect, useState } from "react";
import { hashOf, PAGES, type PageName } from "./route.ts";

const LABELS: Readonly<Record<PageName, string>> = {
  tools: "Tools",
  activity: "Activity",
  rollout: "Rollout",
  servers: "Servers",
  settings: "Settings",
};

/** Leads from page to page, and names the one that is open in the document's title. */
export function Navigation({ page }: { readonly page: PageName | undefined }): ReactElement {
  const [title] = useState(() => document.title);
  useEffect(() => {
    document.title = `${page === undefined ? "Page not found" : LABELS[page]} – ${title}`;
  }, [page, title]);
  return (
    <nav className="pages" aria-label="Pages">
      {PAGES.map((name) => (
        <a key={name} href={hashOf(name)} aria-current={name === page ? "page" : undefined}>
          {LABELS[name]}
        </a>
      ))}
    </nav>
  );
}
