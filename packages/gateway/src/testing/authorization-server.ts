import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { type SeenRequest, startHttpUpstream } from "./http.ts";

/** The permission of a client to get a token, after `/authorize` or with a refresh token. */
interface Grant {
  readonly client: string;
  readonly resource: string;
  readonly redirect: string;
  readonly challenge: string;
}

/**
 * An OAuth 2.1 authorization server on loopback, for one user who agrees to everything: metadata (RFC 8414), dynamic
 * registration (RFC 7591), codes with PKCE (RFC 7636), refresh tokens that change with each use, and access tokens
 * for the `resource` that the client names (RFC 8707), signed ES256.
 */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** The requests of clients: method, path and, for token requests, the grant type. */
  readonly seen: string[];
  /** How long new access tokens are valid, in seconds. Tokens with a negative lifetime have expired. */
  lifetime: number;
  /** Signs an access token. */
  token(resource: string, lifetime?: number): Promise<string>;
  /** Refuses the refresh tokens issued so far. */
  revoke(): void;
  close(): Promise<void>;
}

export async function startAuthorizationServer(subject: string): Promise<AuthorizationServer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "ES256" }] };
  const redirects = new Map<string, readonly string[]>();
  const codes = new Map<string, Grant>();
  const refreshes = new Map<string, Grant>();

  async function respond(
    { method, path, body }: SeenRequest,
    response: ServerResponse,
  ): Promise<void> {
    const url = new URL(path, authorization.issuer);
    const form = new URLSearchParams(url.pathname === "/token" ? body : "");
    const grantType = form.get("grant_type");
    const parts = [method, url.pathname, grantType].filter((part) => part !== null);
    if (url.pathname !== "/jwks") authorization.seen.push(parts.join(" "));
    const json = (status: number, value: object): void =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(value));
    switch (`${method} ${url.pathname}`) {
      case "GET /.well-known/oauth-authorization-server":
        return json(200, {
          issuer: authorization.issuer,
          authorization_endpoint: `${authorization.issuer}/authorize`,
          token_endpoint: `${authorization.issuer}/token`,
          registration_endpoint: `${authorization.issuer}/register`,
          jwks_uri: authorization.jwksUrl,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          authorization_response_iss_parameter_supported: true,
        });
      case "GET /jwks":
        return json(200, jwks);
      case "POST /register": {
        const metadata = JSON.parse(body);
        const client = randomUUID();
        redirects.set(client, metadata.redirect_uris);
        return json(201, { ...metadata, client_id: client });
      }
      case "GET /authorize": {
        const asked = (name: string): string => url.searchParams.get(name) ?? "";
        const grant: Grant = {
          client: asked("client_id"),
          resource: asked("resource"),
          redirect: asked("redirect_uri"),
          challenge: asked("code_challenge"),
        };
        const isSound =
          redirects.get(grant.client)?.includes(grant.redirect) === true &&
          asked("response_type") === "code" &&
          asked("code_challenge_method") === "S256" &&
          grant.resource !== "";
        if (!isSound) return json(400, { error: "invalid_request" });
        const code = randomUUID();
        codes.set(code, grant);
        const callback = new URL(grant.redirect);
        const parameters = { code, state: asked("state"), iss: authorization.issuer };
        for (const [name, value] of Object.entries(parameters)) {
          callback.searchParams.set(name, value);
        }
        return void response.writeHead(302, { location: callback.href }).end();
      }
      case "POST /token": {
        const grant = granted(form);
        if (grant === undefined) return json(400, { error: "invalid_grant" });
        const refresh = randomUUID();
        refreshes.set(refresh, grant);
        return json(200, {
          access_token: await authorization.token(grant.resource),
          token_type: "Bearer",
          expires_in: authorization.lifetime,
          refresh_token: refresh,
        });
      }
      default:
        return json(404, { error: "not_found" });
    }
  }

  /** Returns the grant of a token request, and revokes it: codes and refresh tokens are valid once. */
  function granted(form: URLSearchParams): Grant | undefined {
    const isCode = form.get("grant_type") === "authorization_code";
    const [kept, key] = isCode ? [codes, "code"] : [refreshes, "refresh_token"];
    const secret = form.get(key) ?? "";
    const grant = kept.get(secret);
    kept.delete(secret);
    const isSame =
      grant !== undefined &&
      grant.client === form.get("client_id") &&
      grant.resource === form.get("resource");
    if (!isSame || !isCode) return isSame ? grant : undefined;
    const verifier = form.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const isProven = challenge === grant.challenge && form.get("redirect_uri") === grant.redirect;
    return isProven ? grant : undefined;
  }

  const server = await startHttpUpstream(respond);
  const issuer = new URL(server.url).origin;
  const authorization: AuthorizationServer = {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    seen: [],
    lifetime: 600,
    token: (resource, lifetime = authorization.lifetime) =>
      new SignJWT({ jti: randomUUID() })
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .setIssuer(issuer)
        .setSubject(subject)
        .setAudience(resource)
        .setExpirationTime(Math.floor(Date.now() / 1000) + lifetime)
        .sign(privateKey),
    revoke: () => refreshes.clear(),
    close: server.close,
  };
  return authorization;
}
