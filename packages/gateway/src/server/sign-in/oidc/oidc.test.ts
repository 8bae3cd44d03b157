import { createSecretKey, generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import { SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { long } from "../../../../../core/src/testing/sample.ts";
import { createLogger } from "../../../../../util/src/log.ts";
import { freePort } from "../../../../../util/src/testing/free-port.ts";
import type { OidcSettings } from "../../../config/config.ts";
import { Provider } from "./provider.ts";
import { Browser } from "./testing/browser.ts";
import {
  CLIENT,
  type IdentityProvider,
  logIn,
  startIdentityProvider,
} from "./testing/identity-provider.ts";
import {
  type Script,
  type ScriptedProvider,
  startScriptedProvider,
} from "./testing/scripted-provider.ts";
import { begin, callbackOf, type Site, startSite } from "./testing/site.ts";

const PEOPLE = {
  alice: { preferred_username: "alice", groups: ["platform-team", "developers"] },
  bob: { preferred_username: "bob", groups: ["developers"] },
  mallory: { preferred_username: "mallory", groups: ["the-secret-project"] },
};
const CLIENT_SETTINGS: Omit<OidcSettings, "issuer"> = {
  ...{ name: "id", label: "ID", clientId: "touchstone", clientSecret: CLIENT.client_secret },
  ...{ scopes: ["openid"], roleClaim: "groups", roles: { ops: "admin" }, clockSkew: 30 },
};
const ROLES = { "platform-team": "admin", developers: "viewer" } as const;

let provider: IdentityProvider;
let scripted: ScriptedProvider;
let other: ScriptedProvider;
let site: Site;
/** Another gateway of the fleet: it has the same file but another address. */
let replica: Site;

/** A gateway whose file changes. */
let own: Site;

const fileFor = (
  port: number,
  roles: Readonly<Record<string, string>> = ROLES,
  issuer: string = scripted.issuer,
) => {
  const at = (name: string, issuer: string) => ({
    ...CLIENT,
    name,
    issuer,
    redirect_uri: `http://127.0.0.1:${port}/api/v1/sign-in/oidc/${name}/callback`,
    roles,
  });
  const real = {
    ...at("real", provider.issuer),
    label: "The provider",
    scopes: ["profile", "groups"],
  };
  return { auth: { oidc: [real, at("scripted", issuer), at("other", other.issuer)] } };
};

beforeAll(async () => {
  provider = await startIdentityProvider({ people: PEOPLE });
  scripted = await startScriptedProvider();
  other = await startScriptedProvider();
  const port = await freePort();
  site = await startSite(fileFor(port), port);
  replica = await startSite(fileFor(port), await freePort());
  const ownPort = await freePort();
  own = await startSite(fileFor(ownPort), ownPort);
  await provider.register({
    callbacks: [callbackOf(site, "real")],
    signedOut: [`${site.origin}/`],
  });
});
afterAll(async () => {
  await site?.close();
  await replica?.close();
  await own?.close();
  await Promise.all([provider?.close(), scripted?.close(), other?.close()]);
});
beforeEach(() => {
  scripted.script = {};
  other.script = {};
});

/** Runs a sign-in at a scripted provider, until the page opens. */
const signIn = (browser: Browser, name = "scripted", view = "#/"): Promise<Response> =>
  browser.follow(begin(site, name, view), `${site.origin}/#`);

/** Runs a sign-in until the provider sends the browser back; returns the URL of the redirect. */
async function comeBack(browser: Browser, name = "scripted"): Promise<string> {
  const response = await browser.follow(
    begin(site, name),
    `${site.origin}/api/v1/sign-in/oidc/${name}/callback`,
  );
  return response.headers.get("location") ?? "";
}

const pageOf = (response: Response): string => response.headers.get("location") ?? "";

/** Expects that a browser is not signed in, and that it is shown the reason. */
async function expectRefused(
  browser: Browser,
  response: Response,
  code: string,
  words: RegExp,
  name = "scripted",
) {
  expect(pageOf(response)).toBe(`${site.origin}/#/sign-in?error=${code}&provider=${name}`);
  const shown = await browser.visit(`${site.origin}/api/v1/sign-in/oidc/${name}/refusal`);
  expect(await shown.json()).toEqual({ code, message: expect.stringMatching(words) });
  expect(await site.session(browser)).toMatchObject({ signed_in: false });
}

describe("signing in by an identity provider", () => {
  it("gives the role of the highest group, and opens the view that was asked for", async () => {
    const alice = new Browser();
    const response = await logIn(
      alice,
      begin(site, "real", "#/activity?outcome=violation"),
      "alice",
      `${site.origin}/#`,
    );
    expect(pageOf(response)).toBe(`${site.origin}/#/activity?outcome=violation`);
    expect(await site.session(alice)).toMatchObject({
      signed_in: true,
      name: "alice",
      role: "admin",
      credential: "oidc",
      provider: "real",
    });
    const bob = new Browser();
    await logIn(bob, begin(site, "real"), "bob", `${site.origin}/#`);
    expect(await site.session(bob)).toMatchObject({ signed_in: true, name: "bob", role: "viewer" });
  });

  it("refuses somebody without a group that counts, and names those that do", async () => {
    const mallory = new Browser();
    const response = await logIn(mallory, begin(site, "real"), "mallory", `${site.origin}/#`);
    const words =
      /^The provider signed you in, but none.*claim groups.*platform-team \(admin\), developers \(viewer\)/;
    await expectRefused(mallory, response, "OIDC_NO_ROLE", words, "real");
    expect(site.lines.join("")).not.toContain("the-secret-project");
  });

  it("sends the browser to the provider with PKCE, state and nonce, and keeps the rest sealed", async () => {
    const browser = new Browser();
    const response = await browser.visit(begin(site, "scripted"));
    const url = new URL(pageOf(response));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "touchstone",
      response_type: "code",
      redirect_uri: callbackOf(site, "scripted"),
      scope: "openid profile email",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    const [cookie = ""] = response.headers.getSetCookie();
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
    expect(cookie).not.toContain(url.searchParams.get("state"));
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("asks the UserInfo endpoint for what the ID token lacks", async () => {
    scripted.script = { claims: { groups: undefined }, userinfo: { groups: ["developers"] } };
    const browser = new Browser();
    await signIn(browser);
    expect(await site.session(browser)).toMatchObject({ name: "alice", role: "viewer" });
  });

  it("takes what the ID token says before what the UserInfo endpoint says", async () => {
    scripted.script = {
      claims: { groups: ["developers"], preferred_username: undefined },
      userinfo: { groups: ["platform-team"], preferred_username: "alice" },
    };
    const browser = new Browser();
    await signIn(browser);
    expect(await site.session(browser)).toMatchObject({ name: "alice", role: "viewer" });
  });

  it("ends at another gateway of the fleet", async () => {
    const browser = new Browser();
    const back = await comeBack(browser);
    const response = await browser.visit(back.replace(site.origin, replica.origin));
    expect(pageOf(response)).toBe(`${site.origin}/#/`);
  });

  it("begins at the name that the provider sends the browser back to", async () => {
    const begun = begin(site, "scripted", "#/servers").replace("127.0.0.1", "localhost");
    const response = await new Browser().visit(begun);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(pageOf(response)).toBe(begin(site, "scripted", "#/servers"));
  });

  it("knows no other provider", async () => {
    for (const path of ["", "/callback?code=1&state=2", "/refusal", "/sign-out"]) {
      const response = await new Browser().visit(
        `${site.origin}/api/v1/sign-in/oidc/unknown${path}`,
      );
      expect(response.status).toBe(404);
    }
  });
});

describe("the page after a sign-in", () => {
  it.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "javascript:alert(1)",
    "#",
    "",
    "#evil",
    "@evil.example/#/",
    ".evil.example/#/",
    "#/a\r\nSet-Cookie: x=1",
    "#/\u2028",
    "#/<script>",
    "#/#/again",
    `#/${"a".repeat(2_048)}`,
  ])("is not %j", async (view) => {
    expect(pageOf(await signIn(new Browser(), "scripted", view))).toBe(`${site.origin}/#/`);
  });

  it("is the first of several, or none, only by its own rules", async () => {
    const twice = `${begin(site, "scripted", "#/tools")}&return_to=https://evil.example/`;
    expect(pageOf(await new Browser().follow(twice, `${site.origin}/#`))).toBe(
      `${site.origin}/#/tools`,
    );
  });
});

describe("a browser that did not begin the sign-in", () => {
  const NOT_STARTED = ["OIDC_NOT_STARTED", /^This browser has no sign-in in progress/] as const;

  it("without a cookie is not signed in", async () => {
    const back = await comeBack(new Browser());
    const victim = new Browser();
    await expectRefused(victim, await victim.visit(back), ...NOT_STARTED);
  });

  it("with the cookie of a sign-in of its own is not signed in as somebody else (login CSRF)", async () => {
    const back = await comeBack(new Browser());
    const victim = new Browser();
    await comeBack(victim);
    await expectRefused(victim, await victim.visit(back), ...NOT_STARTED);
  });

  it.each([
    ["forged", (url: URL) => url.searchParams.set("state", "x".repeat(43))],
    ["missing", (url: URL) => url.searchParams.delete("state")],
    ["empty", (url: URL) => url.searchParams.set("state", "")],
    [
      "sent twice",
      (url: URL) => url.searchParams.append("state", url.searchParams.get("state") ?? ""),
    ],
  ])("is not signed in if the state is %s", async (_what, change) => {
    const browser = new Browser();
    const back = new URL(await comeBack(browser));
    change(back);
    scripted.seen.length = 0;
    await expectRefused(browser, await browser.visit(back.href), ...NOT_STARTED);
    expect(scripted.seen).not.toContain("/token");
  });

  it("finishes its own sign-in after a response to another, such as that of an older tab", async () => {
    const browser = new Browser();
    const older = await comeBack(browser);
    const latest = await comeBack(browser);
    for (const foreign of [older, callbackOf(site, "scripted"), await comeBack(new Browser())]) {
      await expectRefused(browser, await browser.visit(foreign), ...NOT_STARTED);
    }
    expect(pageOf(await browser.visit(latest))).toBe(`${site.origin}/#/`);
    expect(await site.session(browser)).toMatchObject({ signed_in: true, name: "alice" });
  });

  it("is not signed in by a cookie that somebody changed, or by two", async () => {
    for (const change of [
      // Does not change the last character, because some of its bits are not used.
      (value: string) =>
        `${value.slice(0, -5)}${value.at(-5) === "A" ? "B" : "A"}${value.slice(-4)}`,
      () => "x".repeat(200),
      () => "x".repeat(5_000),
      (value: string, name: string) => `${value}; ${name}=${value}`,
    ]) {
      const browser = new Browser();
      const back = await comeBack(browser);
      const [key = "", value = ""] =
        [...browser.cookies].find(([name]) => name.includes("touchstone_sign_in")) ?? [];
      browser.cookies.set(key, change(value, key.split(" ")[1] ?? ""));
      const response = await browser.visit(back);
      expect(pageOf(response)).toContain("error=OIDC_NOT_STARTED");
    }
  });

  it("is not signed in by a response that was used, with the cookie of before", async () => {
    const browser = new Browser();
    const back = await comeBack(browser);
    const kept = new Map(browser.cookies);
    expect(pageOf(await browser.visit(back))).toBe(`${site.origin}/#/`);
    const again = new Browser();
    await expectRefused(again, await again.visit(back), ...NOT_STARTED);
    for (const [key, value] of kept) again.cookies.set(key, value);
    expect(pageOf(await again.visit(back))).toContain("error=OIDC_NOT_STARTED");
    // A gateway that has not seen the code asks the provider, which accepts a code once.
    for (const [key, value] of kept) again.cookies.set(key, value);
    const elsewhere = await again.visit(back.replace(site.origin, replica.origin));
    expect(pageOf(elsewhere)).toContain("error=OIDC_CODE_REFUSED");
  });
});

describe("a mix-up of two providers", () => {
  it("is refused if one's response comes to the other's address", async () => {
    const browser = new Browser();
    const back = await comeBack(browser);
    other.seen.length = 0;
    const response = await browser.visit(back.replace("/scripted/", "/other/"));
    await expectRefused(browser, response, "OIDC_NOT_STARTED", /no sign-in in progress/, "other");
    expect(other.seen).not.toContain("/token");
  });

  it.each([
    ["another issuer", () => other.issuer],
    ["no issuer", () => undefined],
  ])("is refused if the response names %s (RFC 9207)", async (_what, iss) => {
    scripted.script = { response: { iss: iss() } };
    const browser = new Browser();
    scripted.seen.length = 0;
    await expectRefused(
      browser,
      await signIn(browser),
      "OIDC_RESPONSE_INVALID",
      /cannot be trusted/,
    );
    expect(scripted.seen).not.toContain("/token");
    expect(site.lines.at(-1)).toMatch(/iss/);
  });
});

describe("a response of the provider", () => {
  const now = (): number => Math.floor(Date.now() / 1_000);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const sign =
    (alg: string, key: Parameters<SignJWT["sign"]>[0]) => (claims: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: "one" }).sign(key);
  const oversized =
    (on: string) =>
    (path: string, response: ServerResponse): boolean => {
      if (path !== on) return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ filler: "x".repeat(300_000) }));
      return true;
    };

  it.each<[string, () => Script, string, RegExp]>([
    [
      "with another nonce",
      () => ({ claims: { nonce: "x".repeat(43) } }),
      "OIDC_RESPONSE_INVALID",
      /nonce/,
    ],
    ["without a nonce", () => ({ claims: { nonce: undefined } }), "OIDC_RESPONSE_INVALID", /nonce/],
    ["for another client", () => ({ claims: { aud: "another" } }), "OIDC_RESPONSE_INVALID", /aud/],
    ["issued to another", () => ({ claims: { azp: "another" } }), "OIDC_RESPONSE_INVALID", /azp/],
    [
      "for several clients, issued to another",
      () => ({ claims: { aud: ["touchstone", "another"], azp: "another" } }),
      "OIDC_RESPONSE_INVALID",
      /azp/,
    ],
    [
      "of another issuer",
      () => ({ claims: { iss: "https://evil.example" } }),
      "OIDC_RESPONSE_INVALID",
      /iss/,
    ],
    ["that has expired", () => ({ claims: { exp: now() - 60 } }), "OIDC_RESPONSE_INVALID", /exp/],
    ["without an expiry", () => ({ claims: { exp: undefined } }), "OIDC_RESPONSE_INVALID", /exp/],
    [
      "that is not valid yet",
      () => ({ claims: { nbf: now() + 600 } }),
      "OIDC_RESPONSE_INVALID",
      /nbf/,
    ],
    ["without a subject", () => ({ claims: { sub: undefined } }), "OIDC_RESPONSE_INVALID", /sub/],
    [
      "signed by another key",
      () => ({ sign: sign("RS256", privateKey) }),
      "OIDC_RESPONSE_INVALID",
      /signature/,
    ],
    [
      "that is not signed",
      () => ({ sign: (claims) => new UnsecuredJWT(claims).encode() }),
      "OIDC_RESPONSE_INVALID",
      /alg/,
    ],
    [
      "that is not signed, as the metadata allows",
      () => ({
        metadata: { id_token_signing_alg_values_supported: ["none"] },
        sign: (claims) => new UnsecuredJWT(claims).encode(),
      }),
      "OIDC_RESPONSE_INVALID",
      /./,
    ],
    [
      "signed with the client's secret, as the metadata allows",
      () => ({
        metadata: { id_token_signing_alg_values_supported: ["HS256"] },
        sign: sign("HS256", createSecretKey(Buffer.from(CLIENT.client_secret))),
      }),
      "OIDC_RESPONSE_INVALID",
      /./,
    ],
    ["that is not a token", () => ({ sign: () => "no token" }), "OIDC_RESPONSE_INVALID", /./],
    [
      "with the UserInfo of somebody else",
      () => ({
        claims: { groups: undefined },
        userinfo: { sub: "another", groups: ["platform-team"] },
      }),
      "OIDC_RESPONSE_INVALID",
      /sub/,
    ],
    [
      "that is too large",
      () => ({ answer: oversized("/token") }),
      "OIDC_UNREACHABLE",
      /larger than 262144 bytes/,
    ],
    [
      "whose keys are too large",
      () => ({ answer: oversized("/jwks") }),
      "OIDC_UNREACHABLE",
      /larger than 262144 bytes/,
    ],
    ["without groups", () => ({ claims: { groups: undefined } }), "OIDC_NO_ROLE", /no groups/],
    [
      "with too many groups to list them",
      () => ({
        claims: {
          groups: undefined,
          _claim_names: { groups: "a" },
          _claim_sources: { a: { endpoint: `${other.issuer}/groups` } },
        },
      }),
      "OIDC_TOO_MANY_GROUPS",
      /./,
    ],
  ])("%s signs nobody in", async (_what, make, code, logged) => {
    const script = make();
    // The metadata and the keys of a provider are cached, so changes need a new provider.
    const fresh =
      script.metadata === undefined && script.answer === undefined
        ? undefined
        : await startScriptedProvider();
    const at = fresh ?? scripted;
    if (fresh !== undefined) await own.reload(fileFor(own.port, ROLES, fresh.issuer));
    const used = fresh === undefined ? site : own;
    at.script = script;
    other.seen.length = 0;
    used.lines.length = 0;
    try {
      const browser = new Browser();
      const response = await browser.follow(begin(used, "scripted"), `${used.origin}/#`);
      expect(pageOf(response)).toBe(`${used.origin}/#/sign-in?error=${code}&provider=scripted`);
      expect(used.lines.join("")).toMatch(logged);
      expect(await used.session(browser)).toMatchObject({ signed_in: false });
      expect(other.seen).toEqual([]);
      expect(used.lines.join("")).not.toMatch(/eyJ|opaque|the-secret-of-the-client/);
    } finally {
      await fresh?.close();
    }
  });

  it("may be off by the configured skew of its clock", async () => {
    scripted.script = { claims: { exp: now() - 10 } };
    const browser = new Browser();
    await signIn(browser);
    expect(await site.session(browser)).toMatchObject({ signed_in: true });
  });

  it("that is an error is shown escaped and cut, after its state", async () => {
    const error_description = `<img src=x onerror=alert(1)>\u001b[31m\u202e${"long ".repeat(1_000)}`;
    scripted.script = { response: { code: undefined, error: "access_denied", error_description } };
    const browser = new Browser();
    const response = await signIn(browser);
    await expectRefused(
      browser,
      response,
      "OIDC_DENIED",
      /did not sign you in \(access_denied: <img src=x/,
    );
    const shown = await browser.visit(`${site.origin}/api/v1/sign-in/oidc/scripted/refusal`);
    const { message } = (await shown.json()) as { message: string };
    expect(message).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(message.length).toBeLessThan(600);
  });
});

