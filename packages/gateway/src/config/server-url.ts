import { parseUrl } from "@touchstone/util";
/**
 * Returns undefined if a text is the URL of a server, else the reason why not: it is not an absolute `http:` or
 * `https:` URL, or it contains a user name or password, which HTTP clients drop or show.
 */
export function serverUrlFault(text: string): "form" | "login" | undefined {
  const url = parseUrl(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return "form";
  return url.username === "" && url.password === "" ? undefined : "login";
}
