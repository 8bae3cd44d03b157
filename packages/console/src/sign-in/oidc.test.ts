import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { parseConfig } from "../../../gateway/src/config/load.ts";
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from "../../../gateway/src/server/sign-in/oidc/testing/identity-provider.ts";
import { describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";

const PEOPLE = {
  alice: { preferred_username: "alice", groups: ["platform-team"] },
  bob: { preferred_username: "bob", groups: ["developers"] },
  mallory: { preferred_username: "mallory", groups: ["visitors"] },
};
const ROLES = { "platform-team": "admin", developers: "viewer" };
const KEY = "the-key-of-an-agent-here";

const heading = (page: Page) => page.getByRole("heading", { name: "Sign in to Touchstone" });
const account = (page: Page, name: string) =>
  page.getByRole("button", { name: new RegExp(`^Account: ${name}`) });
const goOn = (page: Page) => page.getByRole("link", { name: "Continue with The provider" });

describeGatewayPages("signing in by an identity provider", (console) => {
  let provider: IdentityProvider;
  let gateway: ServedGateway;

  const fileFor = (roles: Readonly<Record<string, string>>): string =>
    JSON.stringify({
      mcpServers: { faulty: FAULTY },
      auth: {
        keys: [{ name: "agent", key: KEY }],
        oidc: {
          ...CLIENT,
          label: "The provider",
          issuer: provider.issuer,
          scopes: ["openid", "profile", "groups"],
          roles,
        },
      },
    });

  beforeAll(async () => {
    // The browser returns from another site, and does not send a cookie with SameSite=Strict.
    provider = await startIdentityProvider({ people: PEOPLE, host: "localhost" });
    gateway = await console.start(fileFor(ROLES));
    await provider.register({
      callbacks: [`${gateway.page}api/v1/sign-in/oidc/oidc/callback`],
      signedOut: [gateway.page],
    });
  });
  afterAll(() => provider?.close());

  /** Signs in at the provider's pages. */
  async function logIn(page: Page, login: string): Promise<void> {
    await goOn(page).click();
    await page.getByPlaceholder("Enter any login").fill(login);
    await page.getByPlaceholder("and password").fill("-");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
  }

  it("opens the view that was asked for, and survives a reload", async () => {
    const { page } = await console.open(`${gateway.page}#/servers`);
    await heading(page).waitFor();
    await logIn(page, "alice");
    await account(page, "alice").waitFor();
    expect(page.url()).toBe(`${gateway.page}#/servers`);
    await page.reload();
    await account(page, "alice, admin").waitFor();
    const cookies = await page.context().cookies(gateway.page);
    expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).toEqual([
      {
        name: `touchstone_session_${gateway.gateway.port}`,
        httpOnly: true,
        sameSite: "Strict",
      },
    ]);
  });

  it("shows somebody without a role which groups have one", long, async () => {
    const { page } = await console.open(gateway.page);
    await logIn(page, "mallory");
    const alert = page.getByRole("alert");
    await alert.getByText("platform-team (admin), developers (viewer)").waitFor();
    expect(await alert.innerText()).not.toContain("visitors");
    await heading(page).waitFor();
  });

  it("ends here, and at the provider", long, async () => {
    const { page } = await console.open(gateway.page);
    await logIn(page, "bob");
    await account(page, "bob, viewer").click();
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    await heading(page).waitFor();
    // The provider still knows the user, who has already consented.
    await goOn(page).click();
    await account(page, "bob, viewer").click();
    await page.getByRole("menuitem", { name: /^Sign out here and at/ }).click();
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await heading(page).waitFor();
    await goOn(page).click();
    await page.getByPlaceholder("Enter any login").waitFor();
  });

  it("begun in another browser ends in neither", async () => {
    const { page: attacker } = await console.open(gateway.page);
    await attacker.route("**/callback?*", (route) => route.abort());
    const [callback] = await Promise.all([
      attacker.waitForRequest((request) => request.url().includes("/callback?"), { timeout: 0 }),
      logIn(attacker, "alice"),
    ]);
    const { page: victim } = await console.open(callback.url());
    await victim.getByRole("alert").getByText("This browser has no sign-in in progress").waitFor();
    await heading(victim).waitFor();
  });

  it("shows an error while the provider is down, and lets a key in", long, async () => {
    const own = await console.start(fileFor(ROLES));
    provider.pause();
    try {
      const { page } = await console.open(own.page);
      await goOn(page).click();
      await page.getByRole("alert").getByText("The provider cannot be reached").waitFor();
      await page.getByLabel("Key", { exact: true }).fill(KEY);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await account(page, "agent").waitFor();
    } finally {
      provider.resume();
    }
  });

  it("ends when the group has no role anymore", long, async () => {
    const { page } = await console.open(gateway.page);
    await logIn(page, "bob");
    await account(page, "bob, viewer").waitFor();
    const text = fileFor({ "platform-team": "admin" });
    const options = { file: gateway.file, env: {}, overrides: { listen: "127.0.0.1:0" } };
    await gateway.gateway.reload(parseConfig(text, options));
    await page.reload();
    await heading(page).waitFor();
  });
});