describe("a provider's metadata", () => {
  const redirecting =
    (to: string) =>
    (path: string, response: ServerResponse): boolean => {
      if (!path.startsWith("/.well-known/")) return false;
      response.writeHead(302, { location: to }).end();
      return true;
    };
  const garbage =
    (text: string) =>
    (path: string, response: ServerResponse): boolean => {
      if (!path.startsWith("/.well-known/")) return false;
      response.writeHead(200, { "content-type": "application/json" }).end(text);
      return true;
    };

  it.each<[string, () => Script, RegExp]>([
    [
      "behind a redirect",
      () => ({ answer: redirecting(`${other.issuer}/.well-known/openid-configuration`) }),
      /redirect \(HTTP 302\)/,
    ],
    ["of another issuer", () => ({ metadata: { issuer: other.issuer } }), /issuer/],
    [
      "that is too large",
      () => ({ metadata: { filler: "x".repeat(300_000) } }),
      /larger than 262144 bytes/,
    ],
    ["that is not JSON", () => ({ answer: garbage("<html>") }), /./],
    ["that is an array", () => ({ answer: garbage("[]") }), /./],
    [
      "without an authorization endpoint",
      () => ({ metadata: { authorization_endpoint: undefined } }),
      /./,
    ],
    [
      "whose authorization endpoint is a script",
      () => ({ metadata: { authorization_endpoint: "javascript:alert(1)" } }),
      /./,
    ],
  ])("%s begins no sign-in, and asks nobody else", async (_what, script, logged) => {
    const fresh = await startScriptedProvider();
    await own.reload(fileFor(own.port, ROLES, fresh.issuer));
    fresh.script = script();
    other.seen.length = 0;
    own.lines.length = 0;
    try {
      const response = await new Browser().visit(begin(own, "scripted"));
      expect(pageOf(response)).toBe(
        `${own.origin}/#/sign-in?error=OIDC_UNREACHABLE&provider=scripted`,
      );
      expect(own.lines.join("")).toMatch(logged);
      expect(other.seen).toEqual([]);
    } finally {
      await fresh.close();
    }
  });

  it.each([
    ["token_endpoint", "http://169.254.169.254/latest/meta-data"],
    ["jwks_uri", "http://10.0.0.1/"],
    ["userinfo_endpoint", "http://intranet.example/"],
  ])("cannot lead %s to %s", async (endpoint, url) => {
    const fresh = await startScriptedProvider();
    await own.reload(fileFor(own.port, ROLES, fresh.issuer));
    fresh.script = { metadata: { [endpoint]: url } };
    own.lines.length = 0;
    try {
      const response = await new Browser().visit(begin(own, "scripted"));
      expect(pageOf(response)).toContain("error=OIDC_UNREACHABLE");
      expect(own.lines.join("")).toMatch(
        new RegExp(`a ${endpoint} that is missing, is not https, or is on loopback`),
      );
    } finally {
      await fresh.close();
    }
  });
});

