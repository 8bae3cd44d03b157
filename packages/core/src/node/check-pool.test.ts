import { once } from "node:events";
import { setImmediate as nextTurn, setTimeout } from "node:timers/promises";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { LaterJob } from "../check-later.ts";
import { compileDeclared } from "../compile.ts";
import { encodeUtf8 } from "../json/text.ts";
import { long } from "../testing/sample.ts";
import { CheckPool, QueueFullError } from "./check-pool.ts";

const pool = new CheckPool();
afterAll(() => pool.close());

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** A thread with the program of the package, for a test to end. */
function keep(workers: Worker[], options?: WorkerOptions): Worker {
  const worker = new Worker(new URL("../../dist/node/check-entry.js", import.meta.url), options);
  workers.push(worker);
  return worker;
}

/** `anyOf` of twice the next level: 2^n applications at the end. */
function doubling(levels: number): object {
  const both = (i: number) => [{ $ref: `#/$defs/d${i}` }, { $ref: `#/$defs/d${i}` }];
  const $defs = many(levels, (i) => [`d${i}`, i === 0 ? { type: "null" } : { anyOf: both(i - 1) }]);
  return { anyOf: both(levels - 1), $defs: Object.fromEntries($defs) };
}

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
  ["a doubling chain of anyOf", doubling(60), "x"],
];

