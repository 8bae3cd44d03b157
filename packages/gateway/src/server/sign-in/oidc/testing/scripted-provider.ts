import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { type SeenRequest, startHttpUpstream } from "../../../../testing/http.ts";
import { CLIENT } from "./identity-provider.ts";

/**
 * Deviations from the normal behavior of a provider: what a hostile provider, or an attacker between it and the
 * browser, would do.
 */
export interface Script {
  /** Members of the metadata. */
  metadata?: Readonly<Record<string, unknown>>;
  /** Claims of the ID token; `undefined` removes one. */
  claims?: Readonly<Record<string, unknown>>;
  /** Makes the ID token from its claims in another way. */
  sign?: (claims: Record<string, unknown>) => Promise<string> | string;
  userinfo?: Readonly<Record<string, unknown>>;
  /** Parameters of the browser's redirect back to the gateway; `undefined` removes one. */
  response?: Readonly<Record<string, string | undefined>>;
  /** Handles a request instead of the provider; returns whether it did. */
  answer?: (path: string, response: ServerResponse) => boolean;
}

/** An OpenID provider on loopback that signs everybody in without asking; a {@link Script} changes its behavior. */
export interface ScriptedProvider {
  readonly issuer: string;
  script: Script;
  /** Paths of requests, oldest first. */
  readonly seen: string[];
  readonly sign: (claims: Record<string, unknown>) => Promise<string>;
  close(): Promise<void>;
}

interface Grant {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirect: string;
}

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwks = {
    keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" }],
  };
  const codes = new Map<string, Grant>();

  const respond = async ({ path, body }: SeenRequest, response: ServerResponse): Promise<void> => {
    const { issuer, script } = provider;
    const url = new URL(path, issuer);
    provider.seen.push(url.pathname);
    if (script.answer?.(url.pathname, response) === true) return;
    const json = (status: number, value: object): void =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(value));
    const asked = (name: string): string => url.searchParams.get(name) ?? "";
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          userinfo_endpoint: `${issuer}/userinfo`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
          ...script.metadata,
        });
      case "/jwks":
        return json(200, jwks);
      case "/authorize": {
        const code = randomUUID();
        const redirect = asked("redirect_uri");
        codes.set(code, { challenge: asked("code_challenge"), nonce: asked("nonce"), redirect });
        const parameters = { code, state: asked("state"), iss: issuer, ...script.response };
        const back = new URL(redirect);
        for (const [name, value] of Object.entries(parameters)) {
          if (value !== undefined) back.searchParams.set(name, value);
        }
        return void response.writeHead(302, { location: back.href }).end();
      }
      case "/token": {
        const form = new URLSearchParams(body);
        const code = form.get("code") ?? "";
        const grant = codes.get(code);
        codes.delete(code);
        const challenge = createHash("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        if (grant?.challenge !== challenge || grant.redirect !== form.get("redirect_uri")) {
          return json(400, { error: "invalid_grant" });
        }
        const now = Math.floor(Date.now() / 1000);
        const claims: Record<string, unknown> = {
          iss: issuer,
          sub: "id-of-alice",
          aud: CLIENT.client_id,
          iat: now,
          exp: now + 600,
          nonce: grant.nonce,
          preferred_username: "alice",
          groups: ["platform-team"],
          ...script.claims,
        };
        for (const [name, value] of Object.entries(claims))
          if (value === undefined) delete claims[name];
        const id_token = await (script.sign ?? provider.sign)(claims);
        return json(200, {
          access_token: "opaque",
          token_type: "Bearer",
          expires_in: 600,
          id_token,
        });
      }
      case "/userinfo":
        return json(200, { sub: "id-of-alice", ...script.userinfo });
      default:
        return json(404, {});
    }
  };

  const server = await startHttpUpstream(respond);
  const provider: ScriptedProvider = {
    issuer: new URL(server.url).origin,
    script: {},
    seen: [],
    sign: (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "RS256", kid: "one", typ: "JWT" })
        .sign(privateKey),
    close: server.close,
  };
  return provider;
}
