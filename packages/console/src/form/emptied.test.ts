import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { sentArguments, writeArguments } from "../testing/arguments.ts";
import { describePages } from "../testing/console.ts";

const inputSchema = {
  type: "object",
  properties: {
    numbers: { type: "array", items: { type: "integer" } },
    mixed: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "boolean" }] } },
    extra: { type: "object", additionalProperties: { type: "integer" } },
    any: { type: "object", additionalProperties: true },
    plain: { type: "integer" },
  },
};

describePages("a field that is emptied to be typed anew", (console) => {
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
  const sent = async (page: Page): Promise<string> =>
    (await sentArguments(page)).replaceAll(": ", ":");

  it.each([
    [
      "an item",
      '{"numbers":[1,2,3]}',
      "/numbers/1",
      '{"numbers":[1,null,3]}',
      '{"numbers":[1,57,3]}',
    ],
    ["an item of a union", '{"mixed":[1,2]}', "/mixed/0", '{"mixed":[null,2]}', '{"mixed":[57,2]}'],
    [
      "a property that was added",
      '{"extra":{"a":1,"b":2}}',
      "/extra/a",
      '{"extra":{"a":null,"b":2}}',
      '{"extra":{"a":57,"b":2}}',
    ],
    ["one of any type", '{"any":{"a":1}}', "/any/a", '{"any":{"a":null}}', '{"any":{"a":57}}'],
    ["a declared property", '{"plain":1}', "/plain", "{}", '{"plain":57}'],
  ])("stays where it is, as %s", async (_what, text, pointer, emptied, typed) => {
    const { page, found } = await openWith(text);
    await page.locator(`[data-pointer="${pointer}"] textarea`).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    expect(await sent(page)).toBe(emptied);
    await page.keyboard.type("57");
    expect(await sent(page)).toBe(typed);
    expect(found).toEqual([]);
  });
});
