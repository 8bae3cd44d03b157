import type { Locator } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { findings, overflow } from "../testing/axe.ts";
import { describePages, screenshot } from "../testing/console.ts";
import { isSmallest, LOOKS } from "../testing/looks.ts";
import { runTool, TOOLS } from "../testing/tools.ts";

describePages("the page for everybody", (console) => {
  let url = "";
  beforeAll(async () => {
    ({ url } = await console.serve(TOOLS, runTool, { allowExecute: true, projectName: "Project" }));
  }, 60_000);

  eachOf(LOOKS, isSmallest)(
    "passes axe, %s at %i by %i",
    async (colorScheme, width, height) => {
      const viewport = { width, height };
      const { page, found } = await console.open(url, { colorScheme, viewport });
      await page.getByText("7 of 7 tools").waitFor();
      // Only a gateway has the other pages.
      expect(await page.getByRole("navigation", { name: "Pages" }).count()).toBe(0);
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      for (const tool of ["send_parcel", "get_weather"]) {
        await page.goto(`${url}#/tools/${tool}`);
        await page.getByRole("heading", { name: tool }).waitFor();
        await page.locator(".arguments [data-pointer]").first().waitFor();
        await page
          .getByRole("button", { name: /^Execute/ })
          .first()
          .click();
        await page.getByText("Not run: the arguments").or(page.getByText("The tool ran")).waitFor();
        for (const summary of await page.locator("summary").all()) await summary.click();
        expect(await findings(page)).toEqual([]);
        expect(await overflow(page)).toBe(0);
        await screenshot(page, `${tool}-${colorScheme}-${width}`);
        await page.locator(".arguments").getByRole("tab", { name: "JSON" }).click();
        await page.getByRole("textbox", { name: "Arguments as JSON" }).waitFor();
        expect(await findings(page)).toEqual([]);
        expect(await overflow(page)).toBe(0);
        await screenshot(page, `${tool}-json-${colorScheme}-${width}`);
      }
      expect(found).toEqual([]);
    },
    60_000,
  );

  it("distinguishes the open tab in forced colors", long, async () => {
    const { page } = await console.open(`${url}#/tools/get_weather`, { forcedColors: "active" });
    const form = page.getByRole("tab", { name: "Form" });
    await form.waitFor();
    const border = (part: Locator): Promise<string> =>
      part.evaluate((each) => getComputedStyle(each).borderBottomColor);
    const json = page.getByRole("tab", { name: "JSON" });
    expect(await border(form)).not.toBe(await border(json));
    const tools = page.getByRole("navigation", { name: "Tools" });
    const [open, other] = ["get_weather", "send_parcel"].map((name) =>
      tools.getByRole("link", { name: new RegExp(name) }),
    );
    if (open === undefined || other === undefined) throw new Error("there are two");
    expect(await border(open)).not.toBe(await border(other));
    await screenshot(page, "forced-colors");
  });

  it("can be used with the keyboard alone", async () => {
    const { page } = await console.open(url);
    await page.getByText("7 of 7 tools").waitFor();
    const focused = () =>
      page.evaluate(() => {
        const { activeElement } = document;
        return `${activeElement?.id} ${activeElement?.textContent} ${activeElement?.tagName}`;
      });
    /** Presses Tab until the focused element shows a text. */
    const tabTo = async (text: string | RegExp): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        if (new RegExp(text).test(await focused())) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`no way to ${text} with Tab`);
    };
    await tabTo(/^ .*get_weather/);
    await page.keyboard.press("Enter");
    await page.getByLabel("city").waitFor();
    await tabTo(/^argument%2Fcity/);
    await page.keyboard.type("Berlin");
    await page.locator('.verdict[data-state="valid"]').waitFor();
    await page.getByRole("tab", { name: "Form" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("textbox", { name: "Arguments as JSON" }).waitFor();
    expect(await focused()).toContain("JSON");
    await page.keyboard.press("Tab");
    // Tab leads into the editor, and out of it again.
    await tabTo(/Execute BUTTON/);
    await page.keyboard.press("Enter");
    await page.getByText("The tool ran").waitFor();
  });

  it.each([
    [360, 400],
    [1280, 400],
  ])("scrolls to the selected tool at %i pixels", long, async (width, height) => {
    const { page } = await console.open(url, { viewport: { width, height } });
    const last = page.getByRole("link", { name: "remote" });
    await last.waitFor();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await last.click();
    const heading = page.getByRole("heading", { name: "remote" });
    await heading.waitFor();
    const top = () => heading.evaluate((each) => each.getBoundingClientRect().top);
    await expect.poll(top).toBeGreaterThanOrEqual(0);
    expect(await top()).toBeLessThan(height - 20);
    const outline = await heading.evaluate((each) => getComputedStyle(each).outlineStyle);
    expect(outline).toBe("none");
  });

  it("has its own theme if the user chooses one", long, async () => {
    const { page, found } = await console.open(url, { colorScheme: "light" });
    const background = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    const choose = (name: string) => page.locator(`label[title="${name}"]`).click();
    const isChosen = (name: string) => page.getByRole("radio", { name, exact: true }).isChecked();
    await choose("Dark");
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByText("7 of 7 tools").waitFor();
    expect([await background(), await isChosen("Dark")]).toEqual([dark, true]);
    await choose("As the system");
    expect(await background()).toBe(light);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "localStorage", {
        get: () => {
          throw new Error("forbidden");
        },
      });
    });
    await page.reload();
    await choose("Dark");
    expect(await background()).toBe(dark);
    expect(found).toEqual([]);
  });
});
