import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { tempDir } from "../testing/touchstone.ts";
import { loadSchema } from "../validate/schema.ts";
import { EXIT_FAILED } from "./exit.ts";
import { readFile, readInput, readText } from "./read-file.ts";

it("reads files up to the limit and refuses larger ones", () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "0123456789");
  expect(readText(file, 10)).toBe("0123456789");
  const refusal = {
    code: EXIT_FAILED,
    message: `${file} cannot be read: it has more than 9 bytes, which is the limit`,
  };
  for (const read of [readFile, readText]) {
    expect(() => read(file, 9)).toThrow(expect.objectContaining(refusal));
  }
});

it("removes the byte order mark that Windows editors write, also from schemas", async () => {
  const file = join(tempDir(), "file.json");
  writeFileSync(file, '\uFEFF{"type":"string"}');
  expect(readFile(file, 100).toString()).toBe('{"type":"string"}');
  const stdin = Readable.from([Buffer.from("\uFEFF[]")]);
  expect((await readInput("-", 100, stdin)).toString()).toBe("[]");
  const document = new Map([["urn:a", file]]);
  const options = { schema: file, document, output: "pretty", maxBytes: 100 } as const;
  const { schema } = await loadSchema(options, Readable.from([]));
  expect(schema.validateText('"a"').valid).toBe(true);
});
