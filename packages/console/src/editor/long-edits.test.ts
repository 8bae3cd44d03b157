import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { describePages } from "../testing/console.ts";
import { runTool, TOOLS } from "../testing/tools.ts";

describePages("the editor, with a long text", (console) => {
  let url = "";
  beforeAll(async () => {
    ({ url } = await console.serve(TOOLS, runTool));
  }, 60_000);

  eachOf([1, undefined], 1)(
    "replaces a selection with what is typed at once, indented by %s",
    async (by) => {
      const { page, found } = await console.open(`${url}#/tools/send_parcel`);
      await page.getByRole("tab", { name: "JSON" }).click();
      const editor = page.getByRole("textbox", { name: "Arguments as JSON" });
      await editor.focus();
      await page.keyboard.press("Control+a");
      const value = { to: { street: "abc" }, numbers: Array(3_000).fill(1) };
      await page.keyboard.insertText(JSON.stringify(value, null, by));
      await page.locator('.verdict[data-state="valid"]').waitFor();
      await page.keyboard.press("Control+a");
      await page.keyboard.press("7");
      await page
        .getByText(/must be an object/)
        .first()
        .waitFor();
      await expect.poll(() => editor.innerText()).toBe("7");
      await page.keyboard.press("5");
      await expect.poll(() => editor.innerText()).toBe("75");
      await page.keyboard.press("Control+z");
      await page.keyboard.press("Control+z");
      await page.locator('.verdict[data-state="valid"]').waitFor();
      expect(found).toEqual([]);
    },
  );

  it("replaces a selection that a program has only just made", long, async () => {
    const text = JSON.stringify({ to: { street: "a".repeat(300) } });
    // The editor may or may not have received the selection in time.
    for (let turn = 0; turn < 4; turn += 1) {
      const { page } = await console.open(`${url}#/tools/send_parcel`);
      await page.getByRole("tab", { name: "JSON" }).click();
      const editor = page.getByRole("textbox", { name: "Arguments as JSON" });
      await editor.fill(text);
      await expect.poll(() => editor.innerText()).toBe(text);
      await page.close();
    }
  });
});
