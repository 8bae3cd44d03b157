import { expect, it } from "vitest";
import type { FactBatch } from "./facts.ts";
import { Recorder } from "./recorder.ts";

const CHECK = {
  direction: "input",
  mode: "warn",
  outcome: "pass",
  decision: "allowed",
  began: 1,
} as const;

function recorder() {
  const batches: FactBatch[] = [];
  const made = new Recorder({ send: (batch) => batches.push(batch), now: () => 3 });
  return { batches, made, server: made.server("srv") };
}

it("merges checks with the same outcome", () => {
  const { batches, made, server } = recorder();
  made.watchCache({ size: 7 });
  server.checked(CHECK);
  server.checked({ ...CHECK, began: 2 });
  server.checked({ ...CHECK, outcome: "guard", rule: "guard", guard: "maxBytes" });
  server.checked({ ...CHECK, decision: "blocked" });
  server.checked({ ...CHECK, began: undefined, direction: "protocol" });
  server.appended(-2);
  made.compiled(6);
  made.flush();
  const common = { direction: "input", mode: "warn", guard: undefined };
  expect(batches).toMatchObject([
    {
      checks: [
        { ...common, outcome: "pass", decision: "allowed", rule: "none", durations: [2, 1] },
        { ...common, outcome: "guard", rule: "guard", guard: "maxBytes", durations: [2] },
        { ...common, outcome: "pass", decision: "blocked", durations: [2] },
        { direction: "protocol", durations: [0] },
      ],
      appends: [5],
      compiles: [6],
      cached: 7,
      dropped: 0,
    },
  ]);
});

it("sends a large batch at once, in order", () => {
  const { batches, made, server } = recorder();
  const all = Array.from({ length: 10_000 }, (_, i) => i);
  for (const i of all) server.appended(3 - i);
  expect(batches.length).toBeGreaterThan(1);
  made.flush();
  expect(batches.flatMap(({ appends }) => appends)).toEqual(all);
});

it("sends a small batch after a while", async () => {
  const batch = await new Promise<FactBatch>((resolve) => {
    new Recorder({ send: resolve }).compiled(1);
    // Keeps the process alive, because the recorder's own timer does not.
    setTimeout(() => {}, 5_000).unref();
  });
  expect(batch.compiles).toEqual([1]);
});

it("drops and counts batches that nobody accepts", async () => {
  const { batches, made, server } = recorder();
  for (let i = 0; i < 64; i += 1) made.flush();
  for (let i = 0; i < 1_000; i += 1) server.checked(CHECK);
  expect(batches).toHaveLength(64);
  made.taken();
  server.checked(CHECK);
  made.flush();
  expect(batches.at(-1)).toMatchObject({ dropped: 1_000, checks: [{ durations: [2] }] });
});
