import { canonicalDefinition } from "@touchstone/protocol/lock";
import { expect, it } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { pinListStep } from "./list-step.ts";

it("reads a large definition in steps, as one turn of the event loop has no time for it", () => {
  const settings = () => ({ pin: { mode: "strict", lock: "first_use" } });
  const prepared = pinListStep.prepare({ settings, pins: undefined } as never);
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`m${n}`, { n }]));
  const original = Buffer.from(JSON.stringify({ name: "t", inputSchema: { properties: members } }));
  const steps = prepared?.view({ name: "t", original } as never);
  if (steps === undefined || !("next" in steps)) throw new Error("it was read at once");
  let taken = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) taken += 1;
  expect(taken).toBeGreaterThan(5);
  expect(step.value).toMatchObject({ leftOut: true, keyword: "pin" });
});

it("lists an approved definition of any size", long, () => {
  const description = "d".repeat(3_000_000);
  const original = Buffer.from(JSON.stringify({ name: "t", description, inputSchema: {} }));
  const approved = canonicalDefinition(original)?.hash;
  const settings = () => ({ pin: { mode: "strict", lock: "first_use" } });
  const pins = {
    of: ({ hash }: { hash: string }) => ({ state: hash === approved ? "approved" : "held" }),
  };
  const prepared = pinListStep.prepare({ settings, pins } as never);
  const viewed = (bytes: Uint8Array): unknown => {
    const steps = prepared?.view({ name: "t", original: bytes } as never);
    if (steps === undefined || !("next" in steps)) throw new Error("it was read at once");
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  };
  expect(viewed(original)).toBeUndefined();
  const changed = Buffer.from(JSON.stringify({ name: "t", description: `${description}.` }));
  expect(viewed(changed)).toMatchObject({ leftOut: true, keyword: "pin" });
});
