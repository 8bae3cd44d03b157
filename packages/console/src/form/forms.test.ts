import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { sentArguments, writeArguments } from "../testing/arguments.ts";
import { findings, overflow } from "../testing/axe.ts";
import { describePages, type OpenPage } from "../testing/console.ts";
import { runTool } from "../testing/tools.ts";

const BIG = "9007199254740993";

/** An action in a form, at the field of a pointer. */
type Step =
  | readonly [does: "fill" | "choose" | "check" | "tab" | "press", pointer: string, what: string]
  | readonly [does: "name", pointer: string, what: string];

interface Case {
  /** A JSON text: JavaScript cannot represent all of the numbers. */
  readonly schema: string;
  /** The initial text of the form. */
  readonly starts: string;
  readonly steps: readonly Step[];
  /** The text that is sent, which is valid. */
  readonly sends: string;
  /** The texts that the page shows next to the fields. */
  readonly says?: readonly string[];
}

const SCHEMAS: Readonly<Record<string, Case>> = {
  "required numbers, with bounds": {
    schema: `{"type":"object","properties":{"zoom":{"type":"integer","minimum":1,"maximum":20},
      "ratio":{"type":"number","exclusiveMinimum":0,"multipleOf":0.5}},"required":["zoom","ratio"]}`,
    starts: "{}",
    steps: [
      ["fill", "/zoom", "7"],
      ["fill", "/ratio", "1.50"],
    ],
    sends: '{"zoom":7,"ratio":1.50}',
    says: ["integer · 1 to 20", "number · more than 0 · a multiple of 0.5"],
  },
  "numbers that no double holds": {
    schema: `{"type":"object","properties":{"id":{"type":"integer"},"only":{"const":${BIG}},
      "one":{"enum":[9007199254740992,${BIG},1.50]},"hint":{"type":"integer","default":${BIG}}},"required":["id","only"]}`,
    starts: `{"only":${BIG},"hint":${BIG}}`,
    steps: [
      ["fill", "/id", BIG],
      ["choose", "/one", BIG],
    ],
    sends: `{"only":${BIG},"hint":${BIG},"id":${BIG},"one":${BIG}}`,
    says: [`integer · default ${BIG}`],
  },
  "defaults and constants": {
    schema: `{"type":"object","properties":{"mode":{"enum":["driving","walking"],"default":"driving"},"version":{"const":"2"},
      "n":{"type":"integer","default":10},"x":{"type":"string","default":null},"bad":{"type":"string","default":5}},"required":["version"]}`,
    starts: '{"mode":"driving","version":"2","n":10}',
    steps: [["choose", "/mode", "walking"]],
    sends: '{"mode":"walking","version":"2","n":10}',
  },
  formats: {
    schema: `{"type":"object","properties":{"day":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"},
      "clock":{"type":"string","format":"time"},"mail":{"type":"string","format":"email"},"link":{"type":"string","format":"uri"},
      "key":{"type":"string","format":"password"}},"required":["day"]}`,
    starts: "{}",
    steps: [
      ["fill", "/day", "2026-11-27"],
      ["fill", "/at", "2026-11-27T10:30:00"],
      ["fill", "/clock", "09:15:30"],
      ["fill", "/mail", "a@example.com"],
      ["fill", "/link", "https://example.com/a"],
      ["fill", "/key", "s3cret"],
    ],
    sends:
      '{"day":"2026-11-27","at":"2026-11-27T10:30:00Z","clock":"09:15:30Z","mail":"a@example.com","link":"https://example.com/a","key":"s3cret"}',
  },
  "lists of listed values": {
    schema: `{"type":"object","properties":{"layers":{"type":"array","items":{"enum":["roads","water",${BIG}]},"uniqueItems":true,"minItems":1}},"required":["layers"]}`,
    starts: "{}",
    steps: [
      ["check", "/layers", BIG],
      ["check", "/layers", "roads"],
      ["check", "/layers", "water"],
      ["check", "/layers", "roads"],
    ],
    sends: `{"layers":[${BIG},"water"]}`,
    says: ["array · at least 1 item · no duplicates"],
  },
  "lists of strings, numbers and objects": {
    schema: `{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}},"ids":{"type":"array","items":{"type":"integer"}},
      "columns":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"type":{"enum":["text","number"],"default":"text"}},"required":["name"]}}}}`,
    starts: "{}",
    steps: [
      ["press", "/names", "Add an item to names"],
      ["fill", "/names/0", "a"],
      ["press", "/ids", "Add an item to ids"],
      ["fill", "/ids/0", BIG],
      ["press", "/columns", "Add an item to columns"],
      ["fill", "/columns/0/name", "c"],
    ],
    sends: `{"names":["a"],"ids":[${BIG}],"columns":[{"type":"text","name":"c"}]}`,
  },
  tuples: {
    schema: `{"type":"object","properties":{"at":{"type":"array","prefixItems":[{"type":"number"},{"type":"number"},{"type":"string"}],"items":false,"minItems":2}},"required":["at"]}`,
    starts: "{}",
    steps: [
      ["press", "/at", "Add at"],
      ["fill", "/at/0", "52.50"],
      ["fill", "/at/1", "13.4"],
    ],
    sends: '{"at":[52.50,13.4]}',
  },
  maps: {
    schema: `{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string"}},
      "counts":{"type":"object","patternProperties":{"^n":{"type":"integer"}},"additionalProperties":false}}}`,
    starts: "{}",
    steps: [
      ["press", "/labels", "Add labels"],
      ["name", "/labels", "color"],
      ["fill", "/labels/color", "red"],
      ["press", "/counts", "Add counts"],
      ["name", "/counts", "n1"],
      ["fill", "/counts/n1", BIG],
    ],
    sends: `{"labels":{"color":"red"},"counts":{"n1":${BIG}}}`,
  },
  "a union with a discriminator": {
    schema: `{"type":"object","properties":{"payload":{"oneOf":[
      {"title":"Link","type":"object","properties":{"type":{"const":"url"},"url":{"type":"string","format":"uri"},"note":{"type":"string"}},"required":["type","url"]},
      {"title":"Text","type":"object","properties":{"type":{"const":"text"},"text":{"type":"string"},"note":{"type":"string"}},"required":["type","text"]}]}},"required":["payload"]}`,
    starts: '{"payload":{"type":"url"}}',
    steps: [
      ["fill", "/payload/note", "kept"],
      ["tab", "/payload", "Text"],
      ["fill", "/payload/text", "hello"],
    ],
    sends: '{"payload":{"note":"kept","type":"text","text":"hello"}}',
  },
  "a union of scalars, and of types": {
    schema: `{"type":"object","properties":{"id":{"anyOf":[{"type":"string"},{"type":"integer"}]},"value":{"type":["number","boolean","string"]}}}`,
    starts: "{}",
    steps: [
      ["tab", "/id", "integer"],
      ["fill", "/id", BIG],
      ["tab", "/value", "boolean"],
      ["check", "/value", "false"],
    ],
    sends: `{"id":${BIG},"value":false}`,
  },
  "optional values that may be null": {
    schema: `{"type":"object","properties":{"name":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"limit":{"type":["integer","null"],"minimum":1},"gone":{"type":"string","nullable":true}}}`,
    starts: "{}",
    steps: [
      ["fill", "/name", "x"],
      ["check", "/limit", "limit is null"],
    ],
    sends: '{"name":"x","limit":null}',
  },
  "values with titles": {
    schema: `{"type":"object","properties":{"size":{"oneOf":[{"const":1,"title":"Small"},{"const":2,"title":"Large"}]}},"required":["size"]}`,
    starts: "{}",
    steps: [["choose", "/size", "Large (2)"]],
    sends: '{"size":2}',
  },
  recursion: {
    schema: `{"type":"object","$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"child":{"$ref":"#/$defs/node"}},"required":["name"]}},"properties":{"root":{"$ref":"#/$defs/node"}},"required":["root"]}`,
    starts: '{"root":{}}',
    steps: [
      ["fill", "/root/name", "a"],
      ["press", "/root/child", "Add child"],
      ["fill", "/root/child/name", "b"],
      ["press", "/root/child/child", "Add child"],
      ["fill", "/root/child/child/name", "c"],
    ],
    sends: '{"root":{"name":"a","child":{"name":"b","child":{"name":"c"}}}}',
  },
  "nested objects, some of them optional": {
    schema: `{"type":"object","properties":{"center":{"type":"object","properties":{"lat":{"type":"number"},"lng":{"type":"number"}},"required":["lat","lng"]},
      "insert":{"type":"object","properties":{"text":{"type":"string"},"after":{"type":"string"}},"required":["text"]},
      "replace":{"type":"object","properties":{"new":{"type":"string"}},"required":["new"]}},"required":["center"]}`,
    starts: '{"center":{}}',
    steps: [
      ["fill", "/center/lat", "1.0"],
      ["fill", "/center/lng", "2"],
      ["press", "/insert", "Add insert"],
      ["fill", "/insert/text", "line\nbreak"],
      ["press", "/replace", "Add replace"],
      ["press", "/replace", "Clear replace"],
    ],
    sends: '{"center":{"lat":1.0,"lng":2},"insert":{"text":"line\\nbreak"}}',
  },
  "parts, conditions and dependencies": {
    schema: `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"minLength":2},"kind":{"enum":["x","y"]}}}],
      "if":{"properties":{"kind":{"const":"x"}},"required":["kind"]},"then":{"properties":{"extra":{"type":"integer"}},"required":["extra"]},
      "dependentRequired":{"kind":["why"]},"properties":{"why":{"type":"string"}}}`,
    starts: "{}",
    steps: [
      ["fill", "/a", "ab"],
      ["choose", "/kind", "x"],
      ["fill", "/extra", "5"],
      ["fill", "/why", "so"],
    ],
    sends: '{"a":"ab","kind":"x","extra":5,"why":"so"}',
    says: ["string · at least 2 characters"],
  },
  "anything, and references to names": {
    schema: `{"type":"object","properties":{"any":true,"free":{},"ref":{"$ref":"#color"}},"$defs":{"c":{"$anchor":"color","enum":["red","blue"]}}}`,
    starts: "{}",
    steps: [
      ["fill", "/any", `[1.0, ${BIG}]`],
      ["fill", "/free", "words"],
      ["choose", "/ref", "blue"],
    ],
    sends: `{"any":[1.0,${BIG}],"free":"words","ref":"blue"}`,
  },
  "an alternative of what is required": {
    schema: `{"type":"object","properties":{"query":{"type":"string"},"id":{"type":"integer"},"sure":{"type":"boolean"}},"anyOf":[{"required":["query"]},{"required":["id"]}],"required":["sure"]}`,
    starts: "{}",
    steps: [
      ["fill", "/query", "a"],
      ["check", "/sure", "true"],
    ],
    sends: '{"query":"a","sure":true}',
    says: ["needs query, or id"],
  },
};

