import { expect, it } from "vitest";
import { pin } from "./pin.ts";

it("reads a large definition in steps, as one turn of the event loop has no time for it", () => {
  const settings = () => ({ pin: { mode: "strict", lock: "first_use" } });
  const prepared = pin.prepare({ settings, pins: undefined } as never);
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
