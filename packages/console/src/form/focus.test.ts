import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { writeArguments } from "../testing/arguments.ts";
import { describePages } from "../testing/console.ts";

const inputSchema = {
  type: "object",
  properties: {
    list: { type: "array", items: { type: "array", items: { type: "string" } } },
    extra: { type: "object", additionalProperties: { type: "string" } },
  },
};

describePages("the focus of a keyboard", (console) => {
  let url = "";
  beforeAll(async () => {
    const tools = [{ name: "lists", description: "", inputSchema }];
    ({ url } = await console.serve(tools, () => [[], false]));
  }, 60_000);

  const openWith = async (text: string) => {
    const { page, found } = await console.open(`${url}#/tools/lists`);
    await writeArguments(page, text);
    return { page, found };
  };
  /** The field around what has the focus, and how that is called. */
  const focused = (page: Page) =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      const pointer = at?.closest<HTMLElement>("[data-pointer]")?.dataset["pointer"];
      return `${pointer} ${at?.getAttribute("aria-label") ?? at?.textContent}`;
    });

  it("stays near what it has removed", async () => {
    const { page, found } = await openWith('{"list":[["a","b"],["c"]],"extra":{"d":"1","e":"2"}}');
    const remove = async (pointer: string, name: string): Promise<string> => {
      const field = page.locator(`[data-pointer="${pointer}"] > fieldset`);
      await field.getByRole("button", { name, exact: true }).last().focus();
      await page.keyboard.press("Enter");
      return focused(page);
    };
    expect(await remove("/list/0", "Remove item 1")).toBe("/list/0 Remove item 1");
    expect(await remove("/list/0", "Remove item 1")).toBe("/list/0 Add an item to Item 1");
    expect(await remove("/list", "Remove item 2")).toBe("/list Remove item 1");
    expect(await remove("/extra", "Remove property d")).toBe("/extra/e Remove property e");
    expect(await remove("/extra", "Remove property e")).toBe("/extra Add a property to extra");
    expect(found).toEqual([]);
  });

  it("stays where it starts over, and so does what is open", async () => {
    const { page } = await openWith('{"list":[]}');
    const start = page.getByRole("button", { name: "Start over" });
    await page.getByRole("tab", { name: "JSON" }).click();
    await start.focus();
    await page.keyboard.press("Enter");
    const editor = page.getByRole("textbox", { name: "Arguments as JSON" });
    await editor.getByText("{}").waitFor();
    expect(await focused(page)).toBe("undefined Start over");
    // What was pressed by mistake can be taken back.
    await editor.focus();
    await page.keyboard.press("Control+z");
    await editor.getByText('"list"').waitFor();
    await page.getByRole("tab", { name: "Form" }).click();
    await start.focus();
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("undefined Start over");
  });
});
