/** Claims of an access token, as a provider documents them, without times. */
export interface ProviderToken {
  /** The page that documents them. */
  readonly source: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The expected name of the caller. */
  readonly caller: string;
}

const SERVER = "https://gateway.example.com/mcp/crm";

/** By the heading in the guide to OAuth. Domains, audiences and ids are the same as in the guide. */
export const PROVIDER_TOKENS: Readonly<Record<string, ProviderToken>> = {
  Keycloak: {
    source: "https://www.keycloak.org/securing-apps/mcp-authz-server",
    header: { alg: "RS256", typ: "JWT" },
    claims: {
      jti: "onrtac:5ba2e1f4-6d1f-4a52-9d5c-0c3a7f0f5a11",
      iss: "https://keycloak.example.com/realms/agents",
      // "account" is the audience that Keycloak adds for its own roles.
      aud: [SERVER, "account"],
      sub: "f3b1c6de-5d0a-4b7e-9a1c-8a0f6e1d2c3b",
      typ: "Bearer",
      azp: "mcp-client",
      sid: "c0a8fa62-60ad-4b8d-8d7f-2f0a8f2a1f1e",
      acr: "1",
      "allowed-origins": ["http://127.0.0.1"],
      realm_access: { roles: ["default-roles-agents", "offline_access"] },
      resource_access: { account: { roles: ["manage-account", "view-profile"] } },
      scope: "mcp-crm profile email",
      email_verified: true,
      name: "Ada Lovelace",
      preferred_username: "ada",
      email: "ada@example.com",
    },
    caller: "ada",
  },
  "Microsoft Entra ID": {
    source: "https://learn.microsoft.com/entra/identity-platform/access-tokens",
    header: { typ: "JWT", alg: "RS256" },
    claims: {
      aud: "6e74172b-be56-4843-9ff4-e66a39bb12e3",
      iss: "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
      aio: "AXQAi/8IAAAAtAaZLo3ChMif6KOnttRB7eBq4/DccQzjcJGxPYy/C3jDaNGxXd6wNIIVGRghNRnwJ1lOcAnN",
      azp: "6e74172b-be56-4843-9ff4-e66a39bb12e3",
      azpacr: "0",
      name: "Abe Lincoln",
      oid: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
      preferred_username: "abeli@microsoft.com",
      rh: "I",
      scp: "access_as_user",
      sub: "HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ",
      tid: "72f988bf-86f1-41af-91ab-2d7cd011db47",
      uti: "fqiBqXLPj0eQa82S-IYFAA",
      ver: "2.0",
    },
    caller: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
  },
  Auth0: {
    source: "https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles",
    header: { alg: "RS256", typ: "at+jwt" },
    claims: {
      iss: "https://my-domain.auth0.com/",
      sub: "auth0|123456",
      aud: [SERVER, "https://my-domain.auth0.com/userinfo"],
      client_id: "my_client_id",
      jti: "73WakrfVbNJBaAmhQtEeDv",
      scope: "openid profile read:patients read:admin",
    },
    caller: "auth0|123456",
  },
  Okta: {
    source:
      "https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/#access-token-payload",
    // Okta's tokens have no `typ` header.
    header: { alg: "RS256" },
    claims: {
      ver: 1,
      jti: "AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE",
      iss: "https://my-org.okta.com/oauth2/default",
      aud: "https://gateway.example.com",
      sub: "00ujmkLgagxeRrAg20g3",
      cid: "nmdP1fcyvdVO11AL7ECm",
      uid: "00ujmkLgagxeRrAg20g3",
      scp: ["openid", "email"],
    },
    caller: "00ujmkLgagxeRrAg20g3",
  },
};
