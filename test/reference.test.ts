import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ActivityError, ERROR_CATALOGUES } from "@touchstone/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { long } from "../packages/core/src/testing/sample.ts";

const script = fileURLToPath(new URL("../tools/docs/reference.mjs", import.meta.url));
const root = fileURLToPath(new URL("../", import.meta.url));
/** Where a generated file is kept. */
const committed = (name: string): string =>
  join(root, name === "llms.txt" ? "" : "docs/reference", name);
const folder = mkdtempSync(join(tmpdir(), "touchstone-reference-"));
const page = (name: string): string => readFileSync(join(folder, name), "utf8");

type Pages = Readonly<Record<string, () => string | Promise<string>>>;
const { PAGES }: { PAGES: Pages } = await import("../tools/docs/generated.mjs" as string);

// The command's own tests compare commands.md with what each command prints.
it.each(Object.keys(PAGES).filter((name) => name !== "commands.md"))(
  "%s is up to date (else run `npm run docs:reference` and commit the result)",
  async (name) => {
    expect(readFileSync(committed(name), "utf8")).toBe(await PAGES[name]?.());
  },
);

// It starts the command once for each of its commands.
describe("the generated reference", long, () => {
  beforeAll(() => {
    // It exits 1 if something has no description.
    execFileSync(process.execPath, [script, folder], { stdio: ["ignore", "ignore", "pipe"] });
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ["commands.md", "## touchstone activity rollout"],
    ["commands.md", "--missing-structured-content"],
    ["configuration-keys.md", '| `input_validation.mode` | "off", "warn", "strict" | `"warn"` |'],
    ["configuration-keys.md", "| `mcpServers.NAME.command` |"],
    ["errors.md", "| `DATABASE_BUSY` |"],
    ["errors.md", "| `too_deep` |"],
    ["gateway-routes.md", "## PATCH /api/v1/servers/{server}/modes"],
    ["tools-api-routes.md", "## POST /tools/{name}/validate"],
  ])("%s lists %s", (name, part) => {
    expect(page(name)).toContain(part);
  });

  it("has a section for each error class of the gateway and of its packages", () => {
    const classes = ["gateway", "records", "util"]
      .map((name) => join(root, "packages", name, "src"))
      .flatMap((sources) =>
        readdirSync(sources, { recursive: true, encoding: "utf8" })
          .filter((file) => file.endsWith(".ts"))
          .map((file) => readFileSync(join(sources, file), "utf8")),
      )
      .flatMap((text) => [...text.matchAll(/(\w+) extends TouchstoneError</g)])
      .map(([, name]) => name);
    expect(classes.length).toBeGreaterThan(5);
    // A request that is refused before it is read throws nothing.
    expect([...classes, "AccessError"].sort()).toEqual(Object.keys(ERROR_CATALOGUES).sort());
    const { docs, status } = new ActivityError("BAD_FILTER", "text");
    expect([docs, status]).toEqual(["reference/errors.md#activityerror", 400]);
    for (const name of classes) expect(page("errors.md")).toContain(`\n## ${name}\n`);
  });

  it("has no undefined values", () => {
    for (const name of readdirSync(folder)) expect(page(name)).not.toMatch(/undefined|\[object/);
  });

  it("docs/reference and llms.txt are up to date (else run `npm run docs:reference` and commit the result)", () => {
    const pages = readdirSync(folder);
    expect(pages.length).toBeGreaterThan(4);
    const stale = pages.filter((name) => readFileSync(committed(name), "utf8") !== page(name));
    expect(stale).toEqual([]);
  });
});
