import { expect, it } from "vitest";
import { StderrTail } from "./stderr-tail.ts";

const words = (): StderrTail =>
  new StderrTail({ upstream: { type: "stdio", env: { KEY: "hunter2x", LEVEL: "1" } } } as never);

it("keeps the last ten lines and cuts long ones", () => {
  const last = words();
  for (let line = 0; line < 30; line += 1) last.take(`line ${line}\n\n`);
  last.take(`${"x".repeat(1_000)}\n`);
  expect(last.lines).toHaveLength(10);
  expect(last.lines[0]).toBe("line 21");
  expect(last.lines.at(-1)).toBe(`${"x".repeat(300)}…`);
});

it.each([
  ["cannot log in with hunter2x at 1", "cannot log in with (set, not shown) at 1"],
  ["Authorization: Bearer abcdefghijkl", "Authorization: (set, not shown)"],
  [
    "failed: token=abc --password def",
    "failed: token=(set, not shown) --password (set, not shown)",
  ],
  ["Error: Cannot find module './x'", "Error: Cannot find module './x'"],
])("hides the secret in %j", (line, shown) => {
  const last = words();
  last.take(`${line}\n`);
  expect(last.lines).toEqual([shown]);
});
