import { beforeAll, expect, it } from "vitest";
import { writeArguments } from "../testing/arguments.ts";
import { findings } from "../testing/axe.ts";
import { describePages } from "../testing/console.ts";

/** A union, a text that follows one of its branches or comes close to it, and which that is. */
const CASES: readonly (readonly [what: string, union: object, text: string, kind: string])[] = [
  [
    "what is required",
    {
      oneOf: [
        { title: "A", properties: { a: { type: "integer" }, b: {} }, required: ["a", "b"] },
        { title: "B", properties: { a: { type: "integer" }, c: {} }, required: ["a", "c"] },
      ],
    },
    '{"a":1,"c":"x"}',
    "B",
  ],
  [
    "keywords that no form is made of",
    {
      anyOf: [
        { title: "A", type: "object", properties: { a: {} }, maxProperties: 1 },
        { title: "B", type: "object", properties: { c: {} } },
      ],
    },
    '{"a":1,"d":2}',
    "B",
  ],
  [
    "several types",
    {
      anyOf: [
        { title: "A", type: ["string", "integer"] },
        { title: "B", type: "array" },
      ],
    },
    "[]",
    "B",
  ],
  [
    "numbers that no double holds",
    {
      oneOf: [
        { title: "A", type: "integer", maximum: 9007199254740992 },
        { title: "B", type: "integer", exclusiveMinimum: 9007199254740992 },
      ],
    },
    "9007199254740993",
    "B",
  ],
  [
    "a name that tells them apart, of an object that is not done",
    {
      oneOf: [
        { title: "A", properties: { kind: { const: "a" } }, required: ["kind"] },
        {
          title: "B",
          properties: { kind: { const: "b" }, x: { type: "string" } },
          required: ["kind", "x", "y", "z"],
        },
      ],
    },
    '{"kind":"b"}',
    "B",
  ],
  [
    "the type of what is not valid yet",
    {
      anyOf: [
        { title: "A", type: "object", properties: { a: { type: "string" } } },
        { title: "B", type: "string", minLength: 3, pattern: "^x" },
      ],
    },
    '"ab"',
    "B",
  ],
  [
    "what is given, where as much is wrong",
    {
      oneOf: [
        { title: "A", properties: { a: {} }, required: ["a"] },
        { title: "B", properties: { b: { type: "integer" } } },
      ],
    },
    '{"b":"1"}',
    "B",
  ],
  [
    "branches behind references",
    {
      oneOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }],
    },
    '{"n":"x"}',
    "B",
  ],
];

const PAY = {
  oneOf: [
    { title: "Card", type: "object", properties: { card: { type: "string" } }, required: ["card"] },
    {
      title: "Cash",
      type: "object",
      properties: { cents: { type: "integer" } },
      required: ["cents"],
    },
  ],
};

const $defs = {
  a: { title: "A", properties: { n: { type: ["integer", "null"] } }, required: ["n"] },
  b: { title: "B", properties: { n: { type: ["string", "null"] } }, required: ["n"] },
};

describePages("a form with a choice between schemas", (console) => {
  let url = "";
  beforeAll(async () => {
    const tools = [...CASES.entries()].map(([index, [, union]]) => ({
      name: `case-${index}`,
      description: "",
      inputSchema: { type: "object", $defs, properties: { value: union } },
    }));
    const scalar = { anyOf: [{ type: "string" }, { type: "integer" }] };
    const inputSchema = { type: "object", properties: { value: scalar } };
    const list = {
      type: "object",
      properties: { value: { type: "array", items: scalar } },
    };
    ({ url } = await console.serve(
      [
        ...tools,
        {
          name: "pay",
          description: "",
          inputSchema: { type: "object", properties: { value: PAY } },
        },
        { name: "scalar", description: "", inputSchema },
        { name: "list", description: "", inputSchema: list },
      ],
      () => [[], false],
    ));
  }, 60_000);

  const openWith = async (tool: string, text: string) => {
    const { page, found } = await console.open(`${url}#/tools/${tool}`);
    await writeArguments(page, `{"value":${text}}`);
    const kind = page.getByLabel(/^Kind of/);
    await kind.waitFor();
    const chosen = () => kind.locator("option:checked").textContent();
    return { page, found, kind, chosen };
  };

  it.each([...CASES.entries()].map(([index, [what, , text, kind]]) => [what, index, text, kind]))(
    "shows the branch that a value follows, or the closest, by %s",
    async (_what, index, text, expected) => {
      const { chosen, found } = await openWith(`case-${index}`, String(text));
      expect(await chosen()).toBe(expected);
      expect(found).toEqual([]);
    },
  );

  it("says once what is wrong", async () => {
    const { page } = await openWith("scalar", "null");
    await page.locator(".issues:visible").first().waitFor();
    const told = await page.locator(".issues li").allTextContents();
    expect(told).toEqual([
      "must be a string (got null)",
      "must be an integer (got null)",
      'must match at least one schema in "anyOf"',
    ]);
    expect(await page.locator('[id="issues%2Fvalue"]').count()).toBe(1);
    const objects = await openWith("case-0", '{"a":"x"}');
    const issues = objects.page.locator('[data-pointer="/value/a"] > .issues li');
    await issues.first().waitFor();
    expect(await issues.allTextContents()).toEqual([
      "must be an integer (got a string of 1 character)",
    ]);
  });

  it("lists what is wrong by the branch that is shown, also where another one is closer", async () => {
    const { page, kind, found } = await openWith("pay", '{"cents":"1"}');
    const listed = page.locator(".verdict ~ .findings button");
    await listed.first().waitFor();
    expect(await listed.allTextContents()).toEqual(["/value/cents", "/value"]);
    await page.getByText("Not listed: 1 issue of alternatives").waitFor();
    await page.getByRole("button", { name: "Validate" }).click();
    // What the server says is listed already.
    await page.locator(".outcome").getByText("invalid for the reasons above").waitFor();
    expect(await page.locator(".outcome li").count()).toBe(0);
    await kind.selectOption("Card");
    await listed.getByText("/value/card").waitFor();
    expect(await listed.allTextContents()).toEqual(["/value/card", "/value"]);
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByRole("tab", { name: "Form" }).click();
    await kind.waitFor();
    expect(found).toEqual([]);
  });

  it("names its branches, and the items of arrays", async () => {
    const { page, kind, chosen } = await openWith("scalar", "1");
    expect(await chosen()).toBe("integer");
    expect(await kind.locator("option").allTextContents()).toEqual(["string", "integer"]);
    expect(await page.getByLabel("value", { exact: true }).inputValue()).toBe("1");
    await page.goto(`${url}#/tools/list`);
    await page.getByRole("button", { name: "Add an item to value" }).click();
    await page.getByLabel("Kind of Item 1").selectOption("integer");
    await page.getByLabel("Item 1", { exact: true }).fill("7");
    expect(await page.locator(".field").getByText("required").count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    const command = page.locator('[aria-label="cURL command"]');
    expect(await command.textContent()).toMatch(/"value": \[\s+7\s+\]/);
  });

  it("stays with a branch while a value is typed that begins like one of another", async () => {
    const { page, kind, chosen } = await openWith("scalar", "1");
    const before = await chosen();
    await kind.selectOption({ index: 1 });
    const field = page.locator('.choice [data-pointer="/value"] textarea');
    await field.fill("");
    await field.pressSequentially("-5");
    expect(await chosen()).toBe(before);
    const command = page.locator('[aria-label="cURL command"]');
    expect(await command.textContent()).toContain('"value": -5');
  });
});
