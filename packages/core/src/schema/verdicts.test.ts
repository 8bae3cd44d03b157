import { expect, it, vi } from "vitest";
import { compileSchema } from "./compile.ts";
import { engineReady, hasCompiler } from "./verdicts.ts";

const makers = vi.hoisted(() => ({ made: 0 }));
vi.mock("./verdict.ts", async (original) => {
  const actual = await original<typeof import("./verdict.ts")>();
  const makeVerdict: typeof actual.makeVerdict = (emitted) => {
    makers.made += 1;
    return actual.makeVerdict(emitted);
  };
  return { ...actual, makeVerdict };
});

it("judges by the interpreter until the compiler is there, with the same verdicts", async () => {
  const compiled = compileSchema({ value: { type: "integer", minimum: 1 } });
  const checks = () => ["0", "1", '"a"', "2"].map((text) => compiled.check(text));
  const before = [...checks(), ...checks()];
  expect(hasCompiler()).toBe(false);
  expect(makers.made).toBe(0);
  await engineReady();
  expect(hasCompiler()).toBe(true);
  expect([...checks(), ...checks()]).toEqual(before);
  expect(makers.made).toBe(1);
});