const many = Array.from({ length: 10_000 }, (_, i) => `"field_${i}":{"type":"string"}`).join();
const deep = (levels: number): string =>
  levels === 0
    ? '{"type":"string"}'
    : `{"type":"object","properties":{"note":{"type":"string"},"level":${deep(levels - 1)}},"required":["note","level"]}`;
const doubling = Array.from(
  { length: 40 },
  (_, i) =>
    `"d${i}":{"type":"object","properties":{"a":{"$ref":"#/$defs/d${Math.min(39, i + 1)}"},"b":{"$ref":"#/$defs/d${Math.min(39, i + 1)}"}},"required":["a","b"]}`,
).join();

/** Schemas for other behavior of forms. */
const OTHERS: Readonly<Record<string, string>> = {
  lists: `{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"integer"}},"names":{"type":"array","items":{"type":"string"}},
    "list":{"type":"array","items":{"type":"array","items":{"type":"string"}}},"extra":{"type":"object","additionalProperties":{"type":"string"}},
    "ints":{"type":"object","additionalProperties":{"type":"integer"}},"plain":{"type":"integer"}},"additionalProperties":true}`,
  names: `{"type":"object","properties":{"two words":{"type":"string","minLength":5},"a":{"type":"object","properties":{"b":{"type":"string","minLength":5}},"required":["b"]},
    "a_b":{"type":"string","minLength":5},"a/b":{"type":"string","minLength":5},"a%2Fb":{"type":"string","minLength":5},"line\\nbreak":{"type":"string","minLength":5}},"required":["a"]}`,
  unions: `{"type":"object","properties":{"pay":{"oneOf":[{"title":"Card","type":"object","properties":{"card":{"type":"string"}},"required":["card"],"additionalProperties":false},
    {"title":"Cash","type":"object","properties":{"cents":{"type":"integer"}},"required":["cents"],"additionalProperties":false}]},"id":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"required":["pay"]}`,
  closed:
    '{"type":"object","properties":{"center":{"type":"object","properties":{"lat":{"type":"number"}},"required":["lat"]}},"required":["center"],"additionalProperties":false}',
  "ten thousand": `{"type":"object","properties":{${many}},"required":["field_9999"]}`,
  billions: `{"$defs":{${doubling}},"$ref":"#/$defs/d0"}`,
  circle:
    '{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"},"c":{"$ref":"#"},"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"array","prefixItems":[{"$ref":"#/$defs/t"},{"$ref":"#/$defs/t"}]}},"required":["t","c"]}',
  deep: deep(25),
};

