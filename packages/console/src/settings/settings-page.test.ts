import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { findings, overflow } from "../testing/axe.ts";
import { signIn } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { Keyboard } from "../testing/keyboard.ts";

describeGatewayPages("the settings of checks", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    const config = { mcpServers: { faulty: FAULTY } };
    const overrides = { maxDepth: 9 };
    gateway = await console.start(JSON.stringify(config), { overrides });
  }, 60_000);

  /** Changes a number, and waits for the difference that the change makes to the file. */
  async function ask(page: Page, label: string, value: string): Promise<void> {
    const field = page.getByRole("textbox", { name: label });
    await field.fill(value);
    await field.press("Enter");
  }
  async function save(page: Page, line: RegExp): Promise<void> {
    // Messages are dialogs as well, so exclude them.
    const dialog = page.locator("[role=dialog]:has(footer)");
    await dialog.getByText(line).first().waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
  }

  it("are changed, take effect, and say what the command line overrides", async () => {
    const { page, found } = await console.open(`${gateway.page}#/settings`);
    await signIn(page, gateway.token);

    await ask(page, "Check results up to", "5");
    await save(page, /^\+.*"max_bytes": ?5/);
    const bytes = page.getByRole("textbox", { name: "Check results up to" });
    await expect.poll(() => bytes.inputValue()).toBe("5");
    await callTools(gateway, "faulty", [["get_weather", { city: "Oslo" }]]);
    const decisions = await gateway.records({ type: "policy_decision" });
    expect(decisions.at(-1)).toMatchObject({ direction: "output", outcome: "guard" });

    const missing = page.getByRole("switch", { name: "Block results without structured content" });
    await missing.click();
    await save(page, /^\+.*"missing_structured_content": ?"block"/);
    await expect.poll(() => missing.isChecked()).toBe(true);
    const { body } = await gateway.get("settings");
    expect(body).toMatchObject({
      validation: { output: { maxBytes: 5, missingStructuredContent: "block" } },
    });

    await ask(page, "Check nested arguments up to", "5");
    await save(page, /^\+.*"max_depth": ?5/);
    await page
      .getByText("A command-line option overrides it for input_validation.max_depth.")
      .waitFor();
    const depth = page.getByRole("textbox", { name: "Check nested arguments up to" });
    await expect.poll(() => depth.inputValue()).toBe("9");

    await ask(page, "Check nested results up to", "10001");
    await page
      .getByRole("dialog")
      .getByText(/from 1 to 10000; got 10001/)
      .waitFor();
    expect(found.filter((line) => !line.includes("40"))).toEqual([]);
  });

  eachOf(
    [
      [1440, 900],
      [390, 844],
    ],
    0,
  )("leave room for messages, so that they cover nothing, at %i by %i", async (width, height) => {
    const { page } = await console.open("about:blank", { viewport: { width, height } });
    // Messages stay until they are dismissed, however long this takes.
    await page.addInitScript(() => {
      const { setTimeout } = globalThis;
      const stay = (run: () => void, ms = 0) => setTimeout(run, ms < 5_000 ? ms : 2 ** 31 - 1);
      Object.assign(globalThis, { setTimeout: stay });
    });
    await page.goto(gateway.gateway.consoleLink());
    const keys = new Keyboard(page);
    await page.getByRole("heading", { name: "Problems", exact: true, level: 1 }).waitFor();
    await page.evaluate(() => {
      location.hash = "#/settings";
    });
    const undo = page.getByRole("button", { name: "Undo" });
    for (const [index, days] of [11, 12, 13].entries()) {
      await ask(page, "Keep records for", String(days));
      const dialog = page.locator("[role=dialog]:has(footer)");
      await dialog.getByText(`"retention_days": ${days}`).first().waitFor();
      const seen = await undo.count();
      expect(seen).toBe(Math.min(index, 2));
      // Nothing covers an element while it has the focus.
      await keys.to(dialog.getByRole("button", { name: "Cancel" }));
      await keys.to(dialog.getByRole("button", { name: "Save" }));
      if (seen > 0) {
        const [box, message] = [await dialog.boundingBox(), await undo.first().boundingBox()];
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(message?.y ?? 0);
      }
      await keys.press("Enter");
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => undo.count()).toBe(Math.min(index + 1, 2));
      // Text that the user types before the page has read the new value is replaced by it.
      await expect
        .poll(() =>
          page.getByRole("button", { name: "Change activity.retention_days" }).isDisabled(),
        )
        .toBe(true);
      await expect
        .poll(() => page.getByRole("textbox", { name: "Keep records for" }).inputValue())
        .toBe(String(days));
    }
    // The end of the page can be scrolled above the messages.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const [last, message] = [
      await page.locator("main > :last-child").boundingBox(),
      await undo.first().boundingBox(),
    ];
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(message?.y ?? 0);
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await undo.first().click();
    await page.getByText("Undone", { exact: true }).first().waitFor();
    const dismissed = () =>
      page.evaluate(() => {
        const all = document.querySelectorAll<HTMLElement>('[aria-label="Dismiss"]');
        for (const each of all) each.click();
        return document.documentElement.style.getPropertyValue("--toasts");
      });
    await expect.poll(dismissed).toBe("0px");
  });
});
