import { expect, it } from "vitest";
import {
  ADD,
  all,
  call,
  Harness,
  parse,
  structured,
} from "../../gateway/src/pipeline/testing/harness.ts";
import { OrderedWork, type SlicePause, TimeSlice } from "./time-slice.ts";

/** A simulated clock and event loop. */
function loop() {
  let now = 0;
  const turns: (() => void)[] = [];
  const slice = new TimeSlice(
    () => now,
    (run) => turns.push(run),
  );
  return {
    slice,
    work: (ms: number) => {
      now += ms;
    },
    turn: async () => {
      turns.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

it("waits for a promise that a step yields, and lets others work meanwhile", async () => {
  const { slice, turn } = loop();
  let finish = (): void => {};
  const apart = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const done: string[] = [];
  function* steps(): Generator<SlicePause, string, void> {
    done.push("before");
    yield apart;
    done.push("after");
    return "made";
  }
  const taken = slice.take(steps());
  for (let i = 0; i < 3; i += 1) await turn();
  const others = slice.take([][Symbol.iterator]());
  await turn();
  await others;
  expect(done).toEqual(["before"]);
  finish();
  await new Promise(setImmediate);
  await turn();
  expect(await taken).toBe("made");
  expect(done).toEqual(["before", "after"]);
  const failing = slice.take([Promise.reject(new Error("no thread"))][Symbol.iterator]());
  await expect(failing).rejects.toThrow("no thread");
});

it("shares one slice per turn among all senders, in order of request", async () => {
  const { slice, work, turn } = loop();
  const done: string[] = [];
  const senders = [new OrderedWork(slice), new OrderedWork(slice)] as const;
  for (const [index, name] of ["a1", "b1", "a2", "b2", "a3"].entries()) {
    void senders[index % 2 === 0 ? 0 : 1].run(async () => {
      work(10);
      done.push(name);
    });
  }
  await new Promise(setImmediate);
  const seen: string[] = [done.join()];
  for (let i = 0; i < 5; i += 1) {
    await turn();
    seen.push(done.join());
  }
  expect(seen).toEqual([
    "a1",
    "a1,b1",
    "a1,b1,a2",
    "a1,b1,a2,b2",
    "a1,b1,a2,b2,a3",
    "a1,b1,a2,b2,a3",
  ]);
});

it("keeps a sender's order, even if a message is slow or fails", async () => {
  const { slice, turn } = loop();
  const sender = new OrderedWork(slice);
  const done: string[] = [];
  let end = (): void => {};
  const first = sender.run(() => new Promise<void>((resolve) => (end = resolve)));
  const second = sender.run(async () => {
    done.push("second");
    throw new Error("broken");
  });
  const third = sender.run(async () => done.push("third"));
  await turn();
  expect([done, sender.length]).toEqual([[], 2]);
  end();
  await first;
  const failed = expect(second).rejects.toThrow("broken");
  for (let i = 0; i < 3; i += 1) await turn();
  await failed;
  await third;
  expect(done).toEqual(["second", "third"]);
});

it.each(["client", "server"] as const)(
  "checks a batch from the %s over several turns, before later messages",
  async (sender) => {
    let turns = 0;
    let now = 0;
    const slice = new TimeSlice(
      // Each reading of the clock finds that the slice is over.
      () => (now += 10),
      (run) => {
        turns += 1;
        setImmediate(run);
      },
    );
    const h = new Harness({ settings: all("strict"), revision: "2025-03-26", slice });
    await h.list([ADD]);
    const ids = Array.from({ length: 20 }, (_, id) => id + 1);
    const calls = ids.map((id) => call(id, "add", id === 7 ? "{}" : '{"a":1}'));
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } };
    if (sender === "client") {
      const before = turns;
      const batch = h.client(`[${calls.join()}]`);
      const behind = h.client(cancel);
      const first = await Promise.race([batch.then(() => "batch"), behind.then(() => "behind")]);
      expect(first).toBe("batch");
      const { back, onward } = await batch;
      expect(back?.map(parse)).toMatchObject([{ id: 7, result: { isError: true } }]);
      expect(JSON.parse(Buffer.from(onward ?? []).toString())).toHaveLength(19);
      // The cancellation found its call, so it is forwarded.
      expect((await behind).onward).toBeDefined();
      expect(turns - before).toBeGreaterThanOrEqual(19);
      return;
    }
    for (const each of calls) await h.client(each);
    const before = turns;
    const sound = ids.filter((id) => id !== 7);
    const text = sound.map((id) => structured(id, id === 9 ? "{}" : '{"sum":1}')).join();
    const { onward } = await h.server(`[${text}]`);
    const answers: { id: number; result: object }[] = JSON.parse(String(Buffer.from(onward ?? [])));
    expect(answers.map(({ id }) => id)).toEqual(sound);
    expect(answers.filter(({ result }) => "isError" in result).map(({ id }) => id)).toEqual([9]);
    expect(turns - before).toBeGreaterThanOrEqual(18);
  },
);

/** A slice that is over after each step, and how many turns it took so far. */
function eachStep() {
  const counted = { turns: 0 };
  let now = 0;
  const slice = new TimeSlice(
    () => (now += 10),
    (run) => {
      counted.turns += 1;
      setImmediate(run);
    },
  );
  return { slice, counted };
}

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join();
const tool = (index: number): string =>
  `{"name":"t${index}","description":"${"x".repeat(1_000)}","inputSchema":{"type":"object","required":["a"]}}`;

it.each([
  ["a list of tools", `"tools":[${many(2_000, tool)}]`, 15],
  ["a value in another", `"tools":[],"_meta":{"x":[[[${many(200_000, (i) => `[${i}]`)}]]]}`, 5],
  ["one long text", `"tools":[],"_meta":{"x":"${"x".repeat(2_000_000)}"}`, 5],
])("reads and checks a long message in steps, before later ones: %s", async (_, result, least) => {
  const { slice, counted } = eachStep();
  const h = new Harness({ settings: all("strict"), slice });
  await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await h.client({ jsonrpc: "2.0", id: 2, method: "ping" });
  const before = counted.turns;
  const frame = h.read(`{"jsonrpc":"2.0","id":1,"result":{${result}}}`);
  const list = h.server(frame);
  const behind = h.server({ jsonrpc: "2.0", id: 2, result: {} });
  await Promise.race([list, behind]);
  expect(counted.turns - before).toBeGreaterThanOrEqual(least);
  expect((await list).onward).toBe(frame.bytes);
  expect((await behind).onward).toBeDefined();
  expect(h.records("policy_decision")).toEqual([]);
  if (!result.includes("t1999")) return;
  const { back } = await h.client(call(3, "t1999", "{}"));
  expect(back?.map(parse)).toMatchObject([{ id: 3, result: { isError: true } }]);
});

it.each([
  ["a key that stands twice", '"a":1,"a":2', "/result/_meta/x"],
  ["no JSON", '"a":tru', ""],
])("finds faults at the end of a long message: %s", async (_, members, path) => {
  const { slice } = eachStep();
  const h = new Harness({ settings: all("strict"), slice });
  await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const x = `[${many(200_000, (i) => `[${i},"x"]`)},{${members}}]`;
  const { onward } = await h.server(
    `{"jsonrpc":"2.0","id":1,"result":{"tools":[],"_meta":{"x":${x}}}}`,
  );
  expect(parse(onward)).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
  const [record] = h.records("policy_decision");
  expect(record).toMatchObject({ decision: "blocked" });
  expect(record?.issues[0]?.path.startsWith(path)).toBe(true);
});

/** A simulated clock and event loop, in which senders take turns and work as long as they like. */
function senders() {
  const { slice, work, turn } = loop();
  const done: string[] = [];
  const ask = (name: string, sender: readonly string[], ms: number): void => {
    const run = (): void => {
      done.push(name);
      work(ms);
    };
    const waiting = slice.turnOf(sender);
    if (waiting === undefined) run();
    else void waiting.then(run);
  };
  return { done, ask, work, turn };
}

it.each([
  ["one that has used little", ["here", "good"], ["bad1", "good", "bad2", "bad3"]],
  ["one at another address", ["there"], ["bad1", "good", "bad2", "bad3"]],
  ["one with as much use as any", ["here", "bad"], ["bad1", "bad2", "bad3", "good"]],
])("lets %s go before a sender that has used a lot", async (_, good, order) => {
  const { done, ask, turn } = senders();
  ask("bad1", ["here", "bad"], 400);
  await new Promise(setImmediate);
  for (const name of ["bad2", "bad3"]) ask(name, ["here", "bad"], 10);
  ask("good", good, 10);
  for (let i = 0; i < 6; i += 1) await turn();
  expect(done).toEqual(order);
});

it("forgives past use, and does not hold back a sender that is alone", async () => {
  const { done, ask, work, turn } = senders();
  ask("bad1", ["here", "bad"], 400);
  await turn();
  work(1_000);
  ask("bad2", ["here", "bad"], 10);
  await new Promise(setImmediate);
  ask("bad3", ["here", "bad"], 10);
  ask("good", ["here", "good"], 10);
  for (let i = 0; i < 6; i += 1) await turn();
  expect(done).toEqual(["bad1", "bad2", "bad3", "good"]);
  for (let n = 0; n < 5; n += 1) ask(`more${n}`, ["here", "bad"], 300);
  for (let i = 0; i < 8; i += 1) await turn();
  expect(done).toHaveLength(9);
});