/** Returns the field of a value, without the fields nested in it. */
function fieldOf(page: Page, pointer: string): Locator {
  return page.locator(`[data-pointer="${pointer}"]`);
}

async function take(page: Page, [does, pointer, what]: Step): Promise<void> {
  const field = fieldOf(page, pointer);
  if (does === "fill") {
    const id = `argument${encodeURIComponent(pointer)}`;
    await field.locator(`[id="${id}"]`).fill(what);
  } else if (does === "choose") {
    await field.locator("select").first().selectOption({ label: what });
  } else if (does === "check") {
    const box = field.getByLabel(what, { exact: true }).first();
    await ((await box.isChecked()) ? box.uncheck() : box.check());
  } else if (does === "tab") {
    await field.getByRole("tab", { name: what, exact: true }).first().click();
  } else if (does === "press") {
    await field.getByRole("button", { name: what, exact: true }).first().click();
  } else {
    await field
      .getByRole("button", { name: /^Add a property/ })
      .first()
      .click();
    await page.getByLabel("Name of the new property").fill(what);
    await page.keyboard.press("Enter");
  }
}

describePages("a form", (console) => {
  let url = "";
  let opened: OpenPage;
  beforeAll(async () => {
    const unions = {
      name: "unions",
      description: "",
      inputSchema: JSON.parse(OTHERS["unions"] ?? ""),
    };
    ({ url } = await console.serve([unions], runTool, { allowExecute: true }));
    opened = await console.openForAll(url);
    // Sends the schemas as they are written: the tool API would convert their numbers to doubles.
    await opened.page.route("**/tools/*", (route) => {
      const name = decodeURIComponent(
        new URL(route.request().url()).pathname.split("/").at(-1) ?? "",
      );
      const schema = SCHEMAS[name]?.schema ?? OTHERS[name];
      const body = `{"name":${JSON.stringify(name)},"description":"","inputSchema":${schema}}`;
      return schema === undefined
        ? route.fallback()
        : route.fulfill({ contentType: "application/json", body });
    });
  }, 60_000);

  const sent = async (page: Page): Promise<string> =>
    (await sentArguments(page)).replaceAll(/": /g, '":').replaceAll(/, (?=\d)/g, ",");
  /** Returns what the controls of the form show. */
  const shown = (page: Page) =>
    page
      .locator(".arguments :is(input:not([type=radio], [type=checkbox]), textarea, select)")
      .evaluateAll((all) =>
        all.map((each) =>
          each instanceof HTMLSelectElement
            ? (each.selectedOptions[0]?.textContent ?? "")
            : (each as HTMLInputElement).value,
        ),
      );
  const open = async (name: string) => {
    const { page } = opened;
    await page.goto(`${url}#/tools/${encodeURIComponent(name)}`);
    await page.getByRole("heading", { name, exact: true }).waitFor();
    await fieldOf(page, "").waitFor();
    return page;
  };

  eachOf(Object.keys(SCHEMAS), 4)("renders, fills in and validates %s", async (name) => {
    const { starts, steps, sends, says = [] } = SCHEMAS[name] as Case;
    const page = await open(name);
    expect(await sent(page)).toBe(starts);
    expect(await shown(page)).not.toContain("null");
    // A form that the user has not edited marks nothing as wrong.
    expect(await page.locator('.arguments .issues:visible, [aria-invalid="true"]').count()).toBe(0);
    for (const step of steps) await take(page, step);
    await expect.poll(() => sent(page)).toBe(sends);
    await page.locator('.verdict[data-state="valid"]').waitFor();
    const values = await shown(page);
    for (const no of ["null", "newKey", "New Value"]) expect(values).not.toContain(no);
    const text = await page.locator(".arguments").innerText();
    for (const words of says) expect(text).toContain(words);
    // Drawing the form changes nothing by itself, and drawing it again shows the same.
    await page.getByRole("tab", { name: "JSON", exact: true }).click();
    await page.getByRole("tab", { name: "Form", exact: true }).click();
    await fieldOf(page, "").waitFor();
    expect(await sent(page)).toBe(sends);
    expect(opened.found).toEqual([]);
  });

  it("gives every field a name and description for assistive technology", long, async () => {
    for (const name of [
      "formats",
      "lists of strings, numbers and objects",
      "a union of scalars, and of types",
    ]) {
      expect(await findings(await open(name))).toEqual([]);
    }
  });

  const write = async (page: Page, text: string): Promise<void> => {
    await writeArguments(page, text);
    await fieldOf(page, "").waitFor();
  };
  const control = (page: Page, pointer: string) =>
    page.locator(`[id="argument${encodeURIComponent(pointer)}"]`);
  const issues = (page: Page, pointer: string) =>
    page.locator(`[id="issues${encodeURIComponent(pointer)}"] li`).allTextContents();

  eachOf(
    [
      [
        "an item",
        '{"numbers":[1,2,3]}',
        "/numbers/1",
        '{"numbers":[1,null,3]}',
        '{"numbers":[1,57,3]}',
      ],
      [
        "an item of text",
        '{"names":["a","b"]}',
        "/names/0",
        '{"names":["","b"]}',
        '{"names":["57","b"]}',
      ],
      [
        "a property that was added",
        '{"ints":{"a":1,"b":2}}',
        "/ints/a",
        '{"ints":{"a":null,"b":2}}',
        '{"ints":{"a":57,"b":2}}',
      ],
      ["a declared property", '{"plain":1}', "/plain", "{}", '{"plain":57}'],
    ],
    1,
  )(
    "keeps the place of a value that is emptied: %s",
    async (_what, text, pointer, emptied, typed) => {
      const page = await open("lists");
      await write(page, text);
      await control(page, pointer).focus();
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Delete");
      expect(await sent(page)).toBe(emptied);
      await expect.poll(() => control(page, pointer).inputValue()).toBe("");
      await page.keyboard.type("57");
      expect(await sent(page)).toBe(typed);
    },
  );

  it("keeps the focus near a removed item", async () => {
    const page = await open("lists");
    await write(page, '{"list":[["a","b"],["c"]],"extra":{"d":"1","e":"2"}}');
    const remove = async (pointer: string, name: string): Promise<string> => {
      await fieldOf(page, pointer).getByRole("button", { name, exact: true }).last().focus();
      await page.keyboard.press("Enter");
      return page.evaluate(() => {
        const { activeElement: at } = document;
        const field = at?.closest<HTMLElement>("[data-pointer]")?.dataset["pointer"];
        return `${field} ${at?.getAttribute("aria-label")}`;
      });
    };
    expect(await remove("/list/0", "Remove item 1")).toBe("/list/0/0 Remove item 1");
    expect(await remove("/list/0", "Remove item 1")).toBe("/list/0 Add an item to Item 1");
    expect(await remove("/list", "Remove item 2")).toBe("/list/0 Remove item 1");
    expect(await remove("/extra", "Remove property d")).toBe("/extra/e Remove property e");
    expect(await remove("/extra", "Remove property e")).toBe("/extra Add a property to extra");
  });

  it("moves items with their open parts and all their digits", async () => {
    const page = await open("lists");
    await write(page, `{"numbers":[${BIG},9007199254740992,1.0]}`);
    await page.getByRole("button", { name: "Remove item 2" }).click();
    expect(await sent(page)).toBe(`{"numbers":[${BIG},1.0]}`);
    await page.getByRole("button", { name: "Move item 1 down" }).click();
    expect(await sent(page)).toBe(`{"numbers":[1.0,${BIG}]}`);
    await page.getByRole("button", { name: "Add an item to numbers" }).click();
    // An item that has no value yet is not sent, and its field has the focus.
    expect(await sent(page)).toBe(`{"numbers":[1.0,${BIG}]}`);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.id))
      .toBe("argument%2Fnumbers%2F2");
    await page.keyboard.type("7");
    expect(await sent(page)).toBe(`{"numbers":[1.0,${BIG},7]}`);
  });

  it("adds properties under any name, but no duplicates", async () => {
    const page = await open("lists");
    const kept = `"__proto__":{"n":${BIG}},"constructor":1.0`;
    await write(page, `{${kept}}`);
    const add = page.getByRole("button", { name: "Add a property", exact: true });
    const name = page.getByLabel("Name of the new property");
    await add.click();
    await name.fill("constructor");
    await page.keyboard.press("Enter");
    expect(await sent(page)).toBe(`{${kept}}`);
    await add.click();
    await name.fill("other");
    await page.keyboard.press("Enter");
    await control(page, "/other").fill("New");
    const other = page.getByLabel("Name of property other");
    await other.fill("__proto__");
    await other.blur();
    expect(await sent(page)).toBe(`{${kept},"other":"New"}`);
    await other.fill("named");
    await other.blur();
    expect(await sent(page)).toBe(`{${kept},"named":"New"}`);
    await page.getByRole("button", { name: "Remove property named" }).click();
    expect(await sent(page)).toBe(`{${kept}}`);
  });

  it("links each field to its label and its issues, whatever its name", async () => {
    const page = await open("names");
    const fields = page.locator(".arguments textarea");
    await fields.nth(5).waitFor();
    for (let index = 0; index < 6; index++) await fields.nth(index).fill(`v${index}`);
    await page.locator(".issues:visible").nth(5).waitFor();
    const told = await fields.evaluateAll((all) =>
      all.map((each) => {
        const field = each as HTMLTextAreaElement;
        const ids = field.getAttribute("aria-describedby")?.split(/\s+/) ?? [];
        const texts = ids.map((id) => document.getElementById(id)?.textContent);
        return [[...(field.labels ?? [])].map((label) => label.textContent), texts];
      }),
    );
    const wrong = ["must have at least 5 characters (got a string of 2 characters)"];
    expect(told).toEqual(
      ["two words", "b", "a_b", "a/b", "a%2Fb", "line\nbreak"].map((label) => [[label], wrong]),
    );
    expect(await findings(page)).toEqual([]);
  });

  it("shows each issue once, next to its value, for the selected branch", async () => {
    const page = await open("unions");
    await write(page, '{"pay":{"cents":"1"},"id":null,"who":1}');
    const tab = (name: string) => page.getByRole("tab", { name, exact: true });
    await expect.poll(() => tab("Cash").getAttribute("aria-selected")).toBe("true");
    await expect
      .poll(() => issues(page, "/pay/cents"))
      .toEqual([
        "must be an integer (got a string of 1 character); send the number itself, without quotes",
      ]);
    expect(await issues(page, "/id")).toEqual([
      "must be a string or an integer (got null); leave it out if it is not required",
    ]);
    // A property that the schema does not name has a field only if additional properties are allowed.
    await page.getByRole("button", { name: "Validate" }).click();
    await page.locator(".outcome").getByText("invalid for the reasons above").waitFor();
    expect(await page.locator(".outcome li").count()).toBe(0);
    const text = await page.locator(".arguments").innerText();
    expect(text.match(/must be an integer/g)?.length).toBe(1);
    expect(text).not.toContain("oneOf");
    // The arrow keys move between the tabs, and Enter selects one.
    await tab("Cash").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await expect.poll(() => sent(page)).toBe('{"pay":{},"id":null,"who":1}');
    await control(page, "/pay/card").fill("4242");
    await page.keyboard.press("Tab");
    expect(await sent(page)).toBe('{"pay":{"card":"4242"},"id":null,"who":1}');
  });

  it("shows a value of the wrong type, and lists values without a field", async () => {
    const page = await open("closed");
    await write(page, '{"center":"here","town":1}');
    await expect.poll(() => page.getByLabel("center", { exact: true }).inputValue()).toBe('"here"');
    await expect
      .poll(() => issues(page, "/center"))
      .toEqual(["must be an object (got a string of 4 characters)"]);
    await expect.poll(() => issues(page, "/town")).toEqual(["is not declared"]);
    await page.getByRole("button", { name: "Remove property town" }).click();
    await page.getByRole("button", { name: "Replace it with a form" }).click();
    await control(page, "/center/lat").fill("1.0");
    await page.locator('.verdict[data-state="valid"]').waitFor();
    expect(await sent(page)).toBe('{"center":{"lat":1.0}}');
    await control(page, "/center/lat").fill("x");
    await page.getByRole("button", { name: "Collapse center" }).click();
    const listed = page
      .locator(".arguments .findings")
      .getByRole("button", { name: "/center/lat" });
    await listed.click();
    // Fields that are folded away are still found in the text.
    await page.getByRole("textbox", { name: "Arguments as JSON" }).waitFor();
  });

  it(
    "renders a page of ten thousand fields, the required ones first, and more on request",
    long,
    async () => {
      const page = await open("ten thousand");
      const fields = page.locator('.arguments [data-pointer^="/"]');
      await expect.poll(() => fields.count()).toBe(100);
      await expect.poll(() => fields.first().getAttribute("data-pointer")).toBe("/field_9999");
      await control(page, "/field_9999").fill("x");
      await page.locator('.verdict[data-state="valid"]').waitFor();
      await page.getByRole("button", { name: "Show 100 more of 9,900" }).click();
      await expect.poll(() => fields.count()).toBe(200);
    },
  );

  it.each(["billions", "circle", "deep"])(
    "renders a schema of %s without hanging",
    async (name) => {
      const page = await open(name);
      expect(await page.locator(".arguments [data-pointer]").count()).toBeLessThan(700);
      await page.locator('.verdict[data-state="invalid"], .verdict[data-state="valid"]').waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      const widths = await page
        .locator(".arguments textarea")
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
      expect(Math.min(200, ...widths)).toBeGreaterThan(120);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1280, height: 720 });
    },
  );

  it("causes no page error", () => {
    expect(opened.found).toEqual([]);
  });
});
