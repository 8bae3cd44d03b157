import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OidcSettings } from "../../../config/config.ts";
import {
  claimAt,
  groupsIn,
  hasTooManyGroups,
  isComplete,
  MAX_GROUPS,
  nameIn,
  subjectIn,
} from "./claims.ts";
import { noRole, roleOf } from "./roles.ts";
import { DOCUMENTED } from "./testing/documented-claims.ts";

const SETTINGS: OidcSettings = {
  name: "id",
  label: "ID",
  issuer: "https://id.example.com",
  clientId: "touchstone",
  clientSecret: "a-secret-of-the-provider",
  scopes: ["openid"],
  roleClaim: "groups",
  roles: { IT: "admin" },
  clockSkew: 30,
};

const settings = (change: Partial<OidcSettings>): OidcSettings => ({ ...SETTINGS, ...change });

describe("claims as providers document them", () => {
  const { keycloak, entra, entraOverage, entraHasGroups, auth0, okta } = DOCUMENTED;
  it.each<
    [string, Readonly<Record<string, unknown>>, Partial<OidcSettings>, string, string | undefined]
  >([
    [
      "Keycloak: realm roles",
      keycloak,
      { roleClaim: "realm_access.roles", roles: { "mcp-admin": "admin" } },
      "alice",
      "admin",
    ],
    [
      "Keycloak: roles of a client whose ID is a URL",
      keycloak,
      {
        roleClaim: "resource_access.https://touchstone.example.com.roles",
        roles: { operator: "viewer" },
      },
      "alice",
      "viewer",
    ],
    [
      "Keycloak: groups by their paths",
      keycloak,
      { roles: { "/platform/on-call": "admin", "/platform": "viewer" } },
      "alice",
      "admin",
    ],
    [
      "Keycloak: a group of the same name elsewhere does not count",
      keycloak,
      { roles: { "on-call": "admin" } },
      "alice",
      undefined,
    ],
    [
      "Entra: groups",
      entra,
      { roles: { "3b2b0c93-acd8-4208-8eba-7a48db1cd4c0": "viewer" } },
      "alice@contoso.example",
      "viewer",
    ],
    [
      "Entra: app roles",
      entra,
      { roleClaim: "roles", roles: { "Touchstone.Admin": "admin" } },
      "alice@contoso.example",
      "admin",
    ],
    ["Entra: too many groups", entraOverage, {}, "alice@contoso.example", undefined],
    [
      "Entra: too many groups, implicit flow",
      entraHasGroups,
      {},
      "alice@contoso.example",
      undefined,
    ],
    [
      "Auth0: a claim with a namespace",
      auth0,
      { roleClaim: "https://touchstone.example.com/roles", roles: { "Touchstone Admin": "admin" } },
      "alice@example.com",
      "admin",
    ],
    [
      "Auth0: another name",
      auth0,
      { nameClaim: "nickname", roleClaim: "https://touchstone.example.com/roles" },
      "alice",
      undefined,
    ],
    ["Okta: groups", okta, {}, "alice@example.com", "admin"],
  ])("%s", (_what, claims, change, name, role) => {
    const own = settings(change);
    expect(nameIn(claims, own)).toBe(name);
    expect(roleOf(groupsIn(claims, own) ?? [], own)).toBe(role);
  });

  it.each([
    ["_claim_names", entraOverage, "groups", true],
    ["hasgroups", entraHasGroups, "groups", true],
    ["another claim than the one that is left out", entraOverage, "roles", false],
    ["groups that are there", entra, "groups", false],
    ["no groups", keycloak, "roles", false],
  ])("knows from %s whether groups were left out", (_what, claims, roleClaim, expected) => {
    expect(hasTooManyGroups(claims, roleClaim)).toBe(expected);
  });
});

describe("claimAt", () => {
  it.each<[unknown, string, unknown]>([
    [{ a: { b: 1 } }, "a.b", 1],
    [{ "a.b": 1, a: { b: 2 } }, "a.b", 1],
    [{ "a.b": { c: 1 }, a: { b: { c: 2 } } }, "a.b.c", 1],
    [{ a: {} }, "a.b", undefined],
    [{ a: null }, "a.b", undefined],
    [{ a: [1] }, "a.0", undefined],
    [{}, "constructor", undefined],
    [{ a: {} }, "a.constructor.name", undefined],
    [[], "length", undefined],
    [null, "a", undefined],
    [{ "": 1, ".": 2, "..": 3 }, "..", 3],
    [{ a: 1 }, ".a", undefined],
  ])("of %j at %j is %j", (claims, name, value) => {
    expect(claimAt(claims, name)).toEqual(value);
  });

  it("finds every claim by its own name", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (claims) => {
        for (const [name, value] of Object.entries(claims))
          expect(claimAt(claims, name)).toEqual(value);
      }),
    );
  });
});

