import type { IncomingMessage } from "node:http";
import { identityOf } from "../../../relay/http/identity.ts";
import { thrownErrorResponse } from "../../responses.ts";
import type { Oidc, OidcRequest } from "./oidc.ts";

/** The path prefix of the pages of each provider: `NAME`, `NAME/callback` and `NAME/sign-out`. */
export const OIDC_PATH = "/api/v1/sign-in/oidc";
const PAGE = /^\/([a-z0-9-]{1,32})(?:\/(callback|sign-out))?$/;

/**
 * Answers a browser that navigates to a page of a provider.
 * @param path of the request's target, without the query
 * @returns undefined if there is no such page
 */
export function oidcPage(
  oidc: Oidc,
  request: IncomingMessage,
  path: string,
): Promise<Response> | undefined {
  const [, provider = "", page] = PAGE.exec(path.slice(OIDC_PATH.length)) ?? [];
  if (request.method !== "GET" || provider === "") return undefined;
  const { headers, socket, url = "" } = request;
  const sender = { headers, identity: identityOf(request), address: socket.remoteAddress };
  const asked = { provider, search: url.slice(path.length), sender };
  return answer(oidc, page, asked).catch((error: unknown) => thrownErrorResponse(error, oidc.log));
}

async function answer(oidc: Oidc, page: string | undefined, asked: OidcRequest): Promise<Response> {
  if (page === "callback") return oidc.finish(asked);
  return page === "sign-out" ? oidc.signOut(asked) : oidc.begin(asked);
}
