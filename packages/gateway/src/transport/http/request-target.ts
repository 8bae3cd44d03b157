import type { IncomingMessage } from "node:http";

/** `absolute-form` of the schemes that reach this listener (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Puts a request whose target is a whole URL, as proxies are asked, into the form that all others have.
 * Its authority takes the place of the `Host` header, which then counts for nothing (RFC 9112, section 3.2.2).
 */
export function inOriginForm(request: IncomingMessage): void {
  const { url = "/" } = request;
  if (url.startsWith("/")) return;
  const [, authority, rest = ""] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined) return;
  request.headers.host = authority;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
}

/** The path of a request, without its query. */
export function pathOf(request: IncomingMessage): string {
  const { url = "/" } = request;
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Percent-decoded; undefined where the encoding is broken. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a request only asks to be told something. */
export function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}
