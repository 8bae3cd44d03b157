import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/** Returns the values of an attribute in HTML. */
const valuesOf = (html, attribute) =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, "g"))].map(([, value]) =>
    value.replaceAll("&amp;", "&"),
  );

/**
 * Follows every internal link and image of a built site. Returns the number of pages, and one line for each link to a
 * missing file or anchor.
 */
export function brokenLinks(folder, base) {
  const names = readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".html"));
  const pages = new Map(
    names.map((name) => {
      const html = readFileSync(posix.join(folder, name), "utf8");
      return [name, { html, ids: new Set(valuesOf(html, "id")) }];
    }),
  );
  const isBroken = (from, link) => {
    const url = new URL(link, `https://site.invalid${base}${from}`);
    if (url.host !== "site.invalid") return false;
    if (!url.pathname.startsWith(base)) return true;
    const path = decodeURIComponent(url.pathname.slice(base.length));
    const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
    const page = pages.get(file);
    if (page === undefined) return !existsSync(posix.join(folder, file));
    return url.hash !== "" && !page.ids.has(decodeURIComponent(url.hash.slice(1)));
  };
  const broken = [...pages].flatMap(([from, { html }]) =>
    [...new Set([...valuesOf(html, "href"), ...valuesOf(html, "src")])]
      .filter((link) => isBroken(from, link))
      .map((link) => `${from}: ${link}`),
  );
  return { pages: pages.size, broken };
}
