import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ActivityError, ERROR_CATALOGUES } from "@touchstone/gateway";
import { afterAll, beforeAll, expect, it } from "vitest";

const script = fileURLToPath(new URL("../tools/docs/reference.mjs", import.meta.url));
const root = fileURLToPath(new URL("../", import.meta.url));
/** Where a generated file is kept. */
const committed = (name: string): string =>
  join(root, name === "llms.txt" ? "" : "docs/reference", name);
const folder = mkdtempSync(join(tmpdir(), "touchstone-reference-"));
const page = (name: string): string => readFileSync(join(folder, name), "utf8");

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

it("has a section for each error class of the gateway", () => {
  const sources = fileURLToPath(new URL("../packages/gateway/src/", import.meta.url));
  const classes = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readFileSync(join(sources, file), "utf8").matchAll(/(\w+) extends TouchstoneError</g),
    ])
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