describe("a person who is signed in", () => {
  type Written = ReturnType<typeof fileFor>["auth"]["oidc"][number];
  const without =
    (...names: string[]) =>
    (providers: readonly Written[]) =>
      providers.filter(({ name }) => !names.includes(name));
  const changed = (change: object) => (providers: readonly Written[]) =>
    providers.map((each) => ({ ...each, ...change }));

  it.each<[string, (providers: readonly Written[]) => readonly object[]]>([
    ["the group has no role anymore", changed({ roles: { another: "admin" } })],
    ["the provider is gone", without("scripted")],
    ["all providers are gone", () => []],
    ["the client secret is another", changed({ client_secret: "another-secret-of-the-client" })],
    ["the name stands for another issuer", changed({ issuer: "https://another.example" })],
  ])("ends a session at once if %s", async (_what, change) => {
    const file = fileFor(own.port);
    await own.reload(file);
    const browser = new Browser();
    await browser.follow(begin(own, "scripted"), `${own.origin}/#`);
    expect(await own.session(browser)).toMatchObject({ signed_in: true, role: "admin" });
    await own.reload({ auth: { oidc: change(file.auth.oidc) } });
    expect(await own.session(browser)).toMatchObject({ signed_in: false });
  });

  it("has no other session: that of before ends, although the provider's redirect lacks its cookie", async () => {
    const browser = new Browser();
    await signIn(browser);
    const [name = "", before = ""] =
      [...browser.cookies].find(([key]) => key.includes("touchstone_session")) ?? [];
    const back = await comeBack(browser);
    // As with `SameSite=Strict`.
    browser.cookies.delete(name);
    expect(pageOf(await browser.visit(back))).toBe(`${site.origin}/#/`);
    expect(await site.session(browser)).toMatchObject({ signed_in: true });
    const old = new Browser();
    old.cookies.set(name, before);
    expect(await site.session(old)).toMatchObject({ signed_in: false });
  });

  it("has the role that the group has now", async () => {
    await own.reload(fileFor(own.port));
    const browser = new Browser();
    await browser.follow(begin(own, "scripted"), `${own.origin}/#`);
    await own.reload(fileFor(own.port, { "platform-team": "viewer" }));
    expect(await own.session(browser)).toMatchObject({ signed_in: true, role: "viewer" });
    await own.reload(fileFor(own.port, { "platform-team": "admin" }));
    expect(await own.session(browser)).toMatchObject({ signed_in: true, role: "admin" });
  });

  it("stays so while the provider is down, until the session expires", async () => {
    const brief = await startScriptedProvider();
    await own.reload(fileFor(own.port, ROLES, brief.issuer));
    const browser = new Browser();
    await browser.follow(begin(own, "scripted"), `${own.origin}/#`);
    await brief.close();
    expect(await own.session(browser)).toMatchObject({ signed_in: true });
    const file = fileFor(own.port, ROLES, brief.issuer);
    await own.reload({ auth: { ...file.auth, session_lifetime: 60 } });
    const { expires } = (await own.session(browser)) as { expires: string };
    expect(Date.parse(expires) - Date.now()).toBeLessThanOrEqual(60_000);
  });

  it("is named in the records of what they change, and in the list of sessions", async () => {
    await own.reload(fileFor(own.port));
    const browser = new Browser();
    await browser.follow(begin(own, "scripted"), `${own.origin}/#`);
    const headers = { "x-touchstone-console": "1" };
    const response = await browser.visit(`${own.origin}/api/v1/console-sessions`, { headers });
    expect(await response.json()).toContainEqual(
      expect.objectContaining({
        name: "alice",
        role: "admin",
        credential: "oidc",
        provider: "scripted",
        current: true,
      }),
    );
    const records = await own.records({ type: "config_change" });
    expect(records.at(-1)).toMatchObject({
      caller: "alice",
      reason: expect.stringMatching(/^signed in to the console/),
    });
  });

  it("follows records without a warning of a leak", async () => {
    const browser = new Browser();
    await signIn(browser);
    const warnings: string[] = [];
    const warned = ({ message }: Error): void => {
      if (message.includes("listeners")) warnings.push(message);
    };
    process.on("warning", warned);
    try {
      const stop = new AbortController();
      const headers = { "x-touchstone-console": "1" };
      const url = `${site.origin}/api/v1/activity/events`;
      const response = await browser.visit(url, { headers, signal: stop.signal });
      expect(response.status).toBe(200);
      await response.body?.getReader().read();
      stop.abort();
      expect(warnings).toEqual([]);
    } finally {
      process.off("warning", warned);
    }
  });

  it("is signed out here, and can be at the provider", async () => {
    const alice = new Browser();
    await logIn(alice, begin(site, "real"), "alice", `${site.origin}/#`);
    const headers = { "x-touchstone-console": "1" };
    await alice.visit(`${site.origin}/api/v1/session`, { method: "DELETE", headers });
    expect(await site.session(alice)).toMatchObject({ signed_in: false });
    const there = await alice.visit(`${site.origin}/api/v1/sign-in/oidc/real/sign-out`);
    const url = new URL(pageOf(there));
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "touchstone",
      post_logout_redirect_uri: `${site.origin}/`,
    });
    // A provider without such a page.
    const back = await alice.visit(`${site.origin}/api/v1/sign-in/oidc/scripted/sign-out`);
    expect(pageOf(back)).toBe(`${site.origin}/#/sign-in`);
  });

  it("is not signed in with the name of a key", async () => {
    const { auth } = fileFor(own.port);
    const keys = [{ name: "alice", key: "k".repeat(32) }];
    await own.reload({ auth: { ...auth, keys } });
    const browser = new Browser();
    const response = await browser.follow(begin(own, "scripted"), `${own.origin}/#`);
    expect(pageOf(response)).toContain("error=OIDC_NO_NAME");
  });
});

