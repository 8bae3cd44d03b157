// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownSecrets } from "../../../util/src/known-secrets.ts";
import { configurationHash } from "../fleet/configuration-hash.ts";
import { configAsFile } from "./config-to-file.ts";
import { parseConfig } from "./load.ts";
import { settingChanges } from "./setting-changes.ts";
import { type Row, refuses } from "./testing/refusals.ts";

const SECRET = "a-secret-of-the-provider";
const PROVIDER = {
  issuer: "https://id.example.com",
  client_id: "touchstone",
  client_secret: SECRET,
  roles: { "platform-team": "admin", developers: "viewer" },
};

/** A file with one provider; `undefined` omits a key. */
function file(change: object = {}, more: object = {}): string {
  return JSON.stringify({
    ...more,
    auth: { api_key: "k".repeat(16), oidc: { ...PROVIDER, ...change } },
  });
}

/** Where a member of the file is, for {@link refuses}. */
function placeOf(text: string, member: string): string {
  return `1:${text.indexOf(member) + 1}`;
}

const row = (
  change: object,
  [code, path, words]: readonly [Row[2], string, RegExp],
  more: object = {},
): Row => {
  const text = file(change, more);
  const key = path.slice(path.lastIndexOf("/") + 1);
  const value = path === "/auth/oidc" ? '{"issuer"' : `"${key}":`;
  const at = text.indexOf(value) + (path === "/auth/oidc" ? 0 : value.length);
  return [text, `1:${at + 1}`, code, path, words];
};

const BEYOND = { listen: { address: "0.0.0.0:7411" } };
const URI = "https://gateway.example.com/api/v1/sign-in/oidc/oidc/callback";

refuses("identity providers", [
  [
    '{"auth":{"oidc":{"issuer":"https://id.example.com","client_id":"c","client_secret":"a-secret-of-the-provider"}}}',
    "1:17",
    "MISSING_KEY",
    "/auth/oidc",
    /"roles" is missing/,
  ],
  row({ roles: {} }, ["INVALID_VALUE", "/auth/oidc/roles", /at least one group/]),
  row({ roles: { "": "admin" } }, ["INVALID_VALUE", "/auth/oidc/roles", /1 to 256 characters/]),
  [
    file({ roles: { ops: "caller" } }),
    placeOf(file({ roles: { ops: "caller" } }), '"caller"'),
    "INVALID_VALUE",
    "/auth/oidc/roles/ops",
    /must be one of "viewer", "admin"; got "caller"/,
  ],
  row({ issuer: "http://id.example.com" }, [
    "INVALID_VALUE",
    "/auth/oidc/issuer",
    /https URL, or http on loopback/,
  ]),
  row({ issuer: "id.example.com" }, ["INVALID_VALUE", "/auth/oidc/issuer", /absolute URL/]),
  row({ issuer: "https://a:b@id.example.com" }, [
    "INVALID_VALUE",
    "/auth/oidc/issuer",
    /user or a password/,
  ]),
  row({ issuer: "https://id.example.com/?a" }, [
    "INVALID_VALUE",
    "/auth/oidc/issuer",
    /query or a fragment/,
  ]),
  row({ issuer: "https://id.example.com/.well-known/openid-configuration" }, [
    "INVALID_VALUE",
    "/auth/oidc/issuer",
    /without \/\.well-known\//,
  ]),
  ...["common", "organizations", "consumers"].map((tenant) =>
    row({ issuer: `https://login.microsoftonline.com/${tenant}/v2.0` }, [
      "INVALID_VALUE",
      "/auth/oidc/issuer",
      /accounts of every organization.*ID of your tenant/,
    ]),
  ),
  row({ name: "Okta" }, ["INVALID_VALUE", "/auth/oidc/name", /lower-case letters/]),
  row({ name: "../x" }, ["INVALID_VALUE", "/auth/oidc/name", /lower-case letters/]),
  row({ client_secret: "" }, ["INVALID_VALUE", "/auth/oidc/client_secret", /visible ASCII/]),
  row({ scopes: [] }, ["INVALID_VALUE", "/auth/oidc/scopes", /at least one scope/]),
  row({ scopes: "openid profile" }, [
    "INVALID_VALUE",
    "/auth/oidc/scopes",
    /one scope, without spaces/,
  ]),
  row({ redirect_uri: "https://gateway.example.com/callback" }, [
    "INVALID_VALUE",
    "/auth/oidc/redirect_uri",
    /must end in \/api\/v1\/sign-in\/oidc\/oidc\/callback/,
  ]),
  row({ name: "okta", redirect_uri: URI }, [
    "INVALID_VALUE",
    "/auth/oidc/redirect_uri",
    /must end in \/api\/v1\/sign-in\/oidc\/okta\/callback/,
  ]),
  row({ redirect_uri: URI.replace("https", "http") }, [
    "INVALID_VALUE",
    "/auth/oidc/redirect_uri",
    /https URL, or http on loopback/,
  ]),
  row(
    {},
    ["MISSING_KEY", "/auth/oidc", /"redirect_uri" is missing: .*oidc\/oidc\/callback/],
    BEYOND,
  ),
  row({}, ["MISSING_KEY", "/auth/oidc", /"redirect_uri" is missing/], {
    listen: { allowed_hosts: ["gateway.example.com"] },
  }),
  row(
    { redirect_uri: URI, client_secret: "short" },
    ["KEY_TOO_SHORT", "/auth/oidc/client_secret", /16 characters or more/],
    BEYOND,
  ),
  row({ clock_skew: 301 }, ["INVALID_VALUE", "/auth/oidc/clock_skew", /from 0 to 300/]),
  ...[
    [
      [PROVIDER, PROVIDER],
      "/auth/oidc/1",
      /"name" is missing, and another provider has the name "oidc"/,
    ],
    [
      [
        { name: "a", ...PROVIDER },
        { ...PROVIDER, name: "a" },
      ],
      "/auth/oidc/1/name",
      /another provider has the name "a"/,
    ],
  ].map(([oidc, path, words]): Row => {
    const text = JSON.stringify({ auth: { oidc } });
    const at = String(path).endsWith("name")
      ? text.lastIndexOf('"a"')
      : text.lastIndexOf('{"issuer"');
    return [text, `1:${at + 1}`, "CONFLICTING_KEYS", String(path), words as RegExp];
  }),
  [
    '{"auth":{"oidc":{"isuer":1}}}',
    "1:18",
    "UNKNOWN_KEY",
    "/auth/oidc/isuer",
    /did you mean "issuer"/,
  ],
  [
    '{"auth":{"oidc":"okta"}}',
    "1:17",
    "WRONG_TYPE",
    "/auth/oidc",
    /must be an object, or an array of objects; got a string/,
  ],
]);

