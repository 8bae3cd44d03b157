import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { LaterJob } from "../check-later.ts";
import { compileSchema } from "../compile.ts";
import { encodeUtf8 } from "../json/text.ts";
import { CheckPool, QueueFullError } from "./check-pool.ts";

const pool = new CheckPool();
afterAll(() => pool.close());

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Schemas and values of which a check takes more than a few milliseconds. */
const HEAVY: readonly [string, object, unknown][] = [
  [
    "valid",
    { items: { type: "object", minProperties: 1, propertyNames: { pattern: "^i" } } },
    many(60_000, (id) => ({ id })),
  ],
  [
    "invalid",
    { items: { type: "object", properties: { id: { type: "integer" } } } },
    many(60_000, (id) => ({ id: id % 1000 === 0 ? "x" : id })),
  ],
  ["unique", { uniqueItems: true }, many(30_000, (id) => ({ id, name: `n${id}` }))],
  ["a pattern that backtracks", { pattern: "(?=(a+)+$)(?<!b)c" }, `${"a".repeat(30)}!`],
  ["itself twice", { allOf: [{ $ref: "#" }, { $ref: "#" }] }, 1],
];

describe("checkLater", () => {
  it.each(HEAVY)("gives on a thread what check gives at once: %s", async (_name, schema, value) => {
    const compiled = compileSchema({ value: schema });
    const text = encodeUtf8(JSON.stringify(value));
    const later = compiled.checkLater(text, pool.laterFor("a"), { maxIssues: 5 });
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual(compiled.check(text, { maxIssues: 5 }));
  });

  it.each([
    [{ type: "integer" }, "1"],
    [{ type: "integer" }, '"1"'],
    [{ type: "integer" }, "{"],
    [{ type: "strin" }, "1"],
    [null, "[1]"],
  ])("answers at once if that takes little: %j on %s", (schema, text) => {
    const compiled = compileSchema({ value: schema });
    const never = (): never => {
      throw new Error("asked for later");
    };
    expect(compiled.checkLater(text, never)).toEqual(compiled.check(text));
  });

  it("lets the event loop go on meanwhile", async () => {
    const compiled = compileSchema({ value: { pattern: "(?=(a+)+$)(?<!b)c" } });
    const later = compiled.checkLater(JSON.stringify(`${"a".repeat(30)}!`), pool.laterFor("a"));
    let turns = 0;
    let done = false;
    void Promise.resolve(later).then(() => {
      done = true;
    });
    while (!done) {
      turns += 1;
      await setTimeout(0);
    }
    expect(turns).toBeGreaterThan(3);
  });
});

describe("CheckPool", () => {
  const job = (value: unknown = 1): LaterJob => ({
    schema: encodeUtf8('{"type":"integer"}'),
    compile: {},
    input: JSON.stringify(value),
    options: {},
  });

  it("takes no more than it may hold, and says so", async () => {
    const small = new CheckPool({ threads: 1, maxQueued: 2 });
    const taken = many(3, () => small.run(job()));
    await expect(small.run(job())).rejects.toThrow(QueueFullError);
    expect(await Promise.all(taken)).toMatchObject(many(3, () => ({ outcome: "pass" })));
    await small.close();
  });

  it("lets clients take turns", async () => {
    const one = new CheckPool({ threads: 1 });
    const order: string[] = [];
    const run = (client: string): Promise<void> =>
      one.run(job(), client).then(() => void order.push(client));
    await Promise.all([...many(4, () => run("a")), run("b")]);
    expect(order.indexOf("b")).toBeLessThan(3);
    await one.close();
  });

  it("goes on at once after it is closed", async () => {
    const closed = new CheckPool();
    await closed.close();
    expect(await closed.run(job("x"))).toMatchObject({ outcome: "violation" });
  });
});
