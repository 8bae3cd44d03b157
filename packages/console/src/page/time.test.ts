import type { Page, Route } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { findings, moved, overflow } from "../testing/axe.ts";
import { screenshot } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { Keyboard } from "../testing/keyboard.ts";
import { LOOKS } from "../testing/looks.ts";

const TIME = /^Time: /;

describeGatewayPages("the time that pages are about", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
    await callTools(gateway, "faulty", [
      ["get_weather", { city: 1 }],
      ["get_weather", { city: "Oslo" }],
      ["fail", {}],
    ]);
  }, 60_000);

  /** Opens the overview once its charts are drawn. */
  const openOverview = async (query = "", options = {}) => {
    const opened = await console.open(`${gateway.page}#/overview${query}`, options);
    const { page } = opened;
    for (const name of [/^Calls over time/, /^Duration of calls/]) {
      await page.getByRole("img", { name }).locator("canvas").waitFor();
    }
    return opened;
  };

  it("fits the calls, and is the same on all pages once it is chosen", async () => {
    const { page, found } = await openOverview();
    const time = page.getByRole("button", { name: TIME });
    expect(await time.innerText()).toBe("Auto: last 5 minutes");
    const keys = new Keyboard(page);
    await keys.enter(time);
    await keys.enter(page.getByRole("button", { name: "Last 6 hours" }));
    await page.waitForURL(/#\/problems\?since=6h$/);
    await keys.isOn(time);
    for (const [key, address] of [
      ["a", /#\/activity\?since=6h$/],
      ["f", /#\/repairs\?since=6h$/],
      ["r", /#\/rollout\?since=6h$/],
      ["s", /#\/servers$/],
      ["o", /#\/problems\?since=6h$/],
    ] as const) {
      await keys.press("g", key);
      await page.waitForURL(address);
    }
    await page.getByRole("button", { name: "Time: Last 6 hours" }).waitFor();
    await keys.press("z");
    await page.waitForURL(/#\/problems\?since=24h$/);
    await page.getByRole("button", { name: "Time: Last 24 hours" }).waitFor();
    await page.getByRole("button", { name: TIME }).click();
    await page.getByRole("button", { name: "Automatic" }).click();
    await page.waitForURL(/#\/problems$/);
    await page.getByRole("button", { name: "Time: Auto: last 5 minutes" }).waitFor();
    expect(found).toEqual([]);
  });

  it("can be between two moments, of which the second is later", async () => {
    const { page, found } = await openOverview("?since=6h");
    await page.getByRole("button", { name: TIME }).click();
    const exact = { exact: true };
    const [from, to] = [page.getByLabel("From", exact), page.getByLabel("To", exact)];
    expect(await from.inputValue()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d/);
    await from.fill("2026-03-01T10:00:00");
    await to.fill("2026-03-01T10:00:00");
    const apply = page.getByRole("button", { name: "Apply" });
    await apply.press("Enter");
    await page.getByRole("alert").getByText("The end must be after the beginning.").waitFor();
    await to.fill("2026-03-01T12:30:00");
    await apply.press("Enter");
    await page.waitForURL(/#\/problems\?since=2026-03-01T.*&until=2026-03-01T/);
    await page.getByText(/^No calls in this time: Mar 1.*10:00 to 12:30\.$/).waitFor();
    await page.getByRole("button", { name: "Zoom out" }).click();
    await page.getByRole("button", { name: /^Time: Mar 1.* 08:45 to 13:45$/ }).waitFor();
    expect(found).toEqual([]);
  });

  it("is chosen on a chart with keys alone, whose values are read out and listed", async () => {
    const { page, found } = await openOverview();
    const keys = new Keyboard(page);
    const warnings = page.getByRole("button", { name: "1 warning" });
    await keys.to(warnings);
    expect(await warnings.getAttribute("aria-pressed")).toBe("true");
    await keys.press("Enter");
    await expect.poll(() => warnings.getAttribute("aria-pressed")).toBe("false");
    const chart = page.getByRole("slider", { name: "Time range of calls" });
    await keys.to(chart);
    await keys.press("Home", "Shift+End");
    const said = (): Promise<string | null> => chart.getAttribute("aria-valuetext");
    await expect.poll(said).toMatch(/: 1 success, 1 error$/);
    await keys.enter(warnings, "Shift+Tab");
    await keys.to(chart);
    await keys.press("Home", "Shift+End");
    await expect.poll(said).toMatch(/^\w+ \d+, \d\d:\d\d.* to .*: 1 success, 1 warning, 1 error$/);
    await keys.enter(page.getByRole("button", { name: "Values: Calls over time" }), "Shift+Tab");
    const table = page.getByRole("region", { name: "Values: Calls over time" }).getByRole("row");
    await table.nth(1).waitFor();
    expect(await table.first().innerText()).toMatch(/^From\s+success\s+warning\s+error$/);
    const cells = (await table.allInnerTexts()).slice(1).map((row) => row.split("\t").slice(1));
    const sums = [0, 1, 2].map((at) => cells.reduce((all, row) => all + Number(row[at]), 0));
    expect(sums).toEqual([1, 1, 1]);
    await keys.to(chart);
    await keys.press("End", "Shift+Home", "Enter");
    await page.waitForURL(/#\/problems\?since=20.*&until=20/);
    await page.getByRole("link", { name: /^Calls ?3$/ }).waitFor();
    expect(found).toEqual([]);
  });

  it("shows the values of a step below the pointer", long, async () => {
    const { page, found } = await openOverview();
    const chart = page.getByRole("img", { name: /^Calls over time/ });
    const box = await chart.boundingBox();
    if (box === null) throw new Error("it is drawn");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.getByText(/^\w+ \d+, \d\d:\d\d(:\d\d)? to \d\d:\d\d(:\d\d)?: no calls$/).waitFor();
    expect(found).toEqual([]);
  });

  /** Counts the requests of the overview's figures. */
  const counted = async (page: Page, answer: (route: Route) => Promise<void>) => {
    let asked = 0;
    await page.route("**/api/v1/overview*", (route) => {
      asked += 1;
      return answer(route);
    });
    return () => asked;
  };

  it("is loaded again by itself, but not in a hidden tab", long, async () => {
    const { page } = await console.open("about:blank");
    await page.clock.install();
    const asked = await counted(page, (route) => route.continue());
    await page.goto(`${gateway.page}#/overview`);
    await page.getByRole("link", { name: /^Calls ?3$/ }).waitFor();
    const before = asked();
    await page.clock.runFor(11_000);
    await expect.poll(asked).toBeGreaterThan(before);
    const show = (state: string): Promise<void> =>
      page.evaluate((value) => {
        Object.defineProperty(document, "visibilityState", { value, configurable: true });
        window.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await show("hidden");
    await page.getByRole("link", { name: /^Calls ?3$/ }).waitFor();
    const hidden = asked();
    await page.clock.runFor(60_000);
    expect(asked()).toBe(hidden);
    await show("visible");
    await expect.poll(asked).toBeGreaterThan(hidden);
  });

  it("is not asked for again without a session", long, async () => {
    const { page } = await console.open("about:blank");
    await page.clock.install();
    const refusal = { error: "An API key is required.", code: "UNAUTHORIZED" };
    const asked = await counted(page, (route) => route.fulfill({ status: 401, json: refusal }));
    await page.goto(`${gateway.page}#/overview`);
    await expect.poll(asked).toBeGreaterThan(0);
    await page.clock.runFor(2_000);
    const before = asked();
    await page.clock.runFor(60_000);
    expect(asked()).toBe(before);
  });

  eachOf(LOOKS, 0)(
    "passes axe and has no layout shift, %s at %i by %i",
    async (colorScheme, width, height) => {
      const { page, found } = await openOverview("", { colorScheme, viewport: { width, height } });
      expect(await moved(page)).toEqual([]);
      await page.getByRole("button", { name: "Values: Calls over time" }).click();
      await page.getByRole("region", { name: "Values: Calls over time" }).waitFor();
      await page.getByRole("button", { name: TIME }).click();
      await page.getByRole("button", { name: "Last 6 hours" }).waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `time-${colorScheme}-${width}`);
      expect(found).toEqual([]);
    },
  );
});
