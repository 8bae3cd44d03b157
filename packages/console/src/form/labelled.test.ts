import { beforeAll, expect, it } from "vitest";
import { openSchema } from "../testing/arguments.ts";
import { describePages } from "../testing/console.ts";
import { runTool } from "../testing/tools.ts";

const BIG = "9007199254740993";
const LEVELS = `[{"const":1,"title":"Low"},{"const":${BIG},"title":"High"}]`;
/** As a text: JavaScript has no such numbers. */
const SCHEMA = `{"type":"object","properties":{
  "untyped":{"oneOf":${LEVELS}},
  "whole":{"type":"integer","oneOf":${LEVELS}},
  "any":{"type":["integer","null"],"anyOf":${LEVELS}},
  "bare":{"oneOf":[{"const":1},{"const":"a"},{"const":null}]},
  "parts":{"oneOf":[{"const":{"x":1},"title":"A point"},{"const":[2]}]},
  "list":{"type":"array","items":{"type":"integer","oneOf":${LEVELS}}}
}}`;

describePages("values that a schema lists as constants", (console) => {
  let url = "";
  beforeAll(async () => {
    ({ url } = await console.serve([], runTool));
  }, 60_000);

  const open = async () => {
    const { page, found } = await openSchema(console, url, "labelled", SCHEMA);
    await page.locator('[data-pointer="/untyped"]').waitFor();
    return { page, found };
  };

  it.each([
    ["untyped", ["Low", "High"], "High", BIG],
    ["whole", ["Low", "High"], "High", BIG],
    ["any", ["Low", "High"], "Low", "1"],
    ["bare", ["1", "a", "null"], "a", '"a"'],
    ["parts", ["A point", "[2]"], "A point", '{"x":1}'],
  ])("are a list to choose from, by their titles: %s", async (name, labels, label, value) => {
    const { page, found } = await open();
    const field = page.locator(`[data-pointer="/${name}"]`);
    expect(await field.locator("textarea").count()).toBe(0);
    const select = field.locator("select");
    expect(await select.locator("option").allTextContents()).toEqual(["–", ...labels]);
    expect(await field.textContent()).not.toMatch(/string|integer/);
    await select.selectOption(label);
    const chosen = select.locator("option:checked");
    expect(await chosen.textContent()).toBe(label);
    const command = await page.locator('[aria-label="cURL command"]').textContent();
    expect(command?.replaceAll(/\s/g, "")).toContain(`{"${name}":${value}}`);
    expect(found).toEqual([]);
  });

  it("are a list in the items of an array", async () => {
    const { page } = await open();
    const list = page.locator('[data-pointer="/list"]');
    await list.getByRole("button", { name: /Add/ }).click();
    const options = page.locator('[data-pointer="/list/0"] select option');
    expect(await options.allTextContents()).toEqual(["–", "Low", "High"]);
  });
});
