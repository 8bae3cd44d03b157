import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { screenshot } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { recordPast } from "../testing/past.ts";

const WRONG = ["get_weather", { city: 1, colour: "red" }] as const;
const BERLIN = ["get_weather", { city: "Berlin" }] as const;
const OSLO = ["get_weather", { city: "Oslo" }] as const;

const records = (page: Page) => page.getByRole("table", { name: "Records" });
const rows = (page: Page) => records(page).locator('.rows [role="row"]');

describeGatewayPages("activity", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(
      JSON.stringify({ mcpServers: { faulty: FAULTY, other: FAULTY }, activity: { bodies: true } }),
    );
    await callTools(gateway, "faulty", [OSLO, BERLIN, WRONG]);
    await callTools(gateway, "other", [OSLO]);
  }, 60_000);

  it("is filtered, and the filters stand in the address", async () => {
    const { page, found } = await console.open(gateway.page);
    await page.getByRole("link", { name: "Activity" }).click();
    await records(page).getByText("faulty").first().waitFor();
    const all = await rows(page).count();
    await page.getByLabel("Status").selectOption("warning");
    await page.getByLabel("Tool", { exact: true }).fill("get_weather");
    await page.getByLabel("Tool", { exact: true }).press("Enter");
    await page.waitForURL(/#\/activity\?tool=get_weather&status=warning$/);
    await page.getByText(/^\d records/).waitFor();
    expect(await rows(page).count()).toBeLessThan(all);
    await screenshot(page, "activity-filtered");
    await page.reload();
    await rows(page).first().waitFor();
    expect(await page.getByLabel("Status").inputValue()).toBe("warning");
    await page.getByLabel("Server", { exact: true }).fill("nobody");
    await page.getByLabel("Server", { exact: true }).press("Enter");
    await page.getByText("No record matches.").waitFor();
    await page.goBack();
    await rows(page).first().waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.waitForURL(/#\/activity$/);
    expect(found).toEqual([]);
  });

  it("tells whole in a field what it takes", async () => {
    const { page } = await console.open(`${gateway.page}#/activity`);
    await page.getByText("More filters").click();
    await page.getByLabel("Until").waitFor();
    const cut = await page.locator(".filters input").evaluateAll((inputs) =>
      inputs.filter((each) => {
        const input = each as HTMLInputElement;
        input.value = input.placeholder;
        return input.scrollWidth > input.clientWidth;
      }),
    );
    expect(cut).toEqual([]);
  });

  it("says what is wrong with a filter, and that there is no such record", async () => {
    const { page } = await console.open(`${gateway.page}#/activity?since=yesterday`);
    await page.getByText(/since: "yesterday" is not/).waitFor();
    expect(await page.getByText("No record matches.").count()).toBe(0);
    await page.goto(`${gateway.page}#/activity/01AAAAAAAAAAAAAAAAAAAAAAAA`);
    await page.getByRole("dialog").getByText("There is no record").waitFor();
  });

  it("shows each issue next to the schema and the place in the payload", async () => {
    const { page, found } = await console.open(
      `${gateway.page}#/activity?type=policy_decision&direction=input`,
    );
    await rows(page).first().getByRole("link").click();
    const drawer = page.getByRole("dialog", { name: "decision: faulty / get_weather" });
    await drawer.getByText("2 issues of the input").waitFor();
    const schema = drawer.getByRole("region", { name: "In the input schema" });
    const payload = drawer.getByRole("region", { name: "In the input payload" });
    await schema.first().waitFor();
    expect((await schema.locator("mark").allInnerTexts()).sort()).toEqual([
      '"additionalProperties": false',
      '"type": "string"',
    ]);
    expect((await payload.locator("mark").allInnerTexts()).sort()).toEqual([
      '"city": 1',
      '"colour": "red"',
    ]);
    await screenshot(page, "activity-record");
    await drawer.getByRole("link", { name: /call$/ }).click();
    const call = page.getByRole("dialog", { name: "call: faulty / get_weather" });
    await call.getByText("1 issue of the output").waitFor();
    await call
      .getByRole("definition")
      .getByText(/^\d+(\.\d)? m?s$/)
      .waitFor();
    await call
      .getByRole("region", { name: "In the output payload" })
      .getByText('"city": 1')
      .waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(/#\/activity\?type=policy_decision&direction=input$/);
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(found).toEqual([]);
  });

  it("is not opened again by going back once it was closed", async () => {
    const { page } = await console.open(`${gateway.page}#/settings`);
    const hash = () => page.evaluate(() => location.hash);
    const close = async () => {
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await page.getByRole("link", { name: "Activity" }).click();
    const decision = rows(page)
      .filter({ hasText: /decision.*input/ })
      .first();
    await decision.getByRole("link").click();
    await page.getByRole("dialog").getByRole("link", { name: /call$/ }).click();
    await page.getByRole("dialog", { name: /^call/ }).waitFor();
    const call = await hash();
    await close();
    expect(await hash()).toBe("#/activity");
    await page.goBack();
    await page.getByRole("heading", { name: "Limits" }).waitFor();
    // Opened by its address, it has no list to go back to.
    await page.goto(`${gateway.page}${call}`);
    await page.getByRole("dialog").waitFor();
    await close();
    expect(await hash()).toBe("#/activity");
    await page.goBack();
    await page.getByRole("heading", { name: "Limits" }).waitFor();
  });

  it("tells how bodies are kept where they are not, and that a schema is another one now", async () => {
    const mcpServers = { faulty: FAULTY };
    const plain = await console.start(JSON.stringify({ mcpServers }));
    await recordPast(plain.dataDir, [
      { daysAgo: 1, server: "faulty", tool: "get_weather", rule: "type", calls: 1 },
    ]);
    await callTools(plain, "faulty", [WRONG]);
    const { page, found } = await console.open(
      `${plain.page}#/activity?type=policy_decision&direction=input`,
    );
    await rows(page).first().getByRole("link").click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Bodies are not kept.").first().waitFor();
    await drawer.getByRole("region", { name: "In the input schema, issue 1" }).waitFor();
    expect(await drawer.getByText("declares another schema now").count()).toBe(0);
    await page.keyboard.press("Escape");
    await rows(page).last().getByRole("link").click();
    await drawer.getByText("declares another schema now").waitFor();
    await drawer.getByText("The schema has nothing at this place any more.").waitFor();
    expect(found).toEqual([]);
  });

  it("is followed live, and leaves whoever reads in peace", async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity?server=other`);
    await rows(page).first().waitFor();
    const before = await rows(page).count();
    // The address tells what is checked, and that changes a moment after the click: `check` looks at once.
    await page.getByLabel("Follow live").click();
    await page.getByRole("checkbox", { name: "Follow live", checked: true }).waitFor();
    await page.getByText(/, following$/).waitFor();
    await callTools(gateway, "other", [WRONG]);
    await expect.poll(() => rows(page).count()).toBe(before + 3);
    await callTools(gateway, "faulty", [OSLO]);
    await callTools(gateway, "other", Array(40).fill(OSLO));
    await page.getByText(`${before + 43} records`).waitFor();
    await records(page)
      .locator(".scroller")
      .evaluate((each) => each.scrollTo({ top: 400 }));
    const top = await rows(page).first().getAttribute("aria-rowindex");
    await callTools(gateway, "other", [OSLO]);
    await page.getByRole("button", { name: "Show 1 new" }).waitFor();
    expect(await rows(page).first().getAttribute("aria-rowindex")).toBe(top);
    await page.getByRole("button", { name: "Show 1 new" }).click();
    await expect
      .poll(() =>
        records(page)
          .locator(".scroller")
          .evaluate((each) => each.scrollTop),
      )
      .toBe(0);
    expect(found).toEqual([]);
  });

  it("is gone through with a keyboard alone", async () => {
    const { page } = await console.open(`${gateway.page}#/activity`);
    await rows(page).first().waitFor();
    await rows(page).first().getByRole("link").focus();
    await page.keyboard.press("ArrowDown");
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("[aria-rowindex]")?.ariaRowIndex);
    await expect.poll(focused).toBe("3");
    await page.keyboard.press("End");
    const last = Number(await records(page).getAttribute("aria-rowcount"));
    await expect.poll(focused).toBe(`${last}`);
    await page.keyboard.press("Home");
    await expect.poll(focused).toBe("2");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await expect.poll(focused).toBe("2");
  });

  it("draws only what is in sight of thousands, and asks for more as it is needed", async () => {
    await callTools(gateway, "other", Array(450).fill(OSLO));
    const { page, found } = await console.open(
      `${gateway.page}#/activity?server=other&type=tool_call`,
    );
    await rows(page).first().waitFor();
    const total = Number(await records(page).getAttribute("aria-rowcount"));
    expect(total).toBeGreaterThan(449);
    expect(await rows(page).count()).toBeLessThan(100);
    await rows(page).first().getByRole("link").focus();
    const focused = () =>
      page.evaluate(() => Number(document.activeElement?.closest("[aria-rowindex]")?.ariaRowIndex));
    await expect
      .poll(
        async () => {
          await page.keyboard.press("End");
          return focused();
        },
        { timeout: 20_000 },
      )
      .toBe(total);
    expect(await rows(page).count()).toBeLessThan(100);
    expect(found).toEqual([]);
  });
});
