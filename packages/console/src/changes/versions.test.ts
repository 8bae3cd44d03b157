import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ActivityRecord } from "@touchstone/gateway/api";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { initialize, post, request } from "../../../gateway/src/testing/http.ts";
import { findings, moved, overflow } from "../testing/axe.ts";
import { screenshot } from "../testing/console.ts";
import { describeGatewayPages, type ServedGateway } from "../testing/gateway.ts";
import { LOOKS } from "../testing/looks.ts";
import { comparedQuery, readCompared } from "./versions.ts";

it.each([
  ["after=A", { id: "A", side: "after" }],
  ["before=B&server=s", { id: "B", side: "before" }],
  ["after=", undefined],
  ["server=s", undefined],
] as const)("names the version to compare with in an address: %s", (query, version) => {
  expect(readCompared(query)).toEqual(version);
  if (version !== undefined)
    expect(query).toContain(`${new URLSearchParams(comparedQuery(version))}`);
});

const SERVER = fileURLToPath(
  new URL("../../../gateway/src/testing/changing-server.mjs", import.meta.url),
);
const VERSIONS = [
  { type: "string" },
  { type: "string", maxLength: 40 },
  { type: "string", maxLength: 50 },
  { type: "integer" },
].map((city) => ({
  ...{ name: "trip", description: "Plans a trip." },
  inputSchema: { type: "object", properties: { city } },
}));

describeGatewayPages("versions of a tool", (console) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-versions-"));
  const file = join(folder, "tools.json");
  let gateway: ServedGateway;
  /** Oldest first. */
  let changes: readonly ActivityRecord[];

  beforeAll(async () => {
    writeFileSync(file, JSON.stringify({ tools: [VERSIONS[0]] }));
    const s = { command: process.execPath, args: [SERVER], env: { DECLARED: file } };
    gateway = await console.start(JSON.stringify({ mcpServers: { s } }));
    const headers = await initialize(gateway.url("s"));
    for (const version of VERSIONS) {
      writeFileSync(file, JSON.stringify({ tools: [version] }));
      await post(gateway.url("s"), request(1, "tools/list"), headers);
    }
    const records = await gateway.records({ type: "schema_change" });
    changes = records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const isFine = async (page: Page, name: string): Promise<void> => {
    expect([name, await moved(page)]).toEqual([name, []]);
    expect([name, await findings(page)]).toEqual([name, []]);
    expect([name, await overflow(page)]).toEqual([name, 0]);
    await screenshot(page, name);
  };

  it("are compared by the API, whichever two they are", async () => {
    expect(changes.map(({ direction }) => direction)).toEqual(["input", "input", "input"]);
    const [first, second, third] = changes.map(({ id }) => id);
    const diff = async (query: string): Promise<readonly string[]> => {
      const { body } = await gateway.get(`activity/${third}/diff${query}`);
      const { diff: text } = body as { readonly diff: string };
      const lines = text.split("\n").filter((line) => /^[+-]/.test(line));
      return lines.map((line) => line.replaceAll(" ", ""));
    };
    const integer = '+"type":"integer"';
    expect(await diff(`?before=${first}`)).toEqual(['-"type":"string"', integer]);
    const from = (most: number) => [`-"maxLength":${most},`, '-"type":"string"', integer];
    expect(await diff(`?after=${first}`)).toEqual(from(40));
    expect(await diff(`?after=${second}`)).toEqual(from(50));
    // The difference that the record itself has.
    expect(await diff("")).toEqual(from(50));
    expect(await diff(`?after=${third}`)).toEqual([]);
  });

  it.each(LOOKS)(
    "are chosen on the tool's page and beside each other, %s at %i by %i",
    async (colorScheme, width, height) => {
      const viewport = { width, height };
      const { page, found } = await console.open(`${gateway.page}#/tools/s%3Atrip`, {
        colorScheme,
        viewport,
      });
      const look = `${colorScheme}-${width}`;
      await page.getByRole("link", { name: "Versions" }).click();
      const form = page.getByRole("form", { name: "Compare two versions" });
      const [from, to] = [form.getByLabel("Compare"), form.getByLabel("with")];
      await expect.poll(() => from.locator("option").count()).toBe(4);
      // The page shows the revision in which each version was listed.
      expect(await page.getByText("2025-11-25", { exact: true }).count()).toBe(3);
      await isFine(page, `versions-${look}`);
      // The versions can be chosen in any order: here the first known one, and the newest.
      await to.selectOption({ index: 3 });
      await from.selectOption({ index: 0 });
      await form.getByRole("button", { name: "Compare" }).click();
      const [first, , third] = changes.map(({ id }) => id);
      await page.waitForURL(new RegExp(`#/changes/${third}\\?before=${first}$`));
      const [before, after] = [/^Before /, /^After /].map((name) =>
        page.getByRole("region", { name }),
      );
      await before?.getByText('-        "type": "string"').waitFor();
      await after?.getByText('+        "type": "integer"').waitFor();
      await page.getByText("breaking").first().waitFor();
      await isFine(page, `version-${look}`);
      // The address alone opens the same comparison, with both versions selected.
      const { page: shared } = await console.open(page.url(), { colorScheme, viewport });
      await shared.getByRole("region", { name: /^Before / }).waitFor();
      const chosen = shared.getByRole("combobox", { name: "Compare" });
      await expect.poll(() => chosen.inputValue()).toBe("3");
      await from.selectOption({ index: 2 });
      await form.getByRole("button", { name: "Compare" }).click();
      await page.waitForURL(new RegExp(`#/changes/${third}\\?after=${first}$`));
      await page.getByText('-        "maxLength": 40,').waitFor();
      expect(found).toEqual([]);
    },
    60_000,
  );
});