describe("groups", () => {
  const of = (value: unknown, roles: OidcSettings["roles"] = { ops: "admin" }) =>
    groupsIn({ groups: value }, settings({ roles }));

  it.each<[unknown, readonly string[] | undefined]>([
    [
      ["ops", "dev"],
      ["ops", "dev"],
    ],
    ["ops", ["ops"]],
    [[], []],
    [["dev", 1, null, ["ops"], { ops: 1 }, "", "x".repeat(257)], ["dev"]],
    [["dev", "dev"], ["dev"]],
    ["ops dev", ["ops dev"]],
    [undefined, undefined],
    [null, undefined],
    [{ ops: true }, undefined],
    [7, undefined],
  ])("of %j are %j", (value, groups) => {
    expect(of(value)).toEqual(groups);
  });

  it("are bounded, and those with a role stay", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `group-${index}`);
    const groups = of([...many, "ops"]);
    expect(groups).toHaveLength(MAX_GROUPS);
    expect(groups?.[0]).toBe("ops");
  });

  it("give the highest role, and none by a name of every object", () => {
    const roles = { dev: "viewer", ops: "admin" } as const;
    expect(roleOf(["dev", "ops"], { roles })).toBe("admin");
    expect(roleOf(["ops", "dev"], { roles })).toBe("admin");
    expect(roleOf(["dev"], { roles })).toBe("viewer");
    expect(
      roleOf(["toString", "constructor", "__proto__", "OPS", "ops "], { roles }),
    ).toBeUndefined();
  });

  it("without a role are refused with the groups that count, not with those of the person", () => {
    const own = settings({ roles: { ops: "admin", dev: "viewer" } });
    const { message, code } = noRole(["the-secret-project"], own);
    expect(code).toBe("OIDC_NO_ROLE");
    expect(message).toMatch(
      /claim groups has a role here\. Groups with a role: ops \(admin\), dev \(viewer\)\./,
    );
    expect(message).not.toContain("the-secret-project");
    expect(noRole(undefined, own).message).toMatch(/sent no claim groups.*role_claim/);
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`g${at}`.repeat(50), "admin"] as const),
    );
    const long = noRole([], settings({ roles: many })).message;
    expect(long).toMatch(/and 992 more/);
    expect(long.length).toBeLessThan(1_500);
  });
});

describe("names and IDs", () => {
  it.each<[Readonly<Record<string, unknown>>, string | undefined, string | undefined]>([
    [{ sub: "1", preferred_username: "alice", email: "a@example.com" }, undefined, "alice"],
    [{ sub: "1", preferred_username: "", email: "a@example.com" }, undefined, "a@example.com"],
    [{ sub: "1", preferred_username: ["alice"], name: "Alice" }, undefined, "Alice"],
    [{ sub: "1" }, undefined, "1"],
    [{ sub: "1", name: "Alice" }, "email", undefined],
    [{ sub: "1", name: "a\u001b[31mb" }, "name", undefined],
    [{ sub: "1", name: "x".repeat(129) }, "name", undefined],
    [{ sub: "1", user: { id: "alice" } }, "user.id", "alice"],
    [{ sub: "1", name: "Zoë O’Neil-李 (ops)" }, "name", "Zoë O’Neil-李 (ops)"],
    ...[" ", "alice ", " alice", "a  b", "a\u00a0b", "a\u2028b", "\u200b", "al\u200dice"].map(
      (name): [Readonly<Record<string, unknown>>, string, undefined] => [
        { sub: "1", name },
        "name",
        undefined,
      ],
    ),
    ...["\u202ealice", "\u3164", "alice\u2800", "a\ufe0f", "a\u{e0061}"].map(
      (name): [Readonly<Record<string, unknown>>, undefined, string] => [
        { sub: "1", name },
        undefined,
        "1",
      ],
    ),
  ])("of %j by %j is %j", (claims, nameClaim, name) => {
    const own = nameClaim === undefined ? {} : { nameClaim };
    if (name === undefined) expect(() => nameIn(claims, own)).toThrow(/name_claim/);
    else expect(nameIn(claims, own)).toBe(name);
  });

  it.each([undefined, "", 7, "x".repeat(256), "a\nb"])("refuses the sub %j", (sub) => {
    expect(() => subjectIn({ sub })).toThrow(/claim sub/);
  });

  it.each<[Readonly<Record<string, unknown>>, Partial<OidcSettings>, boolean]>([
    [{ groups: [], email: "a" }, {}, true],
    [{ groups: [] }, {}, false],
    [{ email: "a" }, {}, false],
    [{ groups: [], name: "a" }, { nameClaim: "nickname" }, false],
    [{ groups: [], nickname: "a" }, { nameClaim: "nickname" }, true],
  ])("%j with %j is complete: %j", (claims, change, expected) => {
    expect(isComplete(claims, settings(change))).toBe(expected);
  });
});
