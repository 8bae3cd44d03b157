import { xmlText } from "@touchstone/core";

/** The headers of {@link serversPage}: it has neither scripts nor anything of others. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** A page that leads to the console of each server. Its links hold behind a proxy's own path. */
export function serversPage(servers: Iterable<string>): string {
  const items = [...servers].map((name) => {
    const href = `./servers/${encodeURIComponent(name)}/`;
    return `<li><a href="${xmlText(href)}">${xmlText(name)}</a></li>`;
  });
  const list =
    items.length === 0 ? "<p>No server is configured.</p>" : `<ul>${items.join("")}</ul>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Touchstone</title><link rel="icon" href="data:,"></head>
<body><h1>Servers</h1>${list}</body>
</html>
`;
}
