import { isLoopbackHost, parseUrl } from "@touchstone/util";
import type { CustomFetch } from "openid-client";
import { boundedBody } from "../../access/bounded-body.ts";

/** Largest response of a provider to read, in bytes: a token with 200 groups has a few dozen KiB. */
const MAX_BYTES = 262_144;

/** A provider's response that the gateway refuses to read. Its text says why. */
export class ResponseRefusedError extends Error {}

/**
 * Refuses an address in a provider's metadata that is not https. On loopback, http is allowed if the issuer is there
 * as well: the metadata of any other issuer must not send requests or browsers to this machine.
 * @throws {ResponseRefusedError}
 */
export function checkAddress(issuer: string, name: string, url: unknown): void {
  const { protocol = "", href = "" } = (typeof url === "string" && parseUrl(url)) || {};
  const isOwn = href !== "" && isLoopbackUrl(href);
  const isHttp = protocol === "http:" && isOwn && isLoopbackUrl(issuer);
  if (isHttp || (protocol === "https:" && (!isOwn || isLoopbackUrl(issuer)))) return;
  throw new ResponseRefusedError(
    `its metadata has a ${name} that is missing, is not https, or is on loopback`,
  );
}

/**
 * Returns a `fetch` for one provider that follows no redirect, reads at most 256 KiB, and sends nothing to an address that
 * {@link checkAddress} refuses.
 */
export function boundedFetch(issuer: string): CustomFetch {
  return async (url, options) => {
    checkAddress(issuer, "URL", url);
    const response = await fetch(url, { ...(options as RequestInit), redirect: "manual" });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new ResponseRefusedError(
        `it responded with a redirect (HTTP ${response.status}), which is not followed`,
      );
    }
    const body = await boundedBody(response, MAX_BYTES);
    if (body === undefined)
      throw new ResponseRefusedError(`its response is larger than ${MAX_BYTES} bytes`);
    const { status, headers } = response;
    const kept = new Headers();
    for (const name of ["content-type", "www-authenticate"]) {
      const value = headers.get(name);
      if (value !== null) kept.set(name, value);
    }
    return new Response(body.length === 0 ? null : body, { status, headers: kept });
  };
}

/** Returns whether only this machine can reach a URL's host. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}
