import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { parseConfig } from "../../../gateway/src/config/load.ts";
import { findings, layoutShift, overflow } from "../testing/axe.ts";
import { enterKey, screenshot, signIn } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { LOOKS } from "../testing/looks.ts";
import { recordPast } from "../testing/past.ts";

const WRONG = ["get_weather", { city: 1, colour: "red" }] as const;
const BERLIN = ["get_weather", { city: "Berlin" }] as const;
const OSLO = ["get_weather", { city: "Oslo" }] as const;

const calls = (page: Page) => page.getByRole("table", { name: "Calls" });
const rows = (page: Page) => page.locator('.rows [role="row"]');
const filter = (page: Page) => page.getByRole("combobox", { name: "Filter" });
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest("[aria-rowindex]")?.ariaRowIndex);

describeGatewayPages("activity", (console) => {
  let gateway: ServedGateway;
  let strict: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(
      JSON.stringify({ mcpServers: { faulty: FAULTY, other: FAULTY }, activity: { bodies: true } }),
    );
    await callTools(gateway, "faulty", [OSLO, BERLIN, WRONG]);
    await callTools(gateway, "other", [OSLO]);
    const narrow = { properties: { city: { pattern: "^[A-Z]" } } };
    const narrowed = {
      ...FAULTY,
      touchstone: { input_validation: { repair: ["safe"] }, tools: { get_weather: { narrow } } },
    };
    strict = await console.start(
      JSON.stringify({
        mcpServers: { faulty: FAULTY, narrowed },
        input_validation: { mode: "strict" },
      }),
    );
    await callTools(strict, "narrowed", [["get_weather", { city: 1 }]]);
    await callTools(strict, "faulty", [WRONG, OSLO]);
  }, 60_000);

  it("lists one row per call, and filters by typing, choosing or clicking", async () => {
    const { page, found } = await console.open(gateway.page);
    await page.getByRole("link", { name: "Activity" }).click();
    await page.getByText("4 calls", { exact: true }).waitFor();
    await expect.poll(() => rows(page).count()).toBe(4);
    // With the keyboard: the first suggestion for a text is the text itself.
    await page.keyboard.press("/");
    await page.keyboard.type("OTHER");
    await page.getByRole("option", { name: "Search for “OTHER”" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/activity\?q=OTHER$/);
    await page.getByText("1 call", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove Text: OTHER" }).click();
    // With the mouse: one of the known values.
    await filter(page).fill("warn");
    await page.getByRole("option", { name: "warning" }).first().click();
    await page.waitForURL(/#\/activity\?status=warning$/);
    await page.getByText("2 calls", { exact: true }).waitFor();
    // A click on a cell filters by its text.
    await rows(page).first().getByRole("button", { name: "faulty" }).click();
    await page.waitForURL(/#\/activity\?status=warning&server=faulty$/);
    await screenshot(page, "activity-filtered");
    await page.reload();
    await page.getByText("2 calls", { exact: true }).waitFor();
    const applied = page.getByRole("list", { name: "Filters that apply" });
    await expect
      .poll(() => applied.getByText(/:/).allTextContents())
      .toEqual(["Status: warning", "Server: faulty"]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.waitForURL(/#\/activity$/);
    expect(found).toEqual([]);
  });

  it("takes several filters at once, and names what does not exist without losing the list", async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity`);
    await page.getByText("4 calls", { exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("-server:other -status:success,error get_weather");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/activity\?q=get_weather&-status=success%2Cerror&-server=other$/);
    await page.getByText("2 calls", { exact: true }).waitFor();
    const applied = page.getByRole("list", { name: "Filters that apply" });
    const chips = () => applied.getByText(/:/).allTextContents();
    const three = ["Text: get_weather", "Status: not success", "Status: not error"];
    await expect.poll(chips).toEqual([...three, "Server: not other"]);
    await page.keyboard.type("sttus:blocked");
    await page.keyboard.press("Enter");
    const problem = page.getByRole("alert").filter({ hasText: /did you mean status/ });
    await problem.waitFor();
    expect(await filter(page).inputValue()).toBe("sttus:blocked");
    expect(await filter(page).getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByText("2 calls", { exact: true }).count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await filter(page).fill("tool:get");
    await problem.waitFor({ state: "hidden" });
    await page.getByRole("option", { name: "get_weather", exact: true }).click();
    await page.waitForURL(/&tool=get_weather&-server=other$|&-server=other&tool=get_weather$/);
    await page.getByRole("button", { name: "Remove Server: not other" }).click();
    await page.waitForURL(/&tool=get_weather$/);
    // A user may have written the address by hand.
    await page.goto(`${gateway.page}#/activity?status=blokced&server=other`);
    await page
      .getByRole("alert")
      .filter({ hasText: /"blokced" is not a value .did you mean blocked/ })
      .waitFor();
    await page.getByText("1 call", { exact: true }).waitFor();
    expect(found).toEqual([]);
  });

  it("saves a view for everyone, opens it, and deletes it", async () => {
    const { page, found } = await console.open(
      `${gateway.page}#/activity?server=faulty&-status=success`,
    );
    await page.getByText("2 calls", { exact: true }).waitFor();
    await signIn(page, gateway.token);
    const views = page.getByRole("button", { name: "Views" });
    await views.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Save or delete views…" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Saved views" });
    await dialog.getByText("Filters: -status:success server:faulty").waitFor();
    await dialog.getByLabel("Name").fill("<b>warned</b> & held");
    await page.keyboard.press("Enter");
    const list = dialog.getByRole("list", { name: "Saved views" });
    await list.getByText("<b>warned</b> & held").waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, "activity-views");
    await page.keyboard.press("Escape");
    await page.goto(`${gateway.page}#/activity`);
    await page.getByText("4 calls", { exact: true }).waitFor();
    await views.click();
    await page.getByRole("menuitem", { name: "<b>warned</b> & held" }).click();
    await page.waitForURL(/#\/activity\?-status=success&server=faulty$/);
    await page.getByText("2 calls", { exact: true }).waitFor();
    await views.click();
    await page.getByRole("menuitem", { name: "Save or delete views…" }).click();
    await dialog.getByRole("button", { name: "Delete <b>warned</b> & held" }).click();
    await list.waitFor({ state: "detached" });
    expect(found).toEqual([]);
  });

  it("finds text in arguments, and says how much was searched if a search stops", async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity?q=berlin`);
    await page.getByText("1 call", { exact: true }).waitFor();
    const older = page.getByRole("button", { name: "Search older calls" });
    expect(await older.count()).toBe(0);
    await page.route(/\/api\/v1\/calls\?/, (route) => {
      const searched = { calls: 200_000, of: 1_000_000, indexed: true };
      const stopped = { calls: [], total: null, limit: 200, next_cursor: "AAAA", searched };
      return route.fulfill({ json: { ...stopped, searched_to: "2026-01-01T00:00:00.000Z" } });
    });
    await page.goto(`${gateway.page}#/activity?q=oslo`);
    await page.getByText("No match yet: searched the newest 200,000 of 1,000,000 calls.").waitFor();
    expect(await page.getByText("No call matches.").count()).toBe(0);
    await page.unroute(/\/api\/v1\/calls\?/);
    await page.route(/\/api\/v1\/calls\?/, (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/cursor=[^&]*/, ""),
      }),
    );
    await older.click();
    await page.getByText("2 calls", { exact: true }).waitFor();
    await older.waitFor({ state: "detached" });
    expect(found).toEqual([]);
  });

  it("says that nothing matches, and what is wrong with a filter", long, async () => {
    const { page } = await console.open(`${gateway.page}#/activity?server=nobody`);
    await page.getByText("Remove a filter, or choose a longer time.").waitFor();
    await page.goto(`${gateway.page}#/activity?since=yesterday`);
    await page.getByText(/since: "yesterday" is not/).waitFor();
    expect(await page.getByText("No call matches.").count()).toBe(0);
    await page.goto(`${gateway.page}#/activity/01AAAAAAAAAAAAAAAAAAAAAAAA`);
    await page.getByRole("dialog").getByText("No record has this id.").waitFor();
  });

  it("charts the outcomes over time, and zooms into a dragged range", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity`);
    const chart = page.getByRole("img", { name: /^Calls over time: .*2 warning/ });
    await chart.locator("canvas").waitFor();
    const box = await chart.boundingBox();
    if (box === null) throw new Error("it is drawn");
    const [y, right] = [box.y + box.height / 2, box.x + box.width - 4];
    await page.mouse.move(right - 200, y);
    await page.mouse.down();
    await page.mouse.move(right, y, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/since=.*&until=/);
    await page.getByRole("button", { name: /^Time: .* to / }).click();
    await page.getByRole("button", { name: "Last hour" }).click();
    await page.waitForURL(/#\/activity\?since=1h$/);
    await page.getByText("4 calls", { exact: true }).waitFor();
    expect(found).toEqual([]);
  });

  it("shows the records behind the calls one by one", long, async () => {
    const { page } = await console.open(`${gateway.page}#/activity`);
    await page.getByText("4 calls", { exact: true }).waitFor();
    await page.locator("label", { hasText: /^Records$/ }).click();
    await page.waitForURL(/#\/activity\?view=records$/);
    const records = page.getByRole("table", { name: "Records" });
    await records.getByRole("button", { name: "decision" }).first().click();
    await page.waitForURL(/#\/activity\?type=policy_decision$/);
    await page.getByText(/^\d records/).waitFor();
  });

  it("saves every match as a file", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity?server=other`);
    await page.getByText("1 call", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const saved = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: /JSON Lines/ }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe("touchstone-activity.jsonl");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).server)).toEqual(lines.map(() => "other"));
    expect(found).toEqual([]);
  });

  it("shows each issue next to the schema and the place in the payload", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity?status=warning`);
    await rows(page).first().getByRole("link").click();
    const call = page.getByRole("dialog", { name: "call: faulty / get_weather" });
    const input = call.getByRole("region", { name: "2 issues in the arguments" });
    const output = call.getByRole("region", { name: "1 issue in the result" });
    const schema = input.getByRole("region", { name: "In the input schema" });
    const payload = input.getByRole("region", { name: "In the input payload" });
    await schema.first().waitFor();
    expect((await schema.locator("mark").allInnerTexts()).sort()).toEqual([
      '"additionalProperties": false',
      '"type": "string"',
    ]);
    expect((await payload.locator("mark").allInnerTexts()).sort()).toEqual([
      '"city": 1',
      '"colour": "red"',
    ]);
    await screenshot(page, "activity-call");
    const place = output.getByRole("region", { name: "In the output payload" });
    await place.getByText('"city": 1').waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(/#\/activity\?status=warning$/);
    await call.waitFor({ state: "hidden" });
    expect(found).toEqual([]);
  });

  it("shows a blocked call as a conversation, up to the next attempt", async () => {
    const { page, found } = await console.open(`${strict.page}#/activity?status=blocked`);
    await rows(page).first().getByRole("link").click();
    const call = page.getByRole("dialog");
    const said = call.getByRole("region", { name: "The agent read", exact: true });
    await said
      .getByText(/colour.*not declared/s)
      .first()
      .waitFor();
    const sent = call.getByRole("region", { name: "The agent sent", exact: true });
    await sent.getByText('"colour"').first().waitFor();
    await screenshot(page, "activity-conversation");
    await call.getByRole("link", { name: /It fixed the call/ }).click();
    await call.getByText("success").first().waitFor();
    await call.getByText("Its arguments were not kept.").waitFor();
    expect(found).toEqual([]);
  });

  it("shows schema and arguments of a call of a server that wrap runs, and no action that cannot act", async () => {
    const wrapped = await console.start(
      JSON.stringify({ mcpServers: { faulty: FAULTY }, input_validation: { mode: "strict" } }),
    );
    await callTools(wrapped, "faulty", [WRONG]);
    const text = JSON.stringify({ mcpServers: { faulty: { touchstone: {} } } });
    wrapped.write(text);
    const overrides = { listen: "127.0.0.1:0" };
    await wrapped.gateway.reload(parseConfig(text, { file: wrapped.file, env: {}, overrides }));
    const { page, found } = await console.open(`${wrapped.page}#/activity?status=blocked`);
    await rows(page).first().getByRole("link").click();
    const call = page.getByRole("dialog");
    const sent = call.getByRole("region", { name: "The agent sent", exact: true });
    await sent.getByText('"colour"').first().waitFor();
    const schema = call.getByRole("region", { name: "In the input schema" });
    await schema.filter({ hasText: "additionalProperties" }).first().waitFor();
    await call.getByRole("button", { name: "Allow this" }).waitFor();
    expect(await call.getByRole("link", { name: "Open in Try-It" }).count()).toBe(0);
    expect(await call.getByTitle("The tool").count()).toBe(0);
    await call.getByRole("button", { name: "Copy", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "JSON" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "cURL" }).count()).toBe(0);
    expect(found).toEqual([]);
  });

  it("shows first why a call was blocked, then what was repaired before that", long, async () => {
    const { page, found } = await console.open(`${strict.page}#/activity?server=narrowed`);
    const row = rows(page).first();
    await row.getByText(/city/).waitFor();
    expect(await row.innerText()).not.toContain("must be string");
    await row.getByRole("link").click();
    const wrong = page.getByRole("dialog").getByRole("region", { name: "What was wrong" });
    await wrong.getByText(/^Before that/).waitFor();
    await expect
      .poll(() => wrong.getByRole("heading", { name: /issue/ }).allTextContents())
      .toEqual([
        "1 issue in the arguments",
        "Before that: 1 issue in the arguments, repaired: coerce-scalars at /city",
      ]);
    await expect.poll(() => wrong.getByRole("listitem").first().innerText()).toContain("policy");
    await screenshot(page, "activity-repaired-blocked");
    expect(await findings(page)).toEqual([]);
    expect(found).toEqual([]);
  });

  it("previews how to allow a blocked call, allows it, and undoes that", long, async () => {
    const { page, found } = await console.open(`${strict.page}#/activity?status=blocked`);
    const text = () => readFile(strict.file, "utf8");
    const before = await text();
    await rows(page).first().getByRole("link").click();
    await page.getByRole("button", { name: "Allow this" }).click();
    // A visitor is asked to sign in before the first change, which then goes on.
    await enterKey(page, strict.token);
    const dialog = page.getByRole("dialog", { name: "Allow what this call does" });
    const diff = dialog.getByRole("region", { name: "What changes" });
    await diff.getByText(/^\+/).first().waitFor();
    await screenshot(page, "activity-allow");
    expect(await text()).toBe(before);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await text()).not.toBe(before);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone", { exact: true }).waitFor();
    expect(await text()).toBe(before);
    expect(found).toEqual([]);
  });

  it("moves between calls with j and k, and copies them", long, async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page, found } = await console.open(`${gateway.page}#/activity`, { permissions });
    await rows(page).first().getByRole("link").click();
    const hash = () => page.evaluate(() => location.hash);
    const first = await hash();
    await page.getByRole("link", { name: "Older call" }).waitFor();
    await page.keyboard.press("j");
    await expect.poll(hash).not.toBe(first);
    const second = await hash();
    await page.getByRole("link", { name: "Newer call" }).waitFor();
    await page.keyboard.press("k");
    await expect.poll(hash).toBe(first);
    await page.goto(gateway.page + second);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    for (const [name, text] of [
      ["JSON", /"type": "tool_call"/],
      ["Id", /^[0-9A-Z]{26}$/],
      ["Link", /#\/activity\//],
      ["cURL", /servers\/faulty\/tools\/get_weather\/call/],
      ["touchstone call", /^touchstone call .*'faulty' 'get_weather' '\{/],
    ] as const) {
      await page.getByRole("button", { name: "Copy", exact: true }).click();
      await page.getByRole("menuitem", { name, exact: true }).click();
      await expect.poll(clipboard).toMatch(text);
    }
    expect(found).toEqual([]);
  });

  it("does not reopen a closed record on going back", long, async () => {
    const { page } = await console.open(`${gateway.page}#/settings`);
    const hash = () => page.evaluate(() => location.hash);
    const close = async () => {
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await page.getByRole("link", { name: "Activity" }).click();
    await rows(page).first().getByRole("link").click();
    await page.getByRole("link", { name: "Older call" }).click();
    const call = await hash();
    await close();
    expect(await hash()).toBe("#/activity");
    await page.goBack();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    // A call that was opened by its address has no list to go back to.
    await page.goto(`${gateway.page}${call}`);
    await page.getByRole("dialog").waitFor();
    await close();
    expect(await hash()).toBe("#/activity");
    await page.goBack();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
  });

  it("shows what changed in a schema", long, async () => {
    const plain = await console.start(JSON.stringify({ mcpServers: { faulty: FAULTY } }));
    await recordPast(plain.dataDir, [
      { daysAgo: 1, server: "faulty", tool: "get_weather", rule: "type", calls: 1 },
    ]);
    await callTools(plain, "faulty", [WRONG]);
    const { page, found } = await console.open(`${plain.page}#/activity`);
    await rows(page).last().getByRole("link").click();
    const call = page.getByRole("dialog");
    await call.getByText("declares another schema now").waitFor();
    await call.getByText("The schema has nothing at this place anymore.").waitFor();
    expect(found).toEqual([]);
  });

  it("follows new calls, but holds them back while somebody reads", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity?server=other`);
    await rows(page).first().waitFor();
    const before = await rows(page).count();
    await page.getByRole("switch", { name: "Follow live" }).click();
    await page.getByRole("switch", { name: "Follow live", checked: true }).waitFor();
    await page.getByText(/, following$/).waitFor();
    await callTools(gateway, "other", [WRONG]);
    await expect.poll(() => rows(page).count()).toBe(before + 1);
    await callTools(gateway, "faulty", [OSLO]);
    await callTools(gateway, "other", Array(40).fill(OSLO));
    await page.getByText(`${before + 41} calls`).waitFor();
    const scroller = page.locator(".scroller");
    await scroller.evaluate((each) => each.scrollTo({ top: 400 }));
    const top = await rows(page).first().getAttribute("aria-rowindex");
    await callTools(gateway, "other", [OSLO]);
    await page.getByRole("button", { name: "Show 1 new" }).waitFor();
    await expect.poll(() => rows(page).first().getAttribute("aria-rowindex")).toBe(top);
    await page.getByRole("button", { name: "Show 1 new" }).click();
    await expect.poll(() => scroller.evaluate((each) => each.scrollTop)).toBe(0);
    expect(found).toEqual([]);
  });

  it("can be used with the keyboard alone", long, async () => {
    const { page } = await console.open(`${gateway.page}#/activity`);
    await rows(page).first().getByRole("link").focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toBe("3");
    await page.keyboard.press("k");
    await expect.poll(() => focused(page)).toBe("2");
    await page.keyboard.press("End");
    const last = Number(await calls(page).getAttribute("aria-rowcount"));
    await expect.poll(() => focused(page)).toBe(`${last}`);
    await page.keyboard.press("Home");
    await expect.poll(() => focused(page)).toBe("2");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => focused(page)).toBe("2");
  });

  it("renders only the visible rows of thousands, and loads more as needed", long, async () => {
    await callTools(gateway, "other", Array(450).fill(OSLO));
    const { page, found } = await console.open(`${gateway.page}#/activity?server=other`);
    await rows(page).first().waitFor();
    expect(await rows(page).count()).toBeLessThan(100);
    await rows(page).first().getByRole("link").focus();
    await expect
      .poll(
        async () => {
          await page.keyboard.press("End");
          return Number(await focused(page));
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(450);
    expect(await rows(page).count()).toBeLessThan(100);
    expect(found).toEqual([]);
  });

  eachOf(LOOKS, 0)(
    "passes axe and has no layout shift, %s at %i by %i",
    async (colorScheme, width, height) => {
      const { page, found } = await console.open(`${gateway.page}#/activity`, {
        colorScheme,
        viewport: { width, height },
      });
      await rows(page).first().waitFor();
      await page.getByRole("img", { name: /^Calls over time/ }).waitFor();
      expect(await layoutShift(page)).toBeLessThan(0.05);
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `activity-${colorScheme}-${width}`);
      await page.goto(`${gateway.page}#/activity?status=warning`);
      await rows(page).first().getByRole("link").click();
      const payload = page.getByRole("dialog").getByRole("region", { name: /In the .* payload/ });
      await payload.first().waitFor();
      expect(await findings(page)).toEqual([]);
      await screenshot(page, `call-${colorScheme}-${width}`);
      expect(found).toEqual([]);
    },
    60_000,
  );
});