describe("a provider that is down", () => {
  it("leads back to the sign-in page", async () => {
    const down = await startScriptedProvider();
    await own.reload(fileFor(own.port, ROLES, down.issuer));
    const browser = new Browser();
    const back = await browser.follow(begin(own, "scripted"), callbackOf(own, "scripted"));
    await down.close();
    const response = await browser.visit(pageOf(back));
    expect(pageOf(response)).toBe(
      `${own.origin}/#/sign-in?error=OIDC_UNREACHABLE&provider=scripted`,
    );
    const shown = await browser.visit(`${own.origin}/api/v1/sign-in/oidc/scripted/refusal`);
    expect(await shown.json()).toMatchObject({
      message: expect.stringMatching(/^scripted cannot be reached/),
    });
    expect(own.lines.join("")).toMatch(/ECONNREFUSED/);
    expect(await own.session(browser)).toMatchObject({ signed_in: false });
  });

  it("is one that does not respond within 5 s", { ...long, timeout: 30_000 }, async () => {
    scripted.script = { answer: (path) => path === "/token" };
    site.lines.length = 0;
    const browser = new Browser();
    expect(pageOf(await signIn(browser))).toContain("error=OIDC_UNREACHABLE");
    expect(site.lines.join("")).toMatch(/timed out/);
  });

  it("is asked again after some seconds only", async () => {
    const { issuer, close } = await startScriptedProvider();
    await close();
    const logged: string[] = [];
    let now = 0;
    const settings = { ...CLIENT_SETTINGS, issuer };
    const down = new Provider(
      settings,
      createLogger((line) => logged.push(line), "warn"),
      () => now,
    );
    for (const [at, requests] of [
      [0, 1],
      [4_999, 1],
      [5_000, 2],
    ] as const) {
      now = at;
      await expect(down.begin("http://127.0.0.1/")).rejects.toThrow("cannot be reached");
      expect(logged).toHaveLength(requests);
    }
  });

  it("does not affect others", async () => {
    provider.pause();
    try {
      await own.reload(fileFor(own.port, { "platform-team": "admin" }));
      const response = await new Browser().visit(begin(own, "real"));
      expect(pageOf(response)).toContain("error=OIDC_UNREACHABLE&provider=real");
      const browser = new Browser();
      await browser.follow(begin(own, "scripted"), `${own.origin}/#`);
      expect(await own.session(browser)).toMatchObject({ signed_in: true });
    } finally {
      provider.resume();
    }
  });
});
