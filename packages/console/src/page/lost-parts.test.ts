import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";

describeGatewayPages("a part of the page that could not be loaded", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
  }, 60_000);

  const ASSETS = "**/assets/**";
  /** Opens the list of tools, behind which nothing can be loaded. */
  const openLost = async (): Promise<Page> => {
    const { page } = await console.open(gateway.page);
    await page.getByRole("link", { name: /get_weather/ }).waitFor();
    await page.route(ASSETS, (route) => route.abort());
    return page;
  };
  const lost = (page: Page) => page.getByText("could not be loaded");
  const goTo = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click();

  it("is asked for again by a button, with its style", async () => {
    const page = await openLost();
    await goTo(page, "Servers");
    await lost(page).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await lost(page).waitFor();
    await page.unroute(ASSETS);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("1 server", { exact: true }).waitFor();
    const card = page.locator(".cards");
    await expect
      .poll(() => card.evaluate((each) => getComputedStyle(each).listStyleType))
      .toBe("none");
  });

  it("is asked for again when it is come back to", async () => {
    const page = await openLost();
    await goTo(page, "Rollout");
    await lost(page).waitFor();
    await page.unroute(ASSETS);
    await goTo(page, "Tools");
    await goTo(page, "Rollout");
    await page.getByText("Nothing was recorded in this period").waitFor();
  });

  it("may be a tool's", async () => {
    const page = await openLost();
    await page.getByRole("link", { name: /get_weather/ }).click();
    await lost(page).waitFor();
    await page.unroute(ASSETS);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByLabel("city").waitFor();
  });
});
