import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GatewayConfig } from "../../config/config.ts";
import { parseConfig } from "../../config/load.ts";
import { ConfigEditor } from "./config-editor.ts";
import { modesEdit } from "./modes.ts";

const BY = { actor: "auth.admin_key" };

const TEXT = '{ "mcpServers": { "s": { "command": "x" } } } // the end';

let folder: string;
let applied: GatewayConfig[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "touchstone-editor-"));
  applied = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function editorOf(name: string, refuse?: (config: GatewayConfig) => boolean) {
  const file = join(folder, name);
  writeFileSync(file, TEXT);
  const load = (text: string) => parseConfig(text, { file, env: {} });
  const editor = new ConfigEditor({ file, load }, async (config) => {
    if (refuse?.(config)) throw new Error("no room");
    applied.push(config);
    return ["changed"];
  });
  return { file, editor, text: () => readFileSync(file, "utf8") };
}
const isStrict = ({ settings }: GatewayConfig): boolean => settings.input.mode === "strict";

describe("ConfigEditor", () => {
  it("writes a change, then applies it", async () => {
    const { editor, text } = editorOf("touchstone.json");
    expect(await editor.changeModes({}, modesEdit({}, { input: "strict" }), BY)).toEqual([
      "changed",
    ]);
    expect(text()).toContain('"input_validation": { "mode": "strict" }');
    expect(text()).toMatch(/\/\/ the end$/);
    expect(applied.map(isStrict)).toEqual([true]);
    expect(editor.written().at({})).toEqual({ input: "strict" });
    expect(editor.file).toBe("touchstone.json");
  });

  it("restores the file and the old configuration if the change is refused", async () => {
    const { editor, file, text } = editorOf("touchstone.json", isStrict);
    chmodSync(file, 0o600);
    const changed = editor.changeModes({}, modesEdit({}, { input: "strict" }), BY);
    await expect(changed).rejects.toMatchObject({
      code: "RELOAD_REFUSED",
      message: expect.stringContaining("no room"),
    });
    expect(text()).toBe(TEXT);
    expect(applied.map(isStrict)).toEqual([false]);
    // The next change is made anyway.
    expect(await editor.changeModes({}, modesEdit({}, { input: "off" }), BY)).toEqual(["changed"]);
  });

  it("keeps and applies what someone else wrote meanwhile", async () => {
    const other = TEXT.replace("{ ", '{ "output_validation": { "mode": "off" }, ');
    const { editor, file, text } = editorOf("touchstone.json", (config) => {
      if (isStrict(config)) writeFileSync(file, other);
      return isStrict(config);
    });
    await expect(
      editor.changeModes({}, modesEdit({}, { input: "strict" }), BY),
    ).rejects.toMatchObject({
      code: "RELOAD_REFUSED",
      message: expect.stringMatching(/no room.*Somebody else has changed the file/),
    });
    expect(text()).toBe(other);
    expect(applied.map(({ settings }) => settings.output.mode)).toEqual(["off"]);
  });

  it.each([
    ["disappears", (file: string) => rmSync(file)],
    ["becomes invalid", (file: string) => writeFileSync(file, "{}{")],
  ])("returns to the old configuration if the file %s meanwhile", async (_, spoil) => {
    const { editor, file } = editorOf("touchstone.json", (config) => {
      if (isStrict(config)) spoil(file);
      return isStrict(config);
    });
    await expect(
      editor.changeModes({}, modesEdit({}, { input: "strict" }), BY),
    ).rejects.toMatchObject({
      code: "RELOAD_REFUSED",
      message: expect.stringContaining("no room"),
    });
    expect(applied.map(isStrict)).toEqual([false]);
  });

  it("changes nothing if the file cannot be replaced", async () => {
    // The name of the temporary file is longer, and exceeds the limit.
    const { editor, text } = editorOf(`${"x".repeat(245)}.json`);
    await expect(
      editor.changeModes({}, modesEdit({}, { input: "strict" }), BY),
    ).rejects.toMatchObject({
      code: "WRITE_FAILED",
      message: expect.stringContaining("ENAMETOOLONG"),
    });
    expect(text()).toBe(TEXT);
    expect(applied).toEqual([]);
  });

  it("reports that a missing file cannot be read", async () => {
    const { editor, file } = editorOf("touchstone.json");
    rmSync(file);
    await expect(
      editor.changeModes({}, modesEdit({}, { input: "strict" }), BY),
    ).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      detail: { faults: [{ code: "FILE_NOT_FOUND" }] },
    });
    expect(editor.written().at({})).toEqual({});
  });
});
