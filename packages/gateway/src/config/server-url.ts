import { parseUrl } from "@touchstone/util";
/**
 * Returns why a text is not the URL of a server: it is not an absolute `http:` or `https:` URL, or it contains a user
 * name or password, which HTTP clients drop or show; undefined if it is one.
 */
export function serverUrlFault(text: string): "form" | "login" | undefined {
  const url = parseUrl(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return "form";
  return url.username === "" && url.password === "" ? undefined : "login";
}
