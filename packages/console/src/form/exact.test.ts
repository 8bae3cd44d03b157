import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { openSchema, sentArguments, writeArguments } from "../testing/arguments.ts";
import { describePages } from "../testing/console.ts";
import { runTool } from "../testing/tools.ts";

const BIG = "9007199254740993";
/** As a text: JavaScript has no such numbers. */
const SCHEMA = `{"type":"object","properties":{
  "id":{"enum":[9007199254740992,${BIG},1.50,-0,"x",null,{"deep":[${BIG}]}]},
  "only":{"const":${BIG}},
  "hinted":{"type":"integer","default":${BIG}},
  "union":{"oneOf":[{"properties":{"k":{"const":9007199254740992}}},{"properties":{"k":{"const":${BIG}}}}]},
  "list":{"type":"array","items":{"enum":[${BIG}]}}
},"additionalProperties":true}`;

describePages("a form", (console) => {
  let url = "";
  beforeAll(async () => {
    ({ url } = await console.serve([], runTool));
  }, 60_000);

  const open = async () => {
    const { page, found } = await openSchema(console, url, "exact", SCHEMA);
    await page.locator('[data-pointer="/id"] select').waitFor();
    return { page, found };
  };
  const sent = async (page: Page): Promise<string> =>
    (await sentArguments(page)).replaceAll(": ", ":");

  it("offers the values of a list as they are declared, and writes them so", async () => {
    const { page, found } = await open();
    const id = page.locator('[data-pointer="/id"] select');
    const texts = ["–", "9007199254740992", BIG, "1.50", "-0", "x", "null", `{"deep": [${BIG}]}`];
    expect(await id.locator("option").allTextContents()).toEqual(texts);
    for (const text of texts.slice(1)) {
      await id.selectOption(text);
      expect(await sent(page)).toBe(`{"id":${text === "x" ? '"x"' : text.replace(": ", ":")}}`);
      expect(await id.locator("option:checked").textContent()).toBe(text);
      await page.locator('.verdict[data-state="valid"]').waitFor();
    }
    await id.selectOption("–");
    await page.locator('[data-pointer="/only"] select').selectOption(BIG);
    await page.getByRole("button", { name: "Add an item to list" }).click();
    await page.locator('[data-pointer="/list/0"] select').selectOption(BIG);
    expect(await sent(page)).toBe(`{"only":${BIG},"list":[${BIG}]}`);
    await page.locator('.verdict[data-state="valid"]').waitFor();
    expect(found).toEqual([]);
  });

  it("tells values apart that one double stands for", async () => {
    const { page } = await open();
    await writeArguments(page, `{"id":${BIG},"union":{"k":${BIG}}}`);
    const chosen = (pointer: string) =>
      page.locator(`[data-pointer="${pointer}"] select`).first().locator("option:checked");
    expect(await chosen("/id").textContent()).toBe(BIG);
    expect(await chosen("/union").textContent()).toBe(`object with k ${BIG}`);
    expect(await chosen("/union/k").textContent()).toBe(BIG);
    await page.getByText(`integer, default ${BIG}`).waitFor();
  });

  it("keeps a member that is called as what objects inherit from", async () => {
    const { page } = await open();
    const kept = `"__proto__":{"n":${BIG}},"constructor":1.0`;
    await writeArguments(page, `{${kept}}`);
    await page.getByRole("button", { name: "Add a property" }).click();
    expect(await sent(page)).toBe(`{${kept},"newKey":"New Value"}`);
    const name = page.getByLabel("Name of property newKey");
    await name.fill("other");
    await name.blur();
    expect(await sent(page)).toBe(`{${kept},"other":"New Value"}`);
    await page.getByRole("button", { name: "Remove property other" }).click();
    expect(await sent(page)).toBe(`{${kept}}`);
  });
});
