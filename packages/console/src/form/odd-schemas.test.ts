import { beforeAll, expect, it } from "vitest";
import { writeArguments } from "../testing/arguments.ts";
import { describePages } from "../testing/console.ts";

const json = {
  anyOf: [
    { type: "string" },
    { type: "array", items: { $ref: "#/$defs/json" } },
    { type: "object", additionalProperties: { $ref: "#/$defs/json" } },
  ],
};

/** Schemas that lead a library which opens them astray. */
const SCHEMAS: Readonly<Record<string, object>> = {
  "a reference to itself": { properties: { a: { $ref: "#/properties/a" } } },
  "two that refer to each other": {
    properties: { a: { $ref: "#/properties/b" }, b: { $ref: "#/properties/a" } },
  },
  "the whole inside of itself": { properties: { a: { $ref: "#" } } },
  "the whole as its own part": { allOf: [{ $ref: "#" }] },
  "the whole as its own choice": { anyOf: [{ $ref: "#" }, { type: "object" }] },
  "any JSON": { properties: { a: { $ref: "#/$defs/json" } }, $defs: { json } },
  "contradictory parts": { properties: { a: { allOf: [{ type: "string" }, { type: "array" }] } } },
  "an empty choice": { properties: { a: { oneOf: [] }, b: { enum: [] } } },
  "keywords of wrong types": {
    properties: { a: { items: 5, required: "a", enum: {}, oneOf: {}, properties: [], title: 1 } },
  },
  "names of what objects inherit": {
    properties: { constructor: { type: "string" }, toString: { type: "object" } },
    required: ["hasOwnProperty"],
  },
  conditions: {
    if: { properties: { a: { const: 1 } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { b: { type: "string" } } },
    else: { $ref: "#" },
    dependencies: { a: { oneOf: [{ properties: { a: { enum: [1] } } }] } },
  },
};

describePages("a form for a schema with", (console) => {
  let url = "";
  beforeAll(async () => {
    const tools = Object.entries(SCHEMAS).map(([name, schema]) => ({
      name,
      description: "",
      inputSchema: { type: "object", ...schema },
    }));
    ({ url } = await console.serve(tools, () => [[], false]));
  }, 60_000);

  it.each(Object.keys(SCHEMAS))("%s is drawn or refused, and the page goes on", async (name) => {
    const { page } = await console.open(`${url}#/tools/${encodeURIComponent(name)}`);
    const panel = page.locator(".arguments .panel");
    await panel.locator(".field, .notice").first().waitFor();
    await writeArguments(page, '{"a":{"a":[1]}}');
    await panel.locator(".field, .notice").first().waitFor();
    await page.getByRole("button", { name: "Validate" }).click();
    await page.locator(".outcome .notice").waitFor();
    // The form has changed nothing of what was written.
    expect(await page.locator('[aria-label="cURL command"]').textContent()).toContain(
      `--data-raw '{"a":{"a":[1]}}'`,
    );
  });
});
