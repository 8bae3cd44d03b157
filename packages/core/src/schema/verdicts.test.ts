import { setImmediate } from "node:timers/promises";
import { expect, it, vi } from "vitest";

it("judges by the interpreter until the compiler is there, with the same verdicts", async () => {
  // Test files share their modules, and in one that ran before the compiler may have come.
  vi.resetModules();
  const { compileSchema } = await import("../compile.ts");
  const { engineReady, hasCompiler } = await import("./verdicts.ts");
  const compiled = compileSchema({ value: { type: "integer", minimum: 1 } });
  const checks = () => ["0", "1", '"a"', "2"].map((text) => compiled.check(text));
  const before = [...checks(), ...checks()];
  expect(hasCompiler()).toBe(false);
  await engineReady();
  expect(hasCompiler()).toBe(true);
  expect([...checks(), ...checks()]).toEqual(before);
});

it("is loaded for a schema that is used several times, and for no other", async () => {
  vi.resetModules();
  const load = vi.fn(() => ({ makeVerdict: () => () => true }));
  vi.doMock("./verdict.ts", load);
  try {
    const { compileSchema } = await import("../compile.ts");
    const schemas = ["integer", "string"].map((type) => compileSchema({ value: { type } }));
    for (const schema of schemas) {
      schema.check("1");
      schema.check("2");
    }
    await setImmediate();
    expect(load).not.toHaveBeenCalled();
    schemas[0]?.check("3");
    await vi.waitFor(() => expect(load).toHaveBeenCalledOnce());
  } finally {
    vi.doUnmock("./verdict.ts");
    // Other test files must not meet it.
    vi.resetModules();
  }
});
