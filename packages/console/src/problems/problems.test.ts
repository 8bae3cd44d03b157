import { beforeAll, expect, it } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { findings, moved, overflow } from "../testing/axe.ts";
import { screenshot } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { LOOKS } from "../testing/looks.ts";

const INPUT = /^\/city must be a string/;

describeGatewayPages("the problems", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
    await callTools(gateway, "faulty", [
      ["get_weather", { city: 1 }],
      ["get_weather", { city: 2 }],
      ["get_weather", { city: "Oslo" }],
    ]);
  }, 60_000);

  it("open their calls, and can be allowed, ignored and copied for the server's author", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page, found } = await console.open(gateway.gateway.consoleLink(), { permissions });
    const before = gateway.text();
    const list = page.getByRole("region", { name: "List of problems" });
    const row = list.getByRole("row", { name: /arguments/ });
    await row.getByText("2", { exact: true }).waitFor();
    await row.getByRole("link", { name: INPUT }).press("Enter");
    const heading = page.getByRole("heading", { name: INPUT, level: 1 });
    await heading.waitFor();
    expect(await heading.evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await findings(page)).toEqual([]);
    const opened = page.url();

    await page.getByRole("button", { name: "Copy for the server's author" }).click();
    await page.getByText("Copied the text").waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toMatch(/^### \/city must be a string/);
    expect(text).toMatch(/^- Server: `faulty` \(`faulty-server\/[\d.]+`, MCP /m);
    expect(text).toContain("- Calls: 2, 0 of them blocked\n");

    await page.getByRole("link", { name: "Show its calls" }).click();
    await page.waitForURL(/#\/activity\?problem=[0-9a-f]{20}$/);
    await page.getByText("2 calls", { exact: true }).waitFor();
    await page.goto(opened);

    await page.getByRole("button", { name: "Allow this" }).click();
    const dialog = page.getByRole("dialog", { name: "Allow this problem" });
    await dialog.getByText('"/city": "warning"').waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByText("allowed", { exact: true }).waitFor();
    expect(gateway.text()).not.toBe(before);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("open", { exact: true }).waitFor();
    expect(gateway.text()).toBe(before);

    await page.getByRole("button", { name: "Ignore", exact: true }).click();
    const asked = page.getByRole("dialog", { name: "Ignore this problem" });
    await asked.getByRole("textbox", { name: "Reason" }).fill("known");
    expect(await findings(page)).toEqual([]);
    await asked.getByRole("button", { name: "Ignore", exact: true }).click();
    await page.getByText(/by operator token: known$/).waitFor();
    await page.getByRole("link", { name: "All problems" }).click();
    await page.getByRole("link", { name: "Ignored 1" }).click();
    await page.waitForURL(/state=ignored/);
    await list
      .getByRole("row", { name: /ignored/ })
      .getByRole("link")
      .click();
    await page.getByRole("button", { name: "Stop ignoring" }).click();
    await page.getByText("open", { exact: true }).waitFor();
    expect(found).toEqual([]);
  });

  it("are on the page of older links to the overview", async () => {
    const { page, found } = await console.open(`${gateway.page}#/overview?period=1h`);
    await page.getByRole("region", { name: "List of problems" }).waitFor();
    await page.getByRole("link", { name: /^Calls ?\d/ }).waitFor();
    expect(found).toEqual([]);
  });

  eachOf(LOOKS, 0)(
    "pass axe and have no layout shift, %s at %i by %i",
    async (colorScheme, width, height) => {
      const viewport = { width, height };
      const { page, found } = await console.open(`${gateway.page}#/problems?state=all`, {
        colorScheme,
        viewport,
      });
      const link = page.getByRole("region", { name: "List of problems" }).getByRole("link").first();
      await link.waitFor();
      expect(await moved(page)).toEqual([]);
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `problems-${colorScheme}-${width}`);
      await link.click();
      await page.getByRole("region", { name: "What is known" }).waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `problem-${colorScheme}-${width}`);
      expect(found).toEqual([]);
    },
  );
});
