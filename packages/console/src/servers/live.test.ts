import { beforeAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases as databases } from "../../../records/src/testing/databases.ts";
import { findings, overflow } from "../testing/axe.ts";
import { screenshot, signIn } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { REFRESH_MS } from "./refresh.ts";

const CONFIG = { mcpServers: { faulty: FAULTY } };

describeGatewayPages("the servers' list", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(JSON.stringify(CONFIG));
  });

  it("updates a server's state while the page is open", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/servers`);
    const card = page.locator("tbody tr");
    await card.getByText("idle").waitFor();
    const other = await console.open(`${gateway.page}#/servers/faulty`);
    await other.page.getByText("idle").waitFor();
    await callTools(gateway, "faulty", [["get_weather", { city: "Oslo" }]]);
    await card.getByText("running").waitFor();
    await other.page.getByText("running").waitFor();
    expect(found).toEqual([]);
  });

  it("is not asked for before somebody has signed in", async () => {
    const guarded = await console.start(
      JSON.stringify({
        ...CONFIG,
        auth: { keys: [{ name: "vera", role: "viewer", key: "the-key" }] },
      }),
    );
    const { page } = await console.open(`${guarded.page}#/servers`);
    await page.getByRole("heading", { name: "Sign in to Touchstone" }).waitFor();
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/api/v1/servers")) asked += 1;
    });
    await page.clock.install();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Touchstone" }).waitFor();
    await page.clock.runFor(20 * REFRESH_MS);
    await signIn(page, "the-key");
    await page.getByText("1 server", { exact: true }).waitFor();
    expect(asked).toBe(1);
  });
});

// Created outside of the tests: the gateways must be closed before the database.
const database = databases();

describeGatewayPages("gateways that share a store", (console) => {
  it("are shown with their versions, and which one differs", long, async ({ skip }) => {
    const activity = { store: await database(skip) };
    const first = await console.start(JSON.stringify({ ...CONFIG, activity }));
    const { page, found } = await console.open(`${first.page}#/servers`, {
      colorScheme: "dark",
      viewport: { width: 360, height: 800 },
    });
    const gateways = page.getByRole("region", { name: "Gateways" });
    await gateways.getByText(/^1 gateway runs .* with one configuration/).waitFor();
    const strict = { input_validation: { mode: "strict" } };
    await console.start(JSON.stringify({ ...CONFIG, activity, ...strict }));
    await gateways.getByText(/^2 gateways run .* 1 of them with another config/).waitFor();
    await gateways.getByText("Each of them").focus();
    expect(await gateways.locator("details").getAttribute("open")).not.toBeNull();
    await gateways.getByText("other configuration", { exact: true }).waitFor();
    await expect.poll(() => gateways.locator(".card").count()).toBe(2);
    expect([await findings(page), await overflow(page)]).toEqual([[], 0]);
    await screenshot(page, "gateways-dark-360");
    await page.emulateMedia({ colorScheme: "light" });
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await gateways.locator(".card").first().waitFor({ state: "hidden" });
    expect(found).toEqual([]);
  });

  it("are not shown for a gateway with its own store", long, async () => {
    const alone = await console.start(JSON.stringify(CONFIG));
    const { page } = await console.open(`${alone.page}#/servers`);
    await page.getByText("1 server", { exact: true }).waitFor();
    expect(await page.getByRole("region", { name: "Gateways" }).count()).toBe(0);
  });
});
