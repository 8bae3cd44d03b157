import { expect, it, onTestFinished } from "vitest";
import { withoutThrowing } from "./fault.ts";

it.each<[string, ((word: string) => unknown) | undefined]>([
  ["there is none", undefined],
  [
    "throws",
    () => {
      throw new Error("full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("full"))],
  [
    "returns what rejects like a promise",
    () => ({
      // biome-ignore lint/suspicious/noThenProperty: that is what is tested
      then: (_: unknown, fail: (error: Error) => void) => fail(new Error("full")),
    }),
  ],
  [
    "returns an object whose members throw",
    () => ({
      // biome-ignore lint/suspicious/noThenProperty: as above
      get then(): never {
        throw new Error("full");
      },
    }),
  ],
])("ignores a listener that %s", async (_, listener) => {
  const unhandled: unknown[] = [];
  const heard = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", heard);
  onTestFinished(() => void process.off("unhandledRejection", heard));
  expect(withoutThrowing(listener)("word")).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

it("passes its arguments on", () => {
  const heard: unknown[] = [];
  withoutThrowing((...given: [string, number]) => heard.push(given))("a", 1);
  expect(heard).toEqual([["a", 1]]);
});
