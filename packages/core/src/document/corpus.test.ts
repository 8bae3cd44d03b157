import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { sharedPath } from "../testing/shared.ts";

interface Tool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

const folder = sharedPath("corpus", "tools-list");
const files =
  folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".json"));

describe.skipIf(folder === undefined)("schemas of published MCP servers", () => {
  it("are present", () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it.each(files)("%s compiles", (file) => {
    const list = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"));
    const tools: readonly Tool[] = list.tools;
    expect(tools.length).toBeGreaterThan(0);
    for (const { name, inputSchema, outputSchema } of tools) {
      for (const schema of [inputSchema, outputSchema]) {
        const compiled = compileDeclared({ value: schema });
        expect(compiled.error, name).toBeUndefined();
        // The parts that are compiled on first use also work.
        expect(compiled.validateText("5").outcome, name).toBe(
          schema === undefined ? "pass" : "violation",
        );
        expect(compiled.validateText("1e400").outcome, name).not.toBe("budget");
      }
    }
  });
});
