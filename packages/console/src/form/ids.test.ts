import { beforeAll, expect, it } from "vitest";
import { findings } from "../testing/axe.ts";
import { describePages } from "../testing/console.ts";

const long = { type: "string", minLength: 5 };
const inputSchema = {
  type: "object",
  properties: {
    "two words": long,
    a: { type: "object", properties: { b: long } },
    a_b: long,
    "a/b": long,
    "a%2Fb": long,
    "line\nbreak": long,
    "\ud800": long,
  },
};

describePages("the fields of names that look alike", (console) => {
  let url = "";
  beforeAll(async () => {
    const tools = [{ name: "names", description: "", inputSchema }];
    ({ url } = await console.serve(tools, () => [[], false]));
  }, 60_000);

  it("have each their own label, and what is wrong with each is told of it", async () => {
    const { page, found } = await console.open(`${url}#/tools/names`);
    const fields = page.locator(".arguments textarea");
    await fields.first().waitFor();
    const count = await fields.count();
    expect(count).toBe(7);
    for (let index = 0; index < count; index++) await fields.nth(index).fill(`v${index}`);
    await page
      .locator(".issues:visible")
      .nth(count - 1)
      .waitFor();
    const told = await fields.evaluateAll((all) =>
      all.map((each) => {
        const field = each as HTMLTextAreaElement;
        const ids = field.getAttribute("aria-describedby")?.split(/\s+/) ?? [];
        const texts = ids.map((id) => document.getElementById(id)?.textContent);
        const pointer = field.closest<HTMLElement>("[data-pointer]")?.dataset["pointer"];
        return [pointer, [...(field.labels ?? [])].map((label) => label.textContent), texts];
      }),
    );
    const wrong = ["must have at least 5 characters (got a string of 2 characters)"];
    expect(told).toEqual([
      ["/two words", ["two words"], wrong],
      ["/a/b", ["b"], wrong],
      ["/a_b", ["a_b"], wrong],
      ["/a~1b", ["a/b"], wrong],
      ["/a%2Fb", ["a%2Fb"], wrong],
      ["/line\nbreak", ["line\nbreak"], wrong],
      ["/\ud800", ["[U+D800]"], wrong],
    ]);
    expect(await findings(page)).toEqual([]);
    expect(found).toEqual([]);
  });
});
