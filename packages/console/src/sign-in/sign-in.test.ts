import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { findings, moved, overflow } from "../testing/axe.ts";
import { screenshot, signIn } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { Keyboard } from "../testing/keyboard.ts";

const ADMIN = "the-admin-key-of-this-test";
const ANN = "the-key-of-ann-who-is-an-admin";
const VERA = "the-key-of-vera-who-is-a-viewer";
const CAL = "the-key-of-cal-who-only-calls";
const AUTH = {
  admin_key: ADMIN,
  keys: [
    { name: "ann", role: "admin", key: ANN },
    { name: "vera", role: "viewer", key: VERA },
    { name: "cal", role: "caller", key: CAL },
  ],
};
const GUARDED = JSON.stringify({
  mcpServers: { faulty: FAULTY },
  auth: AUTH,
  http: { allow_execute: true },
});

const heading = (page: Page) => page.getByRole("heading", { name: "Sign in to Touchstone" });
const account = (page: Page, name: string) =>
  page.getByRole("button", { name: new RegExp(`^Account: ${name}`) });
const field = (page: Page) => page.getByLabel("Key", { exact: true });

/**
 * Returns everything that the page stores where somebody else could find it. It does not include the session's
 * cookie.
 */
const keptBy = (page: Page): Promise<string> =>
  page.evaluate(() =>
    JSON.stringify([
      ...[location.href, history.state, { ...localStorage }, { ...sessionStorage }],
      ...[document.cookie, document.documentElement.outerHTML],
      [...document.querySelectorAll("input")].map(({ value }) => value),
    ]),
  );

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await heading(page).waitFor();
}

