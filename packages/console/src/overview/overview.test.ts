import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { findings, layoutShift, overflow } from "../testing/axe.ts";
import { screenshot } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { LOOKS } from "../testing/looks.ts";

describeGatewayPages("the overview", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    const down = { command: "touchstone-no-such-command" };
    gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY, down } }));
  }, 60_000);

  it("explains how to send the first call, and shows it once it arrives", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page, found } = await console.open(gateway.page, { permissions });
    await page.getByText("No calls in the last 24 hours.").waitFor();
    await page.getByRole("button", { name: "Copy entry" }).click();
    await page.getByText("Copied entry").waitFor();
    const entry = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(entry).toEqual({
      mcpServers: { faulty: { type: "http", url: `${gateway.page}mcp/faulty` } },
    });
    await callTools(gateway, "faulty", [
      ["get_weather", { city: 1 }],
      ["get_weather", { city: "Oslo" }],
      ["fail", {}],
    ]);
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("link", { name: /^Calls ?3$/ }).waitFor();
    expect(found).toEqual([]);
  });

  it("links its figures to the calls that they count", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/overview?period=1h`);
    await page.getByRole("link", { name: /^Would be blocked ?1/ }).waitFor();
    await page.getByRole("link", { name: /^Error rate/ }).click();
    await page.getByText("1 call", { exact: true }).waitFor();
    await page.goBack();
    const tools = page.getByRole("region", { name: "Tools", exact: true });
    await tools
      .getByRole("row", { name: /faulty \/ fail/ })
      .getByRole("link", { name: "1" })
      .click();
    await page.waitForURL(/status=error&server=faulty&tool=fail&since=1h$/);
    await page.getByText("1 call", { exact: true }).waitFor();
    await page.goBack();
    const servers = page.getByRole("region", { name: "Servers" });
    await servers.getByText(/command not found/).waitFor();
    await servers.getByRole("link", { name: "down" }).click();
    await page.getByRole("heading", { name: "down" }).waitFor();
    expect(found).toEqual([]);
  });

  it("can be left with the command palette and with keys alone", long, async () => {
    const { page, found } = await console.open(gateway.page);
    await page.getByRole("heading", { name: "Problems", exact: true, level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    // Immediately, while the palette is still loading.
    await page.keyboard.type("get_wea");
    const search = page.getByRole("combobox", { name: /^Search pages/ });
    await expect.poll(() => search.inputValue()).toBe("get_wea");
    await page.getByRole("option", { name: "faulty:get_weather" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/tools\/faulty%3Aget_weather$/);
    await page.getByRole("heading", { name: "faulty:get_weather" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.waitForURL(/#\/activity$/);
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await keys.getByText("Go to Problems").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    expect(found).toEqual([]);
  });

  eachOf(LOOKS, 0)(
    "passes axe and has no layout shift, %s at %i by %i",
    async (colorScheme, width, height) => {
      const viewport = { width, height };
      const { page, found } = await console.open(gateway.page, { colorScheme, viewport });
      await page.getByRole("img", { name: /^Calls over time/ }).waitFor();
      expect(await layoutShift(page)).toBeLessThan(0.05);
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `overview-${colorScheme}-${width}`);
      expect(found).toEqual([]);
    },
  );
});
