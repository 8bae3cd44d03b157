import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { SCRIPTED_SERVER } from "../../../gateway/src/testing/fixtures.ts";
import { overflow } from "../testing/axe.ts";
import { screenshot } from "../testing/console.ts";
import { callTools, describeGatewayPages, type ServedGateway } from "../testing/gateway.ts";

const LONG = `export_accounts_receivable_to_a_spreadsheet_${"x".repeat(85)}`;
const SERVER = "a-server-with-a-long-name";
const inputSchema = { type: "object", properties: { a: { type: "integer" } } };
const tools = [LONG, "work"].map((name) => ({ name, inputSchema }));
const LIST = `tools/list=raw:{"jsonrpc":"2.0","id":$ID,"result":${JSON.stringify({ tools })}}`;

describeGatewayPages("long names", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    const server = { command: process.execPath, args: [SCRIPTED_SERVER, "--on", LIST] };
    gateway = await console.start(JSON.stringify({ mcpServers: { [SERVER]: server } }));
    await callTools(gateway, SERVER, [[LONG, { a: "x" }]]);
  }, 60_000);

  /** Returns how far the content of a table extends beyond the box that it scrolls in, and its highest row. */
  const tableOf = (page: Page, name: string) =>
    page.getByRole("region", { name, exact: true }).evaluate((box) => ({
      beyond: box.scrollWidth - box.clientWidth,
      highest: Math.max(...[...box.querySelectorAll("tr")].map((row) => row.offsetHeight)),
    }));

  it("leave room for the other columns of a table", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/servers/${SERVER}`);
    await page.getByRole("rowheader", { name: LONG }).waitFor();
    const definitions = await tableOf(page, "Tool definitions");
    expect(definitions.beyond).toBe(0);
    expect(definitions.highest).toBeLessThan(150);
    await screenshot(page, "long-contracts");
    await page.goto(`${gateway.page}#/rollout`);
    await page.getByRole("cell", { name: LONG, exact: true }).waitFor();
    expect((await tableOf(page, "What strict would have blocked")).beyond).toBe(0);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(`${gateway.page}#/servers/${SERVER}`);
    await page.getByRole("rowheader", { name: LONG }).waitFor();
    // At this width, a row is a block that contains all columns.
    const stacked = await tableOf(page, "Tool definitions");
    expect(stacked.beyond).toBe(0);
    expect(stacked.highest).toBeLessThan(300);
    expect(await overflow(page)).toBe(0);
    expect(found).toEqual([]);
  });

  eachOf([360, 900, 1150], 1)(
    "are shown in full in the list of records at %i pixels",
    async (width) => {
      const viewport = { width, height: 800 };
      const { page } = await console.open(`${gateway.page}#/activity?tool=${LONG}`, { viewport });
      await page.locator(".rows").getByText(LONG).first().waitFor();
      const cut = await page
        .locator('.rows [role="row"] > span')
        .evaluateAll((cells) =>
          cells.flatMap((cell) => (cell.scrollWidth > cell.clientWidth ? [cell.textContent] : [])),
        );
      expect(cut).toEqual([]);
      await screenshot(page, `long-records-${width}`);
    },
  );
});
