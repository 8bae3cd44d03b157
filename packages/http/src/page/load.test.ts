import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PLAYGROUND_POLICY } from "../answers/headers.ts";
import { createHandler } from "../index.ts";
import { ConsoleFilesError, loadConsole, loadPlayground, playgroundResponse } from "./load.ts";

const MANIFEST = {
  "src/main.tsx": {
    file: "main-1a.js",
    isEntry: true,
    css: ["main-2b.css"],
    imports: ["_core.js"],
  },
  "_core.js": { file: "core-3c.js" },
};

describe("loadConsole", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "touchstone-console-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  const writeAll = (manifest: unknown) => {
    write("manifest.json", JSON.stringify(manifest));
    write("main-1a.js", "export {};");
    write("main-2b.css", "a{}");
    write("core-3c.js", "// é");
  };

  it("returns the files of the manifest as the handlers serve them", async () => {
    writeAll(MANIFEST);
    write("secret.js", "not in the manifest");
    const assets = loadConsole(directory);
    expect(assets?.script).toBe("main-1a.js");
    expect(assets?.styles).toEqual(["main-2b.css"]);
    expect([...(assets?.files.keys() ?? [])]).toEqual(["main-1a.js", "main-2b.css", "core-3c.js"]);
    const handler = createHandler([], () => [[], false], { console: assets });
    const response = await handler(new Request("http://localhost/assets/core-3c.js"));
    expect(await response.text()).toBe("// é");
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("cache-control")).toContain("immutable");
  });

  it("finds the icon, the fonts and the compressed twins of files", () => {
    const assets = ["sans-5e.woff2", "logo-6f.svg"];
    writeAll({ "src/main.tsx": { file: "main-1a.js", isEntry: true, assets } });
    for (const name of [...assets, "main-1a.js.gz"]) write(name, "");
    const console = loadConsole(directory);
    expect([console?.fonts, console?.icon]).toEqual([["sans-5e.woff2"], "logo-6f.svg"]);
    expect(console?.files.get("main-1a.js")?.gzip).toHaveLength(0);
    expect(console?.files.get("logo-6f.svg")?.gzip).toBeUndefined();
  });

  it("returns nothing if the console was not built", () => {
    expect(loadConsole(directory)).toBeUndefined();
    expect(loadConsole(join(directory, "nowhere"))).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ["a list that is none", [1], "not a list of files"],
    ["no entry", { a: { file: "core-3c.js" } }, "no entry file"],
    ["a file that is gone", { a: { file: "gone-4d.js", isEntry: true } }, "gone-4d.js"],
    ["a file in a folder", { a: { file: "../core-3c.js", isEntry: true } }, "lies in a folder"],
    ["an unknown kind", { a: { file: "manifest.json", isEntry: true } }, "of this kind"],
    ["bad names", { a: { file: "core-3c.js", isEntry: true, css: [1] } }, "not a list of files"],
  ])("refuses %s with its name", (_what, manifest, text) => {
    writeAll(manifest);
    expect(() => loadConsole(directory)).toThrow(ConsoleFilesError);
    expect(() => loadConsole(directory)).toThrow(text);
  });

  it("refuses a manifest that is not JSON", () => {
    write("manifest.json", "{");
    expect(() => loadConsole(directory)).toThrow(join(directory, "manifest.json"));
  });
});

describe("loadPlayground", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "touchstone-playground-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);

  it("returns the page, which is not kept by browsers, and the files beside it, which are", async () => {
    write("index.html", "<!doctype html>");
    write("index-1a.js", "1");
    write("index-1a.js.gz", "packed");
    write("licenses.md", "not served");
    const files = loadPlayground(directory) ?? new Map();
    expect([...files.keys()].toSorted()).toEqual(["index-1a.js", "index.html"]);
    for (const name of ["", "index.html"]) {
      const page = playgroundResponse(files, name, "gzip");
      expect(await page?.text()).toBe("<!doctype html>");
      expect(page?.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(page?.headers.get("content-security-policy")).toBe(PLAYGROUND_POLICY);
      expect(page?.headers.get("cache-control")).toBe("no-store");
    }
    const script = playgroundResponse(files, "index-1a.js", "gzip");
    expect([await script?.text(), script?.headers.get("content-encoding")]).toEqual([
      "packed",
      "gzip",
    ]);
    expect(script?.headers.get("cache-control")).toContain("immutable");
    for (const name of ["licenses.md", "none.js", "../index.html"]) {
      expect(playgroundResponse(files, name, "")).toBeUndefined();
    }
  });

  it("returns nothing if the playground was not built", () => {
    expect(loadPlayground(directory)).toBeUndefined();
  });
});
