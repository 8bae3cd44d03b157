import { expect, it, vi } from "vitest";

it("judges by the interpreter until the compiler is there, with the same verdicts", async () => {
  // Test files share their modules, and in one that ran before the compiler may have come.
  vi.resetModules();
  const { compileSchema } = await import("./compile.ts");
  const { engineReady, hasCompiler } = await import("./verdicts.ts");
  const compiled = compileSchema({ value: { type: "integer", minimum: 1 } });
  const checks = () => ["0", "1", '"a"', "2"].map((text) => compiled.check(text));
  const before = [...checks(), ...checks()];
  expect(hasCompiler()).toBe(false);
  await engineReady();
  expect(hasCompiler()).toBe(true);
  expect([...checks(), ...checks()]).toEqual(before);
});
