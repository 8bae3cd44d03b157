import { expect, it } from "vitest";
import { describePages } from "../testing/console.ts";

const LEVELS = 25;
const NARROW = { viewport: { width: 400, height: 800 } };

/** An object in an object, so many deep, each with a text beside. */
function nested(levels: number): object {
  if (levels === 0) return { type: "string" };
  const properties = { note: { type: "string" }, [`level_${levels}`]: nested(levels - 1) };
  return { type: "object", properties, required: Object.keys(properties) };
}

describePages("on a narrow page", (console) => {
  it("the fields of a deep schema stay wide enough to write in", async () => {
    const tools = [{ name: "deep", description: "", inputSchema: nested(LEVELS) }];
    const { url } = await console.serve(tools, () => [[], false]);
    const { page, found } = await console.open(`${url}#/tools/deep`, NARROW);
    const fields = page.locator(".arguments .panel textarea");
    await fields.nth(LEVELS).waitFor();
    const widths = await fields.evaluateAll((all) =>
      all.map((field) => field.getBoundingClientRect().width),
    );
    expect(Math.min(...widths)).toBeGreaterThan(160);
    expect(found).toEqual([]);
  });
});

describePages("beside a long count of tools", (console) => {
  it("the button is not broken", async () => {
    const tools = Array.from({ length: 314 }, (_, index) => ({
      name: `tool_${index}`,
      description: "",
      inputSchema: { type: "object" },
    }));
    const { url } = await console.serve(tools, () => [[], false]);
    const { page } = await console.open(url);
    const button = page.locator(".tool-list .count button");
    await button.waitFor();
    const lines = await button.evaluate((element) => {
      const { paddingTop, paddingBottom, lineHeight } = getComputedStyle(element);
      const inside = element.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
      return Math.round(inside / (parseFloat(lineHeight) || inside));
    });
    expect(lines).toBe(1);
  });
});