describeGatewayPages("signing in", (console) => {
  const start = (text: string = GUARDED): Promise<ServedGateway> => console.start(text);

  it("by a link works once, survives a reload, and leaves no code behind", async () => {
    const gateway = await start();
    const link = gateway.gateway.consoleLink("servers");
    const { page, found } = await console.open("about:blank");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    await page.goto(link);
    await page.getByRole("link", { name: "faulty", exact: true }).waitFor();
    expect(page.url()).toBe(`${gateway.page}#/servers`);
    const code = link.split("code=")[1] ?? "";
    expect(sent.filter((each) => each.includes(code))).toEqual([
      `${gateway.page}api/v1/session ${JSON.stringify({ code })}`,
    ]);
    expect(await keptBy(page)).not.toContain(code);
    await page.reload();
    await page.getByRole("link", { name: "faulty", exact: true }).waitFor();
    // Opens another link in the same tab, in which the page is already open.
    const another = gateway.gateway.consoleLink("settings");
    await page.evaluate((to) => location.assign(to), another);
    await page.getByRole("heading", { name: "What is recorded and allowed" }).waitFor();
    expect(page.url()).toBe(`${gateway.page}#/settings`);
    // A used link shows an error, and the session continues.
    await page.evaluate((to) => location.assign(to), another);
    await page.getByRole("alert").getByText(/used/).waitFor();
    expect(page.url()).toBe(`${gateway.page}#/settings`);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("heading", { name: "What is recorded and allowed" }).waitFor();
    expect(found.filter((each) => !each.includes("401"))).toEqual([]);
    // The used link does not sign in another browser.
    const other = await console.open(link);
    await heading(other.page).waitFor();
    await other.page.getByRole("alert").getByText(/used/).waitFor();
  });

  it("by a key opens the view that was asked for, and keeps nothing of the key", long, async () => {
    const gateway = await start();
    await callTools(gateway, "faulty", []).catch(() => {});
    const asked = `${gateway.page}#/activity?status=blocked&tool=echo`;
    const { page, found } = await console.open(asked);
    await heading(page).waitFor();
    const wrong = "a-wrong-key-that-nobody-has";
    await field(page).fill(wrong);
    await field(page).press("Enter");
    await page
      .getByRole("status")
      .getByText(/does not know the key/)
      .waitFor();
    await expect.poll(() => field(page).getAttribute("aria-invalid")).toBe("true");
    expect(await field(page).evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await keptBy(page)).not.toContain(wrong);
    await signIn(page, ANN);
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    expect(page.url()).toBe(asked);
    expect(await keptBy(page)).not.toContain(ANN);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
    expect(found.filter((each) => !each.includes("401"))).toEqual([]);
  });

  it("keeps what was typed and looked at when a session ends", long, async () => {
    const gateway = await start();
    const { page } = await console.open(`${gateway.page}#/settings`);
    await signIn(page, ANN);
    await page.getByRole("switch", { name: "Watch results for drift" }).click();
    const dialog = page.getByRole("dialog", { name: /^Watch results for drift/ });
    await dialog.getByLabel("Reason").fill("typed before the session ended");
    const admin = await console.open(`${gateway.page}#/settings/browsers`);
    await signIn(admin.page, ADMIN);
    await admin.page.getByRole("button", { name: "End the session of ann" }).click();
    await admin.page.getByText("Ended", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    const cover = page.getByRole("dialog", { name: "Sign in", exact: true });
    await cover.getByText("Your session has ended").waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, "sign-in-again");
    // No dialog below it closes, and no shortcut works.
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await cover.waitFor();
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("dialog", { name: "Command palette" }).count()).toBe(0);
    await field(page).fill(ANN);
    await field(page).press("Enter");
    await cover.waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Reason").inputValue()).toBe("typed before the session ended");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const [change] = (await gateway.records({ type: "config_change" })).filter(
      ({ given_reason }) => given_reason !== undefined && given_reason !== null,
    );
    expect(change).toMatchObject({
      caller: "ann",
      given_reason: "typed before the session ended",
    });
  });

  it("as somebody else shows nothing of the person before", long, async () => {
    const gateway = await start();
    const { page } = await console.open(`${gateway.page}#/tools/faulty%3Aget_weather`);
    await signIn(page, ANN);
    await page.getByLabel("city").fill("Typed by Ann");
    await gateway.get("console-sessions", { headers: { "x-api-key": ADMIN } }).then(({ body }) =>
      Promise.all(
        (body as { id: string }[]).map(({ id }) =>
          gateway.get(`console-sessions/${id}`, {
            method: "DELETE",
            headers: { "x-api-key": ADMIN },
          }),
        ),
      ),
    );
    await page.getByRole("button", { name: "Validate" }).click();
    await page.getByText("Your session has ended").waitFor();
    await signIn(page, VERA);
    await account(page, "vera").waitFor();
    await page.getByLabel("city").waitFor();
    expect(await page.getByLabel("city").inputValue()).toBe("");
    expect(await keptBy(page)).not.toContain("Typed by Ann");
  });

  it("out ends it in every tab", long, async () => {
    const gateway = await start();
    const { page } = await console.open(`${gateway.page}#/servers`);
    await signIn(page, ANN);
    const second = await page.context().newPage();
    await second.goto(`${gateway.page}#/pins`);
    await account(second, "ann").click();
    const menu = second.getByRole("menu");
    await menu.getByText("admin", { exact: true }).waitFor();
    await screenshot(second, "account");
    await second.keyboard.press("Escape");
    await signOut(page);
    await expect.poll(() => page.url()).toBe(`${gateway.page}#/`);
    expect(await page.context().cookies()).toEqual([]);
    await second.getByRole("heading", { name: /^Sign in to/ }).waitFor();
    // Not covered, as when a session expires: what was shown has been removed.
    await expect.poll(() => second.locator("main").count()).toBe(1);
    expect(await second.getByText("Your session has ended").count()).toBe(0);
    const read = await second.evaluate(async () => {
      const headers = { "x-touchstone-console": "1" };
      return (await fetch("api/v1/servers", { headers })).status;
    });
    expect(read).toBe(401);
  });

  it("lets the palette find tools, and tools run", long, async () => {
    const gateway = await start();
    const { page, found } = await console.open(gateway.gateway.consoleLink("settings"));
    await page.getByRole("heading", { name: "What is recorded and allowed" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search pages/ }).fill("get_weather");
    await page.getByRole("option", { name: "faulty:get_weather" }).click();
    await page.getByLabel("city").fill("Oslo");
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText(/^The tool ran/).waitFor();
    await page.getByText("cURL", { exact: true }).click();
    const command = page.getByRole("region", { name: "cURL command" });
    const text = (await command.textContent()) ?? "";
    expect(text).toContain(`${gateway.page}tools/faulty%3Aget_weather/call`);
    expect(text).toContain("$TOKEN");
    expect(found).toEqual([]);
  });

  it("as a caller offers the tools, and says what the other pages need", long, async () => {
    const gateway = await start();
    const { page, found } = await console.open(`${gateway.page}#/`);
    await signIn(page, CAL);
    await page.getByRole("heading", { name: "Tools" }).waitFor();
    const pages = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    expect(await pages.allInnerTexts()).toEqual(["Tools"]);
    await page.goto(`${gateway.page}#/activity`);
    await page.getByText("This requires the role viewer. You have the role caller.").waitFor();
    await page.goto(`${gateway.page}#/tools/faulty%3Aget_weather`);
    await page.getByLabel("city").fill("Oslo");
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText(/^The tool ran/).waitFor();
    expect(found).toEqual([]);
  });

  it(
    "says what a provider's error means, and then opens the view that was left",
    long,
    async () => {
      const gateway = await start();
      const { page } = await console.open(`${gateway.page}#/sign-in?error=OIDC_NO_ROLE`);
      await page
        .getByRole("alert")
        .getByText(/none of your groups has a role/)
        .waitFor();
      await page.evaluate(() => sessionStorage.setItem("touchstone view", "#/pins"));
      await field(page).fill(ANN);
      await field(page).press("Enter");
      await page.getByRole("heading", { name: "Pins" }).waitFor();
      expect(page.url()).toBe(`${gateway.page}#/pins`);
    },
  );

  it("is offered by a gateway without a key, and asked for by the first change", long, async () => {
    const gateway = await start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
    const { page, found } = await console.open(`${gateway.page}#/servers/faulty`);
    const form = page.getByRole("form", { name: "Modes of server faulty" });
    await form.getByLabel("input").selectOption("strict");
    const save = form.getByRole("button", { name: "Save" });
    await save.click();
    await page.getByText("This change needs the role admin.").waitFor();
    await page.keyboard.press("Escape");
    await field(page).waitFor({ state: "detached" });
    await expect.poll(() => save.evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await form.getByLabel("input").inputValue()).toBe("strict");
    expect(gateway.text()).not.toContain("strict");
    await save.click();
    await signIn(page, gateway.token);
    await form.getByText("Saved to the configuration").waitFor();
    expect(gateway.text()).toContain("strict");
    await account(page, "operator token").waitFor();
    await page.reload();
    await account(page, "operator token").waitFor();
    expect(found).toEqual([]);
  });

  it("works behind a proxy with a path of its own", long, async () => {
    const gateway = await start();
    const { port } = new URL(gateway.page);
    const proxy = createServer((incoming, outgoing) => {
      const path = (incoming.url ?? "/").replace(/^\/touchstone/, "");
      const { method, headers } = incoming;
      const forward = httpRequest({ port, path, method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      forward.on("error", () => outgoing.destroy());
      incoming.pipe(forward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      proxy.close();
      proxy.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/touchstone/`;
    const { page, found } = await console.open(`${url}#/tools/faulty%3Aget_weather`);
    await signIn(page, ANN);
    await page.getByLabel("city").fill("Oslo");
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page.getByText(/^The tool ran/).waitFor();
    await page.reload();
    await account(page, "ann").waitFor();
    expect(found).toEqual([]);
  });

  it.each([
    ["light", 1440, 900],
    ["dark", 390, 844],
  ] as const)(
    "is fine in %s at %i pixels, by keyboard alone",
    long,
    async (colorScheme, width, height) => {
      const gateway = await start();
      const { page, found } = await console.open(`${gateway.page}#/pins`, {
        colorScheme,
        viewport: { width, height },
      });
      const keys = new Keyboard(page);
      await keys.isOn(field(page));
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      expect(await moved(page)).toEqual([]);
      await screenshot(page, `sign-in-${width}-${colorScheme}`);
      await keys.press("Enter");
      await page.getByText("Enter a key.").waitFor();
      await keys.isOn(field(page));
      await keys.write(ADMIN);
      await keys.press("Tab", "Enter");
      await page.getByRole("heading", { name: "Pins" }).waitFor();
      await page.goto(`${gateway.page}#/settings/browsers`);
      const title = page.getByRole("heading", { name: "Signed-in browsers" });
      await keys.isOn(title);
      await page.getByText("this browser").waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `browsers-${width}-${colorScheme}`);
      await keys.enter(
        page.getByRole("button", { name: /^End the session of .* in this browser$/ }),
      );
      await page.getByText("Your session has ended").waitFor();
      await keys.isOn(field(page));
      expect(found.filter((each) => !each.includes("401"))).toEqual([]);
    },
  );
});
