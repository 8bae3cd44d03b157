import { createRequire } from "node:module";
import type { Route } from "playwright-core";
import { beforeAll, expect, it, vi } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { cutSelects, findings, moved, overflow } from "../testing/axe.ts";
import { screenshot } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { LOOKS } from "../testing/looks.ts";

const MARKUP = `<img src=x onerror='document.title="run"'>`;
const HOSTILE = `${MARKUP}\u202egpj.exe\u200b`;
const NAMED = "[U+202E]gpj.exe[U+200B]";

const EVERYTHING = {
  command: process.execPath,
  args: [
    createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js"),
    "stdio",
  ],
};

/** Every page that exists only with a gateway. */
const HASHES = [
  ...[
    "activity",
    "sessions",
    "sessions/sha256:00",
    "sessions/timeline",
    "callers",
    "rollout",
    "repairs",
    "drift",
    "drift?tool=x",
  ],
  ...["changes", `changes/${"0".repeat(26)}`, "pins", "pins?hash=x", "servers/faulty?view=client"],
  ...["servers", "servers/faulty", "settings"],
];

describeGatewayPages("the gateway's pages", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    const down = { command: "touchstone-no-such-command" };
    const repairing = { ...FAULTY, touchstone: { input_validation: { repair: ["safe"] } } };
    // Limits that no call of these tests reaches; they are only displayed.
    const narrow = { properties: { text: { pattern: "^[a-z ]*$" } } };
    const limited = {
      ...FAULTY,
      touchstone: { tools: { echo: { narrow, limits: { calls_per_minute: 60_000 } } } },
    };
    const lower = {
      tools: { echo: { narrow: { properties: { message: { pattern: "^[a-z]*$" } } } } },
    };
    const config = {
      policy: { deny_tools: ["delete_*"], allow_tools: ["*"] },
      mcpServers: {
        faulty: limited,
        repairing,
        down,
        everything: { ...EVERYTHING, touchstone: lower },
      },
      http: { allow_execute: true },
      activity: { bodies: true, drift: true },
    };
    gateway = await console.start(JSON.stringify(config));
    await callTools(gateway, "repairing", [["get_weather", { city: 1 }]]);
    await callTools(gateway, "faulty", [
      ["get_weather", { city: 1, [HOSTILE]: HOSTILE }],
      [HOSTILE, {}],
      ["get_weather", { city: "Berlin" }],
    ]);
    // The gateway stores the shapes of results 2 s after they arrive.
    const drifted = async () => {
      const { body } = await gateway.get("drift");
      expect(JSON.stringify(body)).toContain('"server":"faulty"');
    };
    await vi.waitFor(drifted, { timeout: 30_000, interval: 200 });
  }, 60_000);

  it("show with the tools which servers are down", async () => {
    const { page, found } = await console.open(`${gateway.page}#/tools`);
    const notice = page.getByRole("navigation", { name: "Tools" }).locator(".notice");
    await notice.getByText(/down.*cannot start.*command not found/).waitFor();
    await expect.poll(() => notice.count()).toBe(1);
    await screenshot(page, "gateway-tools-down");
    await notice.getByRole("link", { name: "down" }).click();
    await page.getByRole("heading", { name: "down" }).waitFor();
    // The page of a single server shows nothing about other servers.
    await page.goto(`${gateway.page}servers/faulty/`);
    await page.getByRole("link", { name: /get_weather/ }).waitFor();
    expect(await page.locator(".notice").count()).toBe(0);
    expect(found).toEqual([]);
  });

  it("show that policy has refused a call, and why", async () => {
    const { page, found } = await console.open(`${gateway.page}#/tools/everything%3Aecho`);
    await page.getByLabel("message", { exact: true }).fill("HELLO");
    await page.getByRole("button", { name: "Execute", exact: true }).click();
    await page
      .getByText(/^Blocked by Touchstone: The call of "echo" .*policy forbids it/)
      .waitFor();
    await page.getByText(/^403, /).waitFor();
    expect(await page.getByText("allow_execute").count()).toBe(0);
    await screenshot(page, "gateway-refused");
    // The browser itself logs the status.
    expect(found.filter((each) => !each.includes("403"))).toEqual([]);
  });

  it("show sessions, repairs and drift", async () => {
    const { page, found } = await console.open(`${gateway.page}#/sessions`);
    await page
      .getByRole("row", { name: /faulty/ })
      .first()
      .getByRole("link")
      .click();
    await page.getByRole("heading", { name: / with / }).waitFor();
    await page.locator("ol a, ul a").filter({ hasText: "faulty" }).first().waitFor();
    await page.goto(`${gateway.page}#/repairs`);
    await page.getByText("coerce-scalars").first().waitFor();
    await page.goto(`${gateway.page}#/drift?server=faulty&tool=get_weather`);
    await page
      .getByText(/was string in 1 of/)
      .first()
      .waitFor();
    expect(found).toEqual([]);
  });

  it("show a call's progress, and cancel it", long, async () => {
    const tool = "everything:trigger-long-running-operation";
    const { page, found } = await console.open(
      `${gateway.page}#/tools/${encodeURIComponent(tool)}`,
    );
    const execute = page.getByRole("button", { name: "Execute", exact: true });
    const bar = page.getByRole("progressbar", { name: "Progress of the call" });
    await page.getByLabel("duration", { exact: true }).fill("600");
    await page.getByLabel("steps", { exact: true }).fill("3000");
    await execute.click();
    await bar.waitFor();
    await page.getByText(/ of 3000$/).waitFor();
    expect(Number(await bar.getAttribute("max"))).toBe(3000);
    expect(Number(await bar.getAttribute("value"))).toBeGreaterThan(0);
    expect(await findings(page)).toEqual([]);
    expect(await moved(page)).toEqual([]);
    await screenshot(page, "gateway-progress");
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await page.getByText("Canceled. The server was asked to stop.").waitFor();
    expect(await bar.count()).toBe(0);
    const ended = async () => {
      const [call] = await gateway.records({
        type: "tool_call",
        tool: "trigger-long-running-operation",
      });
      expect(call).toMatchObject({ status: "error", reason: "canceled by the client" });
    };
    await vi.waitFor(ended, { timeout: 10_000, interval: 50 });
    await page.getByLabel("duration", { exact: true }).fill("0.2");
    await page.getByLabel("steps", { exact: true }).fill("2");
    await page.keyboard.press("Control+Enter");
    await page.getByText("The tool ran").waitFor();
    await page.getByText(/Duration: 0.2 seconds, Steps: 2/).waitFor();
    expect(found).toEqual([]);
  });

  eachOf(LOOKS, 0)(
    "pass axe and have no layout shift, %s at %i by %i",
    async (colorScheme, width, height) => {
      const viewport = { width, height };
      const { page, found } = await console.open(gateway.page, { colorScheme, viewport });
      const shows = async (hash: string, name: string, text: RegExp | string) => {
        // Each page is opened separately, so that layout shifts belong to this page.
        await page.goto(`${gateway.page}?${name}#/${hash}`);
        await page.getByText(text).first().waitFor();
        expect([hash, await moved(page)]).toEqual([hash, []]);
        expect([hash, await findings(page)]).toEqual([hash, []]);
        expect([hash, await overflow(page)]).toEqual([hash, 0]);
        expect([hash, await cutSelects(page)]).toEqual([hash, []]);
        await screenshot(page, `gateway-${name}-${colorScheme}-${width}`);
      };
      /** Returns how many pixels of a table are hidden at its side; one pixel may be due to rounding. */
      const hidden = (name: string) =>
        page
          .getByRole("region", { name, exact: true })
          .evaluate(({ scrollWidth, clientWidth }) => Math.max(0, scrollWidth - clientWidth - 1));
      await shows("overview", "overview", "Tools that failed or were refused");
      expect(await hidden("Tools")).toBe(0);
      await shows("tools", "tools", /of \d+ tools/);
      await shows("activity", "activity", "get_weather");
      await page
        .locator('.rows [role="row"]', { hasText: "warning" })
        .last()
        .getByRole("link")
        .click();
      await page
        .getByRole("region", { name: /In the .* payload/ })
        .first()
        .waitFor();
      expect(await findings(page)).toEqual([]);
      await screenshot(page, `gateway-record-${colorScheme}-${width}`);
      await page.keyboard.press("Escape");
      await page.goto(`${gateway.page}#/rollout`);
      await page.locator(".u-wrap canvas").waitFor();
      await page.getByRole("button", { name: /^Values: / }).click();
      await shows("rollout?by=all", "rollout", /Strict would have blocked/);
      // Rows arrive server by server.
      await expect.poll(() => hidden("Readiness")).toBe(0);
      await shows("servers", "servers", "running");
      await shows("servers/faulty", "server", "broken_schema");
      expect(await hidden("Tool definitions")).toBe(0);
      await page.getByRole("button", { name: "Switch modes of fail" }).first().click();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.getByText("Arguments must also satisfy this schema").first().click();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await shows("settings", "settings", "Listening");
      await shows("callers", "callers", /entr(y|ies)$/);
      await shows("sessions", "sessions", /sessions?$/);
      await page
        .getByRole("row", { name: /faulty/ })
        .first()
        .getByRole("link")
        .click();
      await page.getByRole("heading", { name: / with / }).waitFor();
      await page.locator("ol a, ul a").filter({ hasText: "faulty" }).first().waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `gateway-session-${colorScheme}-${width}`);
      await shows("repairs", "repairs", "coerce-scalars");
      await shows("drift", "drift", /2 differences/);
      const drift = "drift?server=faulty&tool=get_weather";
      await shows(drift, "drift-tool", /was string in 1 of/);
      await page
        .getByText(/^\+.*"string"/)
        .first()
        .waitFor();
      expect(found).toEqual([]);
    },
    180_000,
  );

  it("run nothing that a client or server sends, and reveal hidden characters", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/activity`);
    await page.locator(".rows").getByText("[U+202E]").first().waitFor();
    const row = page.locator('.rows [role="row"]', { hasText: "warning" }).last();
    await row.getByRole("link").click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText(NAMED).first().waitFor();
    await screenshot(page, "gateway-hostile");
    for (const hash of HASHES) {
      const query = hash.includes("?") ? "&" : "?";
      await page.goto(`${gateway.page}#/${hash}${query}server=${encodeURIComponent(HOSTILE)}`);
      await page.getByRole("button", { name: "Reload" }).waitFor();
      expect(await page.locator("body").innerText()).not.toMatch(/[\u202e\u200b]/);
      const labels = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("[title], [aria-label]")].flatMap((each) => [
          each.title,
          each.ariaLabel,
        ]),
      );
      expect(labels.join("\n")).not.toMatch(/[\u202e\u200b]/);
    }
    // The images of the page itself: icons and the logo.
    const own = "svg.lucide, aside img, header img";
    const foreign = page.locator(`#console :is(script, iframe, object, svg, img):not(${own})`);
    expect(await foreign.count()).toBe(0);
    expect(await page.title()).not.toBe("run");
    // The browser logs requests that the gateway refuses, such as those with an invalid session.
    expect(found.filter((line) => !/status of 40[04]/.test(line))).toEqual([]);
  });

  it("list each session once, whatever is pressed while older ones load", long, async () => {
    const { page, found } = await console.open(`${gateway.page}#/settings`);
    const time = new Date().toISOString();
    const listing = (name: string, next: string | null) => ({
      sessions: [
        {
          ...{ caller: name, client: null, servers: [], first: time, last: time },
          may_begin_earlier: false,
          ...{ calls: 1, blocked: 0, warning: 0, error: 0 },
          ...{ denied: 0, held: 0, out_of_bounds: 0, limited: 0 },
        },
      ],
      ...{ total: 2, gap_minutes: 30, counted_from: null, uncounted: 0 },
      next_cursor: next,
    });
    let newest = "newest";
    const older: Route[] = [];
    await page.route("**/api/v1/sessions*", async (route) => {
      if (route.request().url().includes("cursor=")) older.push(route);
      else await route.fulfill({ json: listing(newest, "c") });
    });
    /** Resolves when the page has sent the expected request. */
    const sent = () => page.evaluate(() => fetch("/healthz").then(() => {}));
    const names = page.locator('[role="row"]', { has: page.locator('a[href^="#/sessions/"]') });
    const more = page.getByRole("button", { name: "Show more sessions" });
    await page.goto(`${gateway.page}#/sessions`);
    await more.click();
    await more.click();
    await sent();
    for (const route of older.splice(0)) await route.fulfill({ json: listing("older", "d") });
    await expect.poll(() => names.count()).toBe(2);
    await sent();
    await expect.poll(() => names.count()).toBe(2);
    // Older rows of a list that has been replaced in the meantime are ignored.
    await more.click();
    await sent();
    newest = "even newer";
    await page.getByRole("button", { name: "Reload" }).click();
    await names.filter({ hasText: "even newer" }).waitFor();
    for (const route of older) await route.fulfill({ json: listing("oldest", null) });
    await sent();
    await expect.poll(() => names.count()).toBe(1);
    await expect.poll(() => more.count()).toBe(1);
    expect(found).toEqual([]);
  });

  it("are available on a server's own page too", async () => {
    const { page } = await console.open(`${gateway.page}servers/faulty/#/rollout`);
    await page.getByText(/Strict would have blocked/).waitFor();
    await page.getByRole("link", { name: "Tools" }).click();
    await page.getByRole("link", { name: /^get_weather/ }).waitFor();
  });
});
