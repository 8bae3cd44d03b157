import { describe, expect, it } from "vitest";
import { SchemaCache } from "./cache.ts";

describe("SchemaCache", () => {
  it("compiles equal schemas once, broken ones too", () => {
    const cache = new SchemaCache();
    const first = cache.get({ value: { type: "string" } });
    expect(cache.get({ text: '{"type":"string"}' })).toBe(first);
    expect(cache.get({ text: '{ "type":"string"}' })).not.toBe(first);
    const broken = cache.get({ value: { type: "strin" } });
    expect(cache.get({ value: { type: "strin" } })).toBe(broken);
    expect(cache.size).toBe(3);
  });

  it("keeps options apart", () => {
    const cache = new SchemaCache();
    const schema = { value: { format: "email" } };
    expect(cache.get(schema).check('"a"').valid).toBe(false);
    expect(cache.get(schema, { formats: false }).check('"a"').valid).toBe(true);
    expect(cache.get(schema, { dialect: "draft-07" }).dialect).toBe("draft-07");
    expect(cache.get(schema, { limits: { maxBytes: 3 } }).fault?.code).toBe("too_large");
    expect(cache.get(schema).check('"a"').valid).toBe(false);
  });

  it("drops the least recently used beyond its number of entries", () => {
    const cache = new SchemaCache({ maxEntries: 2 });
    const a = cache.get({ value: { title: "a" } });
    const b = cache.get({ value: { title: "b" } });
    expect(cache.get({ value: { title: "a" } })).toBe(a);
    cache.get({ value: { title: "c" } });
    expect(cache.size).toBe(2);
    expect(cache.get({ value: { title: "a" } })).toBe(a);
    expect(cache.get({ value: { title: "b" } })).not.toBe(b);
  });

  it("stays within its bytes, and keeps nothing that is larger than all of them", () => {
    const cache = new SchemaCache({ maxBytes: 100 });
    for (let i = 0; i < 50; i++) cache.get({ value: { title: `${i}`.padStart(20, "0") } });
    expect(cache.size).toBe(3);
    cache.get({ value: { title: "a".repeat(200) } });
    expect(cache.size).toBe(0);
  });

  it("never mixes up values that have no text", () => {
    const cache = new SchemaCache();
    const cycle: Record<string, unknown> = {};
    cycle["not"] = cycle;
    expect(cache.get({ value: cycle }).fault?.code).toBe("too_deep");
    expect(cache.get({ value: () => 1 }).fault?.code).toBe("not_a_schema");
    expect(cache.size).toBe(0);
  });
});
