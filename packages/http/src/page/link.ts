import { escapeHtml, show } from "./html.ts";

const SCHEMES: readonly string[] = ["http:", "https:", "mailto:"];

/**
 * Returns a URL that a page may link to: http, https, mailto, or a path with a single leading slash. What a
 * browser drops from a URL (tabs, line breaks) or reads as a slash counts as the browser reads it.
 */
export function isLinkable(url: string): boolean {
  const read = url.replace(/[\t\n\r]/g, "").replace(/^[\0-\x20]+|[\0-\x20]+$/g, "");
  if (/^\/(?![/\\])/.test(read)) return true;
  return URL.canParse(read) && SCHEMES.includes(new URL(read).protocol);
}

/** Returns the project at the foot of the page: a link where its URL may be one, else text. */
export function projectHtml(name: string | undefined, url: string | undefined): string {
  if (name === undefined) return "";
  if (url === undefined) return show(name);
  if (!isLinkable(url)) return `${show(name)} (${show(url)})`;
  return `<a href="${escapeHtml(url)}" rel="noopener noreferrer">${show(name)}</a>`;
}
