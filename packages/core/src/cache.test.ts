import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SchemaCache } from "./cache.ts";
import type { LaterJob } from "./check-later.ts";
import { type CompiledSchema, compileDeclared } from "./compile.ts";
import type { CompileOptions } from "./document/options.ts";
import { encodeUtf8 } from "./json/text.ts";
import { long } from "./testing/sample.ts";

describe("SchemaCache", () => {
  it("compiles equal schemas once, even broken ones", () => {
    const cache = new SchemaCache();
    const first = cache.get({ value: { type: "string" } });
    expect(cache.get({ text: '{"type":"string"}' })).toBe(first);
    expect(cache.get({ text: '{ "type":"string"}' })).not.toBe(first);
    const broken = cache.get({ value: { type: "strin" } });
    expect(cache.get({ value: { type: "strin" } })).toBe(broken);
    expect(cache.size).toBe(3);
  });

  it("finds a schema by its content, in any input form", () => {
    const cache = new SchemaCache();
    const schema = { type: "string", title: "\u00e9\u{1f600}" };
    const text = JSON.stringify(schema);
    const frame = `{"a":${text}}`;
    const first = cache.get({ text: frame.slice(5, -1) });
    for (const input of [
      { text },
      { text: encodeUtf8(text) },
      { value: schema },
      { value: structuredClone(schema) },
    ]) {
      expect(cache.get(input)).toBe(first);
      expect(cache.get(input, {})).toBe(first);
    }
    expect(cache.get(null)).toBe(cache.get({ text: "null" }));
    expect(cache.get({ value: undefined })).toBe(cache.get(undefined));
    expect(cache.size).toBe(2);
  });

  it("finds a stored text without hashing it, even after its other options were dropped", () => {
    let read = 0;
    const value = {
      get title() {
        read++;
        return "a";
      },
    };
    const cache = new SchemaCache({ maxEntries: 2 });
    cache.get({ value: { title: "z" } });
    const readsOf = (): number => {
      const before = read;
      cache.get({ value });
      return read - before;
    };
    // A miss reads the schema twice: to look for its text, and to hash it.
    const missed = readsOf();
    expect(readsOf()).toBe(missed / 2);
    for (const title of ["b", "c", "d"]) {
      cache.get({ value: { title } });
      expect(readsOf()).toBe(missed / 2);
    }
    cache.get({ value: { title: "e" } });
    cache.get({ value: { title: "f" } });
    expect(readsOf()).toBe(missed);
  });

  it("notices a change that the owner made to a value or bytes", () => {
    const cache = new SchemaCache();
    const schema: Record<string, unknown> = { type: "string" };
    const bytes = encodeUtf8('{"minimum":1}');
    expect(cache.get({ value: schema }).validate(1).valid).toBe(false);
    expect(cache.get({ text: bytes }).validate(1).valid).toBe(true);
    schema["type"] = "integer";
    bytes[11] = 0x32;
    expect(cache.get({ value: schema }).validate(1).valid).toBe(true);
    expect(cache.get({ text: bytes }).validate(1).valid).toBe(false);
  });

  it("never mixes up malformed UTF-8 or lone surrogates with another text", () => {
    const cache = new SchemaCache();
    const inputs = [
      { text: '{"const":"\ufffd"}' },
      { text: Uint8Array.from([...encodeUtf8('{"const":"'), 0xff, ...encodeUtf8('"}')]) },
      { text: Uint8Array.from([...encodeUtf8('{"const":"'), 0xfe, ...encodeUtf8('"}')]) },
    ];
    const [good, ff, fe] = inputs.map((input) => cache.get(input));
    expect([good?.error, ff?.error?.code, fe?.error?.code]).toEqual([
      undefined,
      "invalid_json",
      "invalid_json",
    ]);
    expect(inputs.map((input) => cache.get(input))).toEqual([good, ff, fe]);
    expect(new Set([good, ff, fe]).size).toBe(3);
    // A lone surrogate is encoded as U+FFFD, so this is the first schema.
    expect(cache.get({ text: '{"const":"\ud800"}' })).toBe(good);
  });

  it("behaves like a cache by hash alone, in any order of use", () => {
    const names = fc.constantFrom("a", "b", "c", "d", "\ufffd", "\ud800");
    const dialects = fc.constantFrom(undefined, "draft-07" as const);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(names, dialects, fc.constantFrom("text", "bytes", "value"))),
        (uses) => {
          const cache = new SchemaCache({ maxEntries: 3 });
          const model = new Map<string, unknown>();
          for (const [title, dialect, form] of uses) {
            const text = `{"title":"${title}"}`;
            const given = dialect === undefined ? undefined : { dialect };
            const input =
              form === "value"
                ? { value: { title } }
                : { text: form === "text" ? text : encodeUtf8(text) };
            const got = cache.get(input, given);
            const key = `${got.hash} ${dialect}`;
            if (model.has(key)) expect(got).toBe(model.get(key));
            else expect([...model.values()]).not.toContain(got);
            model.delete(key);
            model.set(key, got);
            for (const oldest of model.keys()) if (model.size > 3) model.delete(oldest);
            expect(cache.size).toBe(model.size);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("keeps entries with different options apart", () => {
    const cache = new SchemaCache();
    const schema = { value: { format: "email" } };
    expect(cache.get(schema).validateText('"a"').valid).toBe(false);
    expect(cache.get(schema, { formats: false }).validateText('"a"').valid).toBe(true);
    expect(cache.get(schema, { dialect: "draft-07" }).dialect).toBe("draft-07");
    expect(cache.get(schema, { limits: { maxBytes: 3 } }).error?.code).toBe("too_large");
    expect(cache.get(schema).validateText('"a"').valid).toBe(false);
  });

  it("drops the least recently used entry over its maximum count", () => {
    const cache = new SchemaCache({ maxEntries: 2 });
    const a = cache.get({ value: { title: "a" } });
    const b = cache.get({ value: { title: "b" } });
    expect(cache.get({ value: { title: "a" } })).toBe(a);
    cache.get({ value: { title: "c" } });
    expect(cache.size).toBe(2);
    expect(cache.get({ value: { title: "a" } })).toBe(a);
    expect(cache.get({ value: { title: "b" } })).not.toBe(b);
  });

  it("stays within its bytes, and does not keep a schema that exceeds them", () => {
    const cache = new SchemaCache({ maxBytes: 100 });
    for (let i = 0; i < 50; i++) cache.get({ value: { title: `${i}`.padStart(20, "0") } });
    expect(cache.size).toBe(3);
    cache.get({ value: { title: "a".repeat(200) } });
    expect(cache.size).toBe(0);
  });

  it("releases dropped schemas", long, async () => {
    setFlagsFromString("--expose-gc");
    const gc: () => void = runInNewContext("gc");
    const cache = new SchemaCache({ maxEntries: 1 });
    const gone: WeakRef<CompiledSchema>[] = [];
    const fill = (from: number): void => {
      for (let i = from; i < from + 100; i++) {
        const text = `{"title":"${String(i).padStart(500_000, "a")}"}`;
        gone.push(new WeakRef(cache.get({ text })));
      }
    };
    const held = (): number => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    /** Collects garbage until a condition holds, at most 100 times, because one collection does not free everything. */
    const collected = async (isSo: () => boolean): Promise<boolean> => {
      for (let i = 0; i < 100; i++) {
        await new Promise((resolve) => setImmediate(resolve));
        gc();
        if (isSo()) return true;
      }
      return false;
    };
    const isGone = (): boolean => gone.slice(0, -1).every((each) => each.deref() === undefined);
    fill(0);
    expect(await collected(isGone)).toBe(true);
    const before = held();
    fill(100);
    expect(await collected(() => isGone() && held() - before < 10_000_000)).toBe(true);
    expect(cache.size).toBe(1);
  });

  it("never throws for unreadable options, and keeps nothing for them", () => {
    const cache = new SchemaCache();
    const hostile: readonly unknown[] = [
      { dialect: Symbol("dialect") },
      {
        get limits() {
          throw new Error("no limits");
        },
      },
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error("no keys");
          },
          get() {
            throw new Error("no members");
          },
        },
      ),
    ];
    for (const options of hostile) {
      expect(cache.get({ value: {} }, options as never).error?.code).toBe("uncompilable");
    }
    expect(cache.size).toBe(0);
    expect(cache.get({ value: {} }, null as never).error).toBeUndefined();
  });

  it("keeps a schema if its compile listener throws", () => {
    let told = 0;
    const compiled = (): void => {
      told++;
      throw new Error("deaf");
    };
    const cache = new SchemaCache({ compiled });
    const schema = cache.get({ value: { type: "string" } });
    expect(schema.error).toBeUndefined();
    expect(cache.get({ value: { type: "string" } })).toBe(schema);
    expect(told).toBe(1);
  });

  it.each([{ dialect: null }, { dialect: ["draft-07"] }, { formats: null }, { formats: "" }])(
    "never mixes up odd options with others: %j",
    (odd) => {
      const input = { value: { format: "ipv4" } };
      for (const own of [{}, { dialect: "draft-07" }] as const) {
        const cache = new SchemaCache();
        cache.get(input, odd as never);
        const found = cache.get(input, own);
        expect(found.error).toBeUndefined();
        expect(found.validate("no address").valid).toBe(false);
      }
    },
  );

  it("never shares a schema across callers with different documents", () => {
    const cache = new SchemaCache();
    const input = { value: { $ref: "https://example.com/a" } };
    const within = (type: string): CompileOptions => ({
      documents: { "https://example.com/a": { type } },
    });
    const [text, number] = [cache.get(input, within("string")), cache.get(input, within("number"))];
    expect([text.validate("a").valid, text.validate(1).valid]).toEqual([true, false]);
    expect([number.validate("a").valid, number.validate(1).valid]).toEqual([false, true]);
    expect(cache.size).toBe(0);
    expect(cache.get(input).error?.code).toBe("unresolved_reference");
    expect(cache.get(input, within("string")).error).toBeUndefined();
  });

  it("never mixes up values without JSON text", () => {
    const cache = new SchemaCache();
    const cycle: Record<string, unknown> = {};
    cycle["not"] = cycle;
    expect(cache.get({ value: cycle }).error?.code).toBe("too_deep");
    expect(cache.get({ value: () => 1 }).error?.code).toBe("not_a_schema");
    expect(cache.size).toBe(0);
  });

  it.each<[string, unknown]>([
    ["more than 1,000 subschemas", { anyOf: Array.from({ length: 1_000 }, () => ({})) }],
    ["long patterns", { pattern: "a".repeat(4_097) }],
    [
      "a subschema for each of many dynamic scopes",
      {
        $ref: "x0",
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, i) => {
            const allOf = [7, 13, 29].map((step) => ({ $ref: `x${(i + step) % 40}` }));
            return [`d${i}`, { $id: `x${i}`, $dynamicAnchor: `n${i}`, allOf }];
          }),
        ),
      },
    ],
  ])("does not compile a schema at once that takes long: %s", async (_what, schema) => {
    const cache = new SchemaCache({ readNow: 32_768 });
    const found = compileDeclared({ value: schema });
    const handed: LaterJob[] = [];
    const later = async (job: LaterJob) => {
      handed.push(job);
      return compileDeclared({ text: job.schema }, job.compile).validateText(
        job.input,
        job.options,
      );
    };
    const kept = cache.get({ value: schema });
    expect(await kept.validateLater('"b"', later)).toEqual(found.validateText('"b"'));
    expect(handed).toHaveLength(1);
    expect(kept.error).toEqual(found.error);
    expect(new SchemaCache().get({ value: schema }).error).toEqual(found.error);
  });

  it("does not compile a large schema until it is needed", async () => {
    let compiled = 0;
    const cache = new SchemaCache({ readNow: 100, compiled: () => compiled++ });
    const schema = { type: "string", description: "d".repeat(100) };
    const large = cache.get({ value: schema });
    expect(cache.get({ value: schema })).toBe(large);
    const handed: LaterJob[] = [];
    const later = async (job: LaterJob) => {
      handed.push(job);
      return compileDeclared({ text: job.schema }, job.compile).validateText(
        job.input,
        job.options,
      );
    };
    expect(await large.validateLater("1", later, { maxIssues: 1 })).toMatchObject({
      outcome: "violation",
    });
    expect(handed).toMatchObject([{ input: "1", options: { maxIssues: 1 } }]);
    expect([large.hash, large.image]).toEqual([compileDeclared({ value: schema }).hash, undefined]);
    const broken = cache.get({ value: { ...schema, type: "strin" } });
    expect(await broken.validateLater("1", later)).toMatchObject({ outcome: "uncompilable" });
    expect(broken.error?.code).toBe("metaschema");
    expect([large.isValid("a"), large.validateText("1").valid]).toEqual([true, false]);
    expect(await large.validateLater("1", later)).toMatchObject({ outcome: "violation" });
    expect(handed).toHaveLength(2);
    expect(cache.get({ value: { type: "string" } }).error).toBeUndefined();
  });
});
