import { beforeAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { screenshot, signIn } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { recordPast } from "../testing/past.ts";

describeGatewayPages("rollout", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(JSON.stringify({ mcpServers: { a: FAULTY, b: FAULTY } }));
    const wrong = ["get_weather", { city: 1, colour: "red" }] as const;
    const fine = ["get_weather", { city: "Oslo" }] as const;
    await callTools(gateway, "a", [fine, wrong, wrong, fine]);
    await callTools(gateway, "b", [["update_contact", { id: "1", email: "a@b.example" }], fine]);
  }, 60_000);

  it("shows what strict would block, by tool and rule, and when", async () => {
    const { page, found } = await console.open(gateway.page);
    await page.getByRole("link", { name: "Rollout" }).click();
    await page.getByText("Strict would have blocked 3 of 6 checked calls.").waitFor();
    const table = page.getByRole("table", { name: "What strict would have blocked" });
    const lines = async (columns: number): Promise<readonly string[][]> => {
      const texts = await table.getByRole("row").allInnerTexts();
      return texts.slice(1).map((line) => line.split(/\s+/).slice(0, columns));
    };
    await expect
      .poll(() => lines(5))
      .toEqual([
        ["a", "get_weather", "input", "extra", "2"],
        ["a", "get_weather", "input", "type", "2"],
        ["a", "get_weather", "output", "type", "2"],
        ["b", "update_contact", "output", "extra", "1"],
      ]);
    const chart = page.getByRole("img", { name: /^Calls over time: 3 would not be blocked, 3 / });
    await chart.waitFor();
    await expect.poll(() => page.locator(".u-wrap canvas").count()).toBe(1);
    await page.getByRole("button", { name: "Values: Calls over time" }).click();
    const figures = page.getByRole("table", { name: /^Calls over time/ }).getByRole("row");
    await expect
      .poll(async () => (await figures.allInnerTexts()).map((row) => row.split("\t").slice(1)))
      .toEqual([
        ["would not be blocked", "would be blocked"],
        ["3", "3"],
      ]);
    await screenshot(page, "rollout");
    await page.getByLabel("Group by").selectOption("rule");
    await page.waitForURL(/by=rule/);
    await expect
      .poll(() => lines(2))
      .toEqual([
        ["type", "4"],
        ["extra", "3"],
      ]);
    await page.getByLabel("Server", { exact: true }).fill("b");
    await page.getByLabel("Server", { exact: true }).press("Enter");
    await page.getByText("Strict would have blocked 1 of 2 checked calls.").waitFor();
    await page.getByRole("button", { name: /^Time: / }).click();
    await page.getByRole("button", { name: "Last 24 hours" }).click();
    await page.waitForURL(/server=b&.*since=24h/);
    await page.getByText("Strict would have blocked 1 of 2 checked calls.").waitFor();
    expect(found).toEqual([]);
  });

  it("shows each day, and only the requested groups", long, async () => {
    const earlier = await console.start(JSON.stringify({ mcpServers: { a: FAULTY } }));
    await recordPast(earlier.dataDir, [
      { daysAgo: 9, server: "a", tool: "t", rule: "type", calls: 5 },
      { daysAgo: 3, server: "a", tool: "t", rule: "type", calls: 2 },
      { daysAgo: 3, server: "b", tool: "u", rule: "extra", calls: 3 },
      { daysAgo: 2, server: "a", tool: "t", calls: 10 },
      { daysAgo: 1, server: "a", tool: "t", rule: "type", calls: 4 },
    ]);
    const { page, found } = await console.open(`${earlier.page}#/rollout?by=tool`);
    await page
      .getByText("Strict would have blocked 9 of 9 checked calls. Unknown: 10 calls.")
      .waitFor();
    const legend = page.getByRole("list", { name: "Legend" }).getByRole("button");
    await expect.poll(() => legend.allInnerTexts()).toEqual(["a / t: 6", "b / u: 3"]);
    await page.getByRole("button", { name: /^Values: / }).click();
    const figures = page.getByRole("table", { name: / over time/ }).getByRole("row");
    const cells = async () =>
      (await figures.allInnerTexts()).map((row) => row.split("\t").slice(1)).slice(1);
    await expect.poll(cells).toEqual([
      ["2", "3"],
      ["4", "0"],
    ]);
    // First all calls, then the calls of the day that was selected with keys.
    await page.getByLabel("Group by").selectOption("all");
    await expect.poll(() => legend.allInnerTexts()).toEqual(["10 not known", "9 would be blocked"]);
    await expect.poll(cells).toEqual([
      ["0", "5"],
      ["10", "0"],
      ["0", "4"],
    ]);
    await page.getByRole("slider", { name: "Time range of calls" }).press("End");
    for (const key of ["ArrowLeft", "Enter"]) await page.keyboard.press(key);
    await page.getByText("Strict would have blocked 4 of 4 checked calls.").waitFor();
    await screenshot(page, "rollout-by-tool");
    await page.goto(`${earlier.page}#/rollout?since=14d`);
    await page
      .getByText("Strict would have blocked 14 of 14 checked calls. Unknown: 10 calls.")
      .waitFor();
    await expect
      .poll(() => legend.allInnerTexts())
      .toEqual(["10 not known", "14 would be blocked"]);
    expect(found).toEqual([]);
  });

  it("does not call strict safe if nothing was recorded", long, async () => {
    const empty = await console.start(JSON.stringify({ mcpServers: { a: FAULTY } }));
    const { page, found } = await console.open(`${empty.page}#/rollout`);
    await page.getByText("Nothing was recorded in this period").waitFor();
    expect(await page.locator(".notice.good").count()).toBe(0);
    expect(found).toEqual([]);
  });

  it("gives each link to records its own name", long, async () => {
    const { page } = await console.open(`${gateway.page}#/rollout`);
    const links = page.getByRole("link", { name: /^Show records of a, get_weather, / });
    await links.first().waitFor();
    await expect.poll(() => links.count()).toBe(3);
    const names = await links.evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(new Set(names).size).toBe(names.length);
    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel);
    await page.keyboard.press("j");
    expect(await focused()).toBe(names[0]);
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe(names[1]);
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/activity/);
  });

  it("offers the rules that excuse these issues, and links to the records", long, async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page, found } = await console.open(`${gateway.page}#/rollout`, { permissions });
    await page.getByRole("button", { name: "Copy rules" }).click();
    await page.getByText("Copied rules").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toMatchObject({
      mcpServers: {
        a: {
          touchstone: {
            tools: {
              get_weather: {
                input_validation: { rules: { "/city": "warning", "/colour": "warning" } },
              },
            },
          },
        },
      },
    });
    await page.getByRole("link", { name: "Show" }).last().click();
    await page.waitForURL(/#\/activity\?type=policy_decision&server=b&tool=update_contact/);
    await page.getByText(/^1 record/).waitFor();
    expect(found).toEqual([]);
  });

  it(
    "shows which tools are safe to turn strict, turns one strict, and undoes that",
    long,
    async () => {
      const { page, found } = await console.open(`${gateway.page}#/rollout`);
      const table = page.getByRole("table", { name: "Readiness of each tool" });
      await table.getByText("safe: 1 checked, 0 would be blocked").first().waitFor();
      const states = (name: string) =>
        table.getByRole("row", { name }).first().locator("[data-state]").allInnerTexts();
      await expect
        .poll(() => states("get_weather b"))
        .toEqual(["safe: 1 checked, 0 would be blocked"]);
      await expect
        .poll(() => states("get_weather a"))
        .toEqual([
          "would block 2 of 4",
          "would block 2 of 4",
          "safe: 4 checked, 0 would be blocked",
        ]);
      await page.getByText(/^1 of \d+ tools are strict or safe to turn strict\.$/).waitFor();
      const toggle = page.getByRole("switch", { name: "get_weather of b strict" });
      await signIn(page, gateway.token);
      const before = gateway.text();
      await page.getByLabel("Reason", { exact: true }).fill("no violation in a week");
      await toggle.focus();
      await page.keyboard.press("Space");
      await page.getByText("get_weather is strict").waitFor();
      await expect.poll(() => toggle.isChecked()).toBe(true);
      expect(JSON.parse(gateway.text())).toMatchObject({
        mcpServers: {
          b: {
            touchstone: {
              tools: {
                get_weather: {
                  input_validation: { mode: "strict" },
                  output_validation: { mode: "strict" },
                  protocol_validation: { mode: "strict" },
                },
              },
            },
          },
        },
      });
      await page.getByLabel("Reason for undoing").fill("not yet");
      await page.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => toggle.isChecked()).toBe(false);
      expect(JSON.parse(gateway.text())).toEqual(JSON.parse(before));
      await expect
        .poll(async () =>
          (await gateway.records({ type: "config_change" }))
            .map((each) => each.given_reason)
            .filter((reason) => reason !== undefined),
        )
        .toEqual(["no violation in a week", "not yet"]);
      await toggle.focus();
      await page.keyboard.press("Space");
      await expect.poll(() => toggle.isChecked()).toBe(true);
      await page.keyboard.press("Space");
      await page.getByText("get_weather is no longer strict").waitFor();
      await expect.poll(() => toggle.isChecked()).toBe(false);
      expect(JSON.parse(gateway.text())).toEqual(JSON.parse(before));
      await screenshot(page, "rollout-readiness");
      expect(found).toEqual([]);
    },
  );
});
