import { shownUrl } from "../../config/shown-url.ts";

/** Characters that shells take literally. */
const PLAIN = /^[\w./:@%+,-]+$/;

/**
 * Returns why a login at a server does not work through a URL of the gateway, and what does. MCP forbids servers to
 * accept, and proxies to pass on, tokens that were issued for another resource (MCP 2025-11-25, Authorization, Access
 * Token Privilege Restriction).
 * @param entry a command that starts mcp-remote
 */
export function loginUnsupportedText(entry: string): string {
  return `it asks for an OAuth login (HTTP 401). A client cannot log in through a URL of Touchstone: its token would be for a different resource. Let mcp-remote log in: ${entry}. Or set a token in headers of the server's entry`;
}

/** Returns the command that starts mcp-remote for a server. */
function entryOf(name: string, url: string): string {
  const word = (text: string, instead: string): string => (PLAIN.test(text) ? text : instead);
  return `touchstone wrap --name ${word(name, "NAME")} -- npx -y mcp-remote ${word(shownUrl(url), "URL")}`;
}

/** A server behind a URL. */
interface Asked {
  readonly name: string;
  readonly url: string;
  /** Whether its entry sets an `Authorization`. */
  readonly hasCredentials: boolean;
}

/**
 * Returns what to do about a server that refuses a request for its credentials.
 * @param said what the server says about it, on one line; empty if nothing
 */
export function describeCredentials(
  { name, url, hasCredentials }: Asked,
  status: number,
  said: string,
): string {
  if (hasCredentials || status !== 401) {
    const words = said && `: ${said}`;
    return `the server ${name} refuses the gateway's own credentials (HTTP status ${status}${words}); the operator sets them in headers of its entry`;
  }
  return `the server ${name} cannot be used: ${loginUnsupportedText(entryOf(name, url))}`;
}
