import { escapeHtml, readableHtml } from "./html.ts";

const SCHEMES: readonly string[] = ["http:", "https:", "mailto:"];

/**
 * Returns whether a page may link to a URL: http, https, mailto, or a path with a single leading slash. Characters
 * that a browser drops (tabs, line breaks) or reads as a slash count as the browser reads them.
 */
export function isLinkable(url: string): boolean {
  const read = url.replace(/[\t\n\r]/g, "").replace(/^[\0-\x20]+|[\0-\x20]+$/g, "");
  if (/^\/(?![/\\])/.test(read)) return true;
  try {
    return SCHEMES.includes(new URL(read).protocol);
  } catch {
    return false;
  }
}

/** Returns the project at the foot of the page: a link if its URL is allowed, else text. */
export function projectLinkHtml(name: string | undefined, url: string | undefined): string {
  if (name === undefined) return "";
  if (url === undefined) return readableHtml(name);
  if (!isLinkable(url)) return `${readableHtml(name)} (${readableHtml(url)})`;
  return `<a href="${escapeHtml(url)}" rel="noopener noreferrer">${readableHtml(name)}</a>`;
}
