import { beforeAll, expect, it } from "vitest";
import { describePages } from "../testing/console.ts";

const kind = { enum: ["p", "q"] };
const inputSchema = {
  type: "object",
  properties: {
    select: kind,
    a__oneof_select: kind,
    union: {
      oneOf: [
        { title: "A", properties: { my_select: kind }, required: ["my_select"] },
        { title: "B", properties: { other: { type: "string" } }, required: ["other"] },
      ],
    },
  },
};

describePages("a property that is called like a choice between schemas", (console) => {
  let url = "";
  beforeAll(async () => {
    const tools = [{ name: "choices", description: "", inputSchema }];
    ({ url } = await console.serve(tools, () => [[], false]));
  }, 60_000);

  it.each(["/select", "/a__oneof_select", "/union/my_select"])(
    "is %s, with its values",
    async (pointer) => {
      const { page, found } = await console.open(`${url}#/tools/choices`);
      const select = page.locator(`[data-pointer="${pointer}"] > select`);
      await select.waitFor();
      const name = pointer.split("/").at(-1) ?? "";
      expect(await page.getByLabel(name, { exact: true }).getAttribute("aria-label")).toBeNull();
      await select.selectOption("q");
      expect(await select.locator("option").allTextContents()).toEqual(["–", "p", "q"]);
      await select.selectOption("–");
      expect(await select.inputValue()).toBe("");
      expect(found).toEqual([]);
    },
  );
});
