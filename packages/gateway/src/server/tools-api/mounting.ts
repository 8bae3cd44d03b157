import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeHandler } from "@touchstone/http";
import { prefersText, sendPathList } from "../../transport/http/not-found.ts";
import { decoded, isRead } from "../../transport/http/routes.ts";
import { PAGE_HEADERS, serversPage } from "./servers-page.ts";

/** Cuts the path where a handler is mounted from the request's target, as frameworks do. */
export function mount(request: IncomingMessage, length: number): void {
  const target = request.url ?? "/";
  const rest = target.slice(length);
  Object.assign(request, {
    originalUrl: target,
    url: rest.startsWith("/") ? rest : `/${rest}`,
  });
}

/** Resolves when the answer has been sent, or the client is gone. */
export function run(
  handler: NodeHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    handler(request, response);
  });
}

/** The page with the names of the servers. */
export async function sendPage(
  { method }: IncomingMessage,
  response: ServerResponse,
  names: readonly string[],
): Promise<void> {
  response.writeHead(200, PAGE_HEADERS).end(method === "HEAD" ? undefined : serversPage(names));
}

/**
 * The answer to a path of a server that there is not.
 * @param base below which a server's tools are
 */
export async function sendUnknown(
  request: IncomingMessage,
  response: ServerResponse,
  segment: string,
  names: readonly string[],
  base: string,
): Promise<void> {
  const known = names.length === 0 ? "none" : names.join(", ");
  const unknown = `No server is named ${JSON.stringify(decoded(segment) ?? segment)}.`;
  if (isRead(request) && prefersText(request)) {
    const tools = names.map((name) => ["tools", `${base}${encodeURIComponent(name)}/`] as const);
    sendPathList(response, `${unknown} These paths are:`, [["console", "/"], ...tools]);
    return;
  }
  const error = `${unknown} Servers: ${known}`;
  response
    .writeHead(404, {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    })
    .end(JSON.stringify({ error }));
}
