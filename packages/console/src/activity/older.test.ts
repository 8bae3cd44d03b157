import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { describeGatewayPages, FAULTY } from "../testing/gateway.ts";
import { recordPast } from "../testing/past.ts";
import { MAX_KEPT } from "./list-state.ts";

const CALLS = MAX_KEPT + 30;

describeGatewayPages("records beyond those that are listed", (console) => {
  it("lets the keyboard load older records, and focuses the first of them", {
    ...long,
    timeout: 90_000,
  }, async () => {
    const gateway = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
    const past = { server: "faulty", tool: "echo" };
    await recordPast(gateway.dataDir, [
      { ...past, daysAgo: 3, calls: 30 },
      { ...past, daysAgo: 2, calls: CALLS - 30 },
    ]);
    const { page, found } = await console.open(`${gateway.page}#/activity?type=tool_call`);
    const records = page.getByRole("table", { name: "Records" });
    const rows = records.locator('.rows [role="row"]');
    await rows.first().getByRole("link").focus();
    const older = page.getByRole("link", { name: "Show older ones" });
    await expect
      .poll(
        async () => {
          await page.keyboard.press("End");
          return older.count();
        },
        { timeout: 60_000, interval: 20 },
      )
      .toBe(1);
    await older.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/until=/);
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("[aria-rowindex]")?.ariaRowIndex);
    await expect.poll(focused).toBe("2");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("3");
    expect(found).toEqual([]);
  });
});