describe("checkLater", () => {
  it.each(HEAVY)(
    "returns from a thread what check returns at once: %s",
    async (_name, schema, value) => {
      const compiled = compileDeclared({ value: schema });
      const text = encodeUtf8(JSON.stringify(value));
      const later = compiled.validateLater(text, pool.laterFor("a"), { maxIssues: 5 });
      expect(later).toBeInstanceOf(Promise);
      expect(await later).toEqual(compiled.validateText(text, { maxIssues: 5 }));
    },
  );

  it.each([
    [{ type: "integer" }, "1"],
    [{ type: "integer" }, '"1"'],
    [{ type: "integer" }, "{"],
    [{ type: "strin" }, "1"],
    [null, "[1]"],
  ])("answers at once if the check is cheap: %j on %s", (schema, text) => {
    const compiled = compileDeclared({ value: schema });
    const never = (): never => {
      throw new Error("asked for later");
    };
    expect(compiled.validateLater(text, never)).toEqual(compiled.validateText(text));
  });

  it("lets the event loop run during a check", async () => {
    const compiled = compileDeclared({ value: { pattern: "(?=(a+)+$)(?<!b)c" } });
    const later = compiled.validateLater(JSON.stringify(`${"a".repeat(30)}!`), pool.laterFor("a"));
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

  it("refuses a check if its queue is full", async () => {
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

  it("keeps room in a full queue for a client with fewer checks in it", async () => {
    const small = new CheckPool({ threads: 1, maxQueued: 4 });
    const greedy = many(6, () =>
      small.run(job(), "a").then(
        () => "made",
        (error: Error) => error.name,
      ),
    );
    const modest = many(2, () => small.run(job(), "b"));
    expect(await Promise.all(modest)).toMatchObject(many(2, () => ({ outcome: "pass" })));
    // Of six checks, one ran and four waited. One was refused at once, and two of the waiting ones later, to make room
    // for the other client.
    expect((await Promise.all(greedy)).toSorted()).toEqual([
      ...many(3, () => "QueueFullError"),
      ...many(3, () => "made"),
    ]);
    await small.close();
  });

  it("keeps room by bytes as well", async () => {
    const long = job("x".repeat(1000));
    const small = new CheckPool({ threads: 1, maxQueuedBytes: 3000 });
    // Of four checks, one runs, two wait, and one is refused at once.
    const greedy = many(4, () => small.run(long, "a").catch((error: Error) => error.name));
    await expect(small.run(job("x".repeat(990)), "b")).resolves.toMatchObject({ valid: false });
    expect((await Promise.all(greedy)).filter((end) => end === "QueueFullError")).toHaveLength(2);
    await small.close();
  });

  it("runs checks at once after it is closed", async () => {
    const closed = new CheckPool();
    await closed.close();
    expect(await closed.run(job("x"))).toMatchObject({ outcome: "violation" });
  });
});

/** A job that runs longer than a test needs to end its thread. */
const LONG: LaterJob = {
  schema: encodeUtf8(JSON.stringify({ uniqueItems: true })),
  compile: {},
  input: JSON.stringify(many(100_000, (id) => ({ id, name: `n${id}` }))),
  options: {},
};

/** Resolves with the first message of a thread: it has started and can take a job. */
async function started(worker: Worker): Promise<void> {
  await once(worker, "message");
}

describe("a thread that ends", () => {
  it("is replaced, and its check is repeated", async () => {
    const workers: Worker[] = [];
    const killed = new CheckPool({ threads: 1, startThread: () => keep(workers) });
    const check = killed.run(LONG);
    await started(workers[0] as Worker);
    await workers[0]?.terminate();
    expect(await check).toMatchObject({ outcome: "pass" });
    expect(workers).toHaveLength(2);
    expect(await killed.run(LONG)).toMatchObject({ outcome: "pass" });
    expect(workers).toHaveLength(2);
    await killed.close();
  });

  it("ends its check with the outcome budget the second time, and no other check", async () => {
    const workers: Worker[] = [];
    const killed = new CheckPool({ threads: 1, startThread: () => keep(workers) });
    const check = killed.run(LONG, "a");
    await started(workers[0] as Worker);
    await workers[0]?.terminate();
    await started(workers[1] as Worker);
    const other = killed.run(LONG, "b");
    await workers[1]?.terminate();
    expect(await check).toMatchObject({ valid: false, outcome: "budget" });
    expect(await other).toMatchObject({ outcome: "pass" });
    await killed.close();
  });

  it("ends its check with the outcome budget if it ran out of memory", long, async () => {
    const lines: string[] = [];
    const tight = new CheckPool({
      threads: 1,
      log: (line) => lines.push(line),
      startThread: () => keep([], { resourceLimits: { maxOldGenerationSizeMb: 32 } }),
    });
    expect(await tight.run(LONG)).toMatchObject({ outcome: "budget" });
    expect(lines).toEqual([]);
    await tight.close();
  });
});

describe("threads that cannot be started", () => {
  it.each<[string, () => Worker]>([
    [
      "none is available",
      () => {
        throw new Error("EAGAIN");
      },
    ],
    ["its program is missing", () => new Worker(new URL("file:///no/such/program.js"))],
    ["its program fails", () => new Worker("throw new Error('broken')", { eval: true })],
  ])("leave the full budget to the caller and log one line: %s", async (_why, startThread) => {
    const lines: string[] = [];
    const none = new CheckPool({ startThread, log: (line) => lines.push(line) });
    const checks = many(5, (i) => none.run(i === 0 ? LONG : { ...LONG, input: "[1,1]" }, `${i}`));
    const [first, ...others] = await Promise.all(checks);
    expect(first).toMatchObject({ outcome: "pass" });
    expect(others).toMatchObject(many(4, () => ({ outcome: "violation" })));
    expect(lines).toEqual([expect.stringMatching(/^cannot start a thread for checks: /)]);
    await none.close();
  });
});

describe("a text of megabytes", () => {
  const text = encodeUtf8(`"${"x".repeat(5_000_000)}"`);
  const job = (input: string | Uint8Array): LaterJob => ({
    schema: encodeUtf8('{"type":"string"}'),
    ...{ compile: {}, input, options: {} },
  });

  it("is copied in several turns, and then moved", async () => {
    const workers: Worker[] = [];
    const one = new CheckPool({ threads: 1, startThread: () => keep(workers) });
    const check = one.run(job(text));
    const [worker] = workers as [Worker];
    const sent = vi.spyOn(worker, "postMessage");
    const set = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), "set");
    let copied = 0;
    while (sent.mock.calls.length === 0) {
      await nextTurn();
      const parts = set.mock.calls
        .map(([part]) => (part as Uint8Array).length)
        .filter((size) => size > 100_000);
      expect(parts.length - copied).toBeLessThanOrEqual(1);
      expect(Math.max(0, ...parts)).toBeLessThanOrEqual(1_048_576);
      copied = parts.length;
    }
    expect(copied).toBe(4);
    const [, moved] = sent.mock.calls[0] as unknown as [LaterJob, readonly ArrayBuffer[]];
    expect(moved[0]?.byteLength).toBe(0);
    expect(text).toHaveLength(5_000_002);
    expect(await check).toMatchObject({ valid: true });
    vi.restoreAllMocks();
    await one.close();
  });

  it("is checked by another thread if one ends meanwhile, and here if the pool is closed", async () => {
    const workers: Worker[] = [];
    const one = new CheckPool({ threads: 1, startThread: () => keep(workers) });
    await one.run(job('"x"'));
    const check = one.run(job(text));
    await workers[0]?.terminate();
    expect(await check).toMatchObject({ valid: true });
    expect(workers).toHaveLength(2);
    const other = one.run(job(text));
    await one.close();
    expect(await other).toMatchObject({ valid: true });
  });
});