const read = (text: string, env: Record<string, string> = {}) =>
  parseConfig(text, { file: "t.json", env }).auth.oidc;

describe("auth.oidc", () => {
  it("is one provider, with defaults", () => {
    expect(read(file())).toEqual([
      {
        name: "oidc",
        label: "oidc",
        issuer: "https://id.example.com",
        clientId: "touchstone",
        clientSecret: SECRET,
        scopes: ["openid", "profile", "email"],
        roleClaim: "groups",
        roles: PROVIDER.roles,
        clockSkew: 30,
      },
    ]);
  });

  it("is several providers, in their order", () => {
    const oidc = [
      {
        ...PROVIDER,
        name: "okta",
        label: "Okta",
        scopes: ["groups"],
        redirect_uri: URI.replace("oidc/oidc", "oidc/okta"),
      },
      { ...PROVIDER, name: "entra", role_claim: "roles", name_claim: "email" },
    ];
    const [okta, entra] = read(JSON.stringify({ auth: { oidc } })) ?? [];
    expect(okta).toMatchObject({ name: "okta", label: "Okta", scopes: ["openid", "groups"] });
    expect(entra).toMatchObject({ label: "entra", roleClaim: "roles", nameClaim: "email" });
  });

  it("takes the client secret from a variable or a file", () => {
    const dir = mkdtempSync(join(tmpdir(), "touchstone-oidc-"));
    try {
      writeFileSync(join(dir, "secret"), `${SECRET}-of-a-file\n`);
      const ofFile = file({ client_secret: `\${file:${join(dir, "secret")}}` });
      expect(read(ofFile)?.[0]?.clientSecret).toBe(`${SECRET}-of-a-file`);
    } finally {
      rmSync(dir, { recursive: true });
    }
    const ofVariable = file({ client_secret: "${OIDC_SECRET}" });
    expect(read(ofVariable, { OIDC_SECRET: SECRET })?.[0]?.clientSecret).toBe(SECRET);
  });

  it("hides its client secret from records and logs", () => {
    const secret = "another-secret-of-the-provider";
    expect(knownSecrets()).not.toContain(secret);
    read(file({ client_secret: secret }));
    expect(knownSecrets()).toContain(secret);
  });

  it("is the same configuration, written as a file and read again", () => {
    const redirect_uri = URI.replace("oidc/oidc", "oidc/entra");
    const oidc = [
      { ...PROVIDER, name: "okta", token_endpoint_auth_method: "client_secret_post" },
      { ...PROVIDER, name: "entra", label: "Entra $${x}", name_claim: "email", redirect_uri },
    ];
    const config = parseConfig(JSON.stringify({ auth: { oidc } }), { file: "t.json", env: {} });
    const again = JSON.stringify(configAsFile(config));
    expect(parseConfig(again, { file: "t.json", env: {} })).toEqual(config);
  });

  it("shows no client secret in recorded changes, and none can be guessed from the configuration's hash", () => {
    const [before, after] = [SECRET, `${SECRET}-2`].map((client_secret) =>
      parseConfig(file({ client_secret }), { file: "t.json", env: {} }),
    );
    if (before === undefined || after === undefined) throw new Error("two files");
    const changes = settingChanges(configAsFile(before), configAsFile(after));
    expect(changes).toEqual([{ setting: "auth.oidc", before: "(hidden)", after: "(hidden)" }]);
    expect(configurationHash(before)).toBe(configurationHash(after));
    const other = parseConfig(file({ roles: { ops: "admin" } }), { file: "t.json", env: {} });
    expect(configurationHash(other)).not.toBe(configurationHash(before));
  });
});
