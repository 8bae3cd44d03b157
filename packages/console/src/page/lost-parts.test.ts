import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";

describeGatewayPages("a part of the page that could not be loaded", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
  }, 60_000);

  const ASSETS = "**/assets/**";
  /** Opens the list of tools; from then on, nothing further can be loaded. */
  const openLost = async (
    what: string | RegExp = ASSETS,
    options: BrowserContextOptions = {},
  ): Promise<Page> => {
    // With a separate cache: pages of other tests have loaded the same parts.
    const { page } = await console.open(`${gateway.page}#/tools`, options);
    await page.getByRole("link", { name: /get_weather/ }).waitFor();
    await page.route(what, (route) => route.abort());
    return page;
  };
  const lost = (page: Page) => page.getByText("could not be loaded");
  const goTo = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click();

  it("is requested again by a button, with its style", long, async () => {
    // The chart is the only part whose style does not come with the page itself.
    const plotParts = /\/assets\/[^/]*time-chart/i;
    const page = await openLost(plotParts);
    await goTo(page, "Rollout");
    await lost(page).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await lost(page).waitFor();
    await page.unroute(plotParts);
    await page.getByRole("button", { name: "Try again" }).click();
    const plot = page.locator(".u-wrap");
    await expect
      .poll(() => plot.evaluate((each) => getComputedStyle(each).position))
      .toBe("relative");
  });

  it("is loaded again when the user returns", long, async () => {
    const page = await openLost();
    await goTo(page, "Rollout");
    await lost(page).waitFor();
    await page.unroute(ASSETS);
    await goTo(page, "Tools");
    await goTo(page, "Rollout");
    await page.getByText("Nothing was recorded in this period").waitFor();
  });

  it("can be the command palette, and affects nothing else", async () => {
    const page = await openLost();
    await page.keyboard.press("Control+k");
    await lost(page).waitFor();
    await page.getByRole("link", { name: /get_weather/ }).waitFor();
    await page.unroute(ASSETS);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("combobox", { name: /^Search pages/ }).waitFor();
  });

  it("can be a tool's", long, async () => {
    // A wider page shows the first tool next to the list, and has loaded that part already.
    const page = await openLost(ASSETS, { viewport: { width: 390, height: 844 } });
    await page.getByRole("link", { name: /get_weather/ }).click();
    await lost(page).waitFor();
    await page.unroute(ASSETS);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByLabel("city").waitFor();
  });
});
