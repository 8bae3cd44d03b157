import { createHash } from "node:crypto";
import { encodeUtf8, runSteps, SchemaCache } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { ToolContract } from "./contract.ts";
import { copySchema, isRetainedFrom, isSchemaNote } from "./large-schema.ts";

const MAX = 1_048_576;
const schema = (bytes: number, letter = "d"): Uint8Array => {
  const empty = '{"description":""}';
  return encodeUtf8(empty.replace('""', `"${letter.repeat(bytes - empty.length)}"`));
};
const sha256 = (text: Uint8Array): string =>
  `sha256:${createHash("sha256").update(text).digest("hex")}`;
const kept = (text: Uint8Array) => {
  const found = runSteps(copySchema(text, { start: 0, end: text.length }));
  if (found === undefined) throw new Error("there is a schema");
  return found;
};

describe("copySchema", () => {
  it.each([18, 1_000, MAX])("copies a schema of %i bytes", (bytes) => {
    const text = schema(bytes);
    expect(kept(text).hash).toBe(sha256(text));
    expect(Buffer.compare(kept(text).text, text)).toBe(0);
    expect(kept(text).text.buffer.byteLength).toBe(bytes);
    expect([isSchemaNote(kept(text).text), isRetainedFrom(kept(text).text, text)]).toEqual([
      false,
      true,
    ]);
  });

  it.each([MAX + 1, 3_000_000])("keeps a note of a schema of %i bytes, in steps", (bytes) => {
    const [text, other] = [schema(bytes), schema(bytes, "e")];
    const { text: note, hash } = kept(text);
    expect(JSON.parse(Buffer.from(note).toString())).toBe(
      `too large to be read: ${bytes} bytes, ${sha256(text)}`,
    );
    // The store keeps the note under the hash of the note itself.
    expect(hash).toBe(sha256(note));
    expect(isSchemaNote(note)).toBe(true);
    expect([text, other, schema(bytes + 1)].map((each) => isRetainedFrom(note, each))).toEqual([
      ...[true, false, false],
    ]);
    expect(kept(other).hash).not.toBe(hash);
    const steps = copySchema(text, { start: 0, end: text.length });
    for (let at = MAX; at < bytes; at += MAX) expect(steps.next().done).toBe(false);
    expect(steps.next().done).toBe(true);
  });

  it.each([undefined, "null"])("keeps nothing of %s", (text) => {
    const range = text === undefined ? undefined : { start: 0, end: 4 };
    expect(runSteps(copySchema(encodeUtf8("null"), range))).toBeUndefined();
  });
});

describe("ToolContract", () => {
  it("cannot be checked by a note, and says why", () => {
    const { text, hash } = kept(schema(2_000_000));
    const tool = new ToolContract(
      { name: "a", inputSchema: text, inputHash: hash, outputSchema: text },
      new SchemaCache(),
    );
    const fault = {
      code: "too_large",
      message: "the schema is 2000000 bytes, more than the limit of 1048576",
    };
    expect(tool.input?.error).toMatchObject(fault);
    expect(tool.output?.error).toMatchObject(fault);
    expect(tool.outputHash).toBe(hash);
  });

  it("makes no bytes of a size that a server only claims", () => {
    const claim = (size: number): Uint8Array =>
      encodeUtf8(`"too large to be read: ${size} bytes, sha256:${"0".repeat(64)}"`);
    const tools = Array.from(
      { length: 64 },
      (_, at) =>
        new ToolContract({ name: "a", inputSchema: claim(2 ** 30 - at) }, new SchemaCache()),
    );
    const before = process.memoryUsage().arrayBuffers;
    expect(new Set(tools.map(({ input }) => input?.error?.code))).toEqual(new Set(["too_large"]));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 30);
  });

  it.each(["123", "9999999999"])(
    "reads a text that a server wrote like a note of %s bytes as what it is",
    (bytes) => {
      const text = encodeUtf8(`"too large to be read: ${bytes} bytes, sha256:${"0".repeat(64)}"`);
      const tool = new ToolContract({ name: "a", inputSchema: text }, new SchemaCache());
      expect(tool.input?.error?.code).toBe("not_a_schema");
    },
  );
});
