/**
 * Claims of ID tokens as providers document them. IDs and names are made up; the claims and their types are those of
 * the page that is named.
 */
export const DOCUMENTED = {
  /**
   * Realm and client roles with "Add to ID token", and a group membership mapper with full paths:
   * https://www.keycloak.org/docs/latest/server_admin/index.html#_protocol-mappers and
   * https://www.keycloak.org/docs/latest/server_admin/index.html#_client_scopes_protocol
   */
  keycloak: {
    exp: 1_790_000_600,
    iat: 1_790_000_000,
    jti: "8c5d1d0b-6f6c-4d5e-9d0a-3f9b4a8c7e21",
    iss: "https://keycloak.example.com/realms/team",
    aud: "touchstone",
    sub: "f3a1c1de-5f0a-4a3e-8f52-1f0b6d2f9a77",
    typ: "ID",
    azp: "touchstone",
    sid: "5d7b0a5e-2a59-4c5a-9a53-0a4c2b9f3e10",
    realm_access: { roles: ["default-roles-team", "offline_access", "mcp-admin"] },
    resource_access: {
      account: { roles: ["manage-account", "view-profile"] },
      "https://touchstone.example.com": { roles: ["operator"] },
    },
    email_verified: true,
    name: "Alice Liddell",
    groups: ["/platform", "/platform/on-call"],
    preferred_username: "alice",
    given_name: "Alice",
    family_name: "Liddell",
    email: "alice@example.com",
  },
  /**
   * Groups by their object IDs, and app roles:
   * https://learn.microsoft.com/en-us/security/zero-trust/develop/configure-tokens-group-claims-app-roles
   */
  entra: {
    aud: "e18c04b1-4868-4b93-93d1-8d71f17ab99b",
    iss: "https://login.microsoftonline.com/833ced3d-cb2e-41de-92f1-29e2af035ddc/v2.0",
    iat: 1_790_000_000,
    nbf: 1_790_000_000,
    exp: 1_790_003_900,
    groups: ["0760b6cf-170e-4a14-91b3-4b78e0739963", "3b2b0c93-acd8-4208-8eba-7a48db1cd4c0"],
    roles: ["Touchstone.Admin"],
    name: "Alice Liddell",
    oid: "cb7eda1b-d09a-40ae-b8bb-37836ebc6abd",
    preferred_username: "alice@contoso.example",
    sub: "3OBtLXUC2ZrN_ADLNjW9X4o0lcd61py7lgHw3Skh77s",
    tid: "833ced3d-cb2e-41de-92f1-29e2af035ddc",
    ver: "2.0",
  },
  /**
   * Over 200 groups: the claim is replaced by a pointer to Microsoft Graph.
   * https://learn.microsoft.com/en-us/entra/identity-platform/access-token-claims-reference#groups-overage-claim
   */
  entraOverage: {
    iss: "https://login.microsoftonline.com/833ced3d-cb2e-41de-92f1-29e2af035ddc/v2.0",
    sub: "3OBtLXUC2ZrN_ADLNjW9X4o0lcd61py7lgHw3Skh77s",
    preferred_username: "alice@contoso.example",
    _claim_names: { groups: "src1" },
    _claim_sources: {
      src1: { endpoint: "https://graph.windows.net/833ced3d/users/cb7eda1b/getMemberObjects" },
    },
  },
  /** The same with the implicit flow, on the same page: `hasgroups` instead of the pointer. */
  entraHasGroups: {
    iss: "https://login.microsoftonline.com/833ced3d-cb2e-41de-92f1-29e2af035ddc/v2.0",
    sub: "3OBtLXUC2ZrN_ADLNjW9X4o0lcd61py7lgHw3Skh77s",
    preferred_username: "alice@contoso.example",
    hasgroups: true,
  },
  /**
   * Roles in a claim with a namespace, which an Action adds:
   * https://auth0.com/docs/secure/tokens/json-web-tokens/create-custom-claims and
   * https://auth0.com/docs/manage-users/access-control/sample-use-cases-actions-with-authorization
   */
  auth0: {
    "https://touchstone.example.com/roles": ["Touchstone Admin"],
    nickname: "alice",
    name: "alice@example.com",
    picture: "https://s.gravatar.com/avatar/0?d=https%3A%2F%2Fcdn.auth0.com%2Favatars%2Fal.png",
    updated_at: "2026-09-01T10:00:00.000Z",
    email: "alice@example.com",
    email_verified: true,
    iss: "https://team.eu.auth0.com/",
    aud: "wvXw0d2bUyHf0WlBqk1iG4Xn8xq3k9aa",
    sub: "auth0|64f0c2c5a1b2c3d4e5f60718",
    iat: 1_790_000_000,
    exp: 1_790_036_000,
    sid: "Xk1f0y2bUyHf0WlBqk1iG4Xn8xq3k9aa",
  },
  /**
   * A groups claim of the org authorization server:
   * https://developer.okta.com/docs/guides/customize-tokens-groups-claim/main/
   */
  okta: {
    sub: "00uixa271s6x7qt8I0h7",
    ver: 1,
    iss: "https://team.okta.com",
    aud: "0oaoiuhhch8VRtBnC0h7",
    iat: 1_790_000_000,
    exp: 1_790_003_600,
    jti: "ID.ewMNfSvcpuqyS93OgVeCN3F2LseqROkyYjz7DNb9yhs",
    amr: ["pwd"],
    idp: "00oixa26ycdNcX0VT0h7",
    auth_time: 1_790_000_000,
    name: "Alice Liddell",
    preferred_username: "alice@example.com",
    groups: ["Everyone", "IT"],
  },
} as const;
