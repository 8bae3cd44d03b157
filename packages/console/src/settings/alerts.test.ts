import { beforeAll, expect, it } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { startReceiver } from "../../../gateway/src/server/alerts/testing/receiver.ts";
import { findings, overflow } from "../testing/axe.ts";
import { screenshot, signIn } from "../testing/console.ts";
import { describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { Keyboard } from "../testing/keyboard.ts";
import { isSmallest, LOOKS } from "../testing/looks.ts";

const VIEWER = "the-key-of-a-viewer-of-alerts";

describeGatewayPages("the alerts", (console) => {
  let gateway: ServedGateway;
  let url = "";
  beforeAll(async () => {
    gateway = await console.start(
      JSON.stringify({
        mcpServers: { faulty: FAULTY },
        auth: { keys: [{ name: "viewer", role: "viewer", key: VIEWER }] },
        alerts: [
          // Nothing listens there.
          { when: "server_failed", webhook: { url: "http://127.0.0.1:9/SECRET", format: "slack" } },
          {
            when: "blocked",
            server: `a${"-long-name".repeat(12)}\u202e`,
            command: ["/nowhere/pager", "SECRET"],
            min_interval: 90,
          },
        ],
      }),
    );
    url = `${gateway.page}#/settings/alerts`;
  }, 60_000);

  it("show how a test ended, with the keyboard alone, and no secret", async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end());
    const own = await console.start(
      JSON.stringify({
        mcpServers: { faulty: FAULTY },
        alerts: [{ when: "blocked", webhook: { url: receiver.url, secret: "k3y" } }],
      }),
    );
    const { page, found } = await console.open(`${own.page}#/settings`);
    await signIn(page, own.token);
    const keyboard = new Keyboard(page);
    await keyboard.enter(page.getByRole("link", { name: "Alerts" }));
    await keyboard.enter(page.getByRole("button", { name: /^Send test: A call is blocked/ }));
    const row = page.getByRole("listitem").filter({ hasText: "A call is blocked" });
    await row.getByText(/Last .*: delivered \(test\), HTTP 204/).waitFor();
    await row.getByText("0 sent, 0 failed").waitFor();
    expect(receiver.received.map(({ body }) => JSON.parse(body).test)).toEqual([true]);
    expect(await page.content()).not.toMatch(/SECRET|k3y/);
    expect(found.filter((line) => !line.includes("40"))).toEqual([]);
  });

  eachOf(LOOKS, isSmallest)("pass axe, %s at %i by %i", async (colorScheme, width, height) => {
    const { page } = await console.open(url, { colorScheme, viewport: { width, height } });
    await signIn(page, gateway.token);
    const tests = page.getByRole("button", { name: /^Send test/ });
    await expect.poll(() => tests.count()).toBe(2);
    await tests.first().click();
    await page
      .getByText(/not delivered \(test\)/)
      .first()
      .waitFor();
    expect(await page.content()).not.toContain("SECRET");
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await screenshot(page, `alerts-${colorScheme}-${width}`);
  });

  it("cannot be tested by a viewer, and the page says why", async () => {
    const { page } = await console.open(url);
    await signIn(page, VIEWER);
    const button = page.getByRole("button", { name: /^Send test/ }).first();
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
    expect(await button.getAttribute("title")).toContain("requires the role admin");
  });
});
