import { expect, it } from "vitest";
import { JobThread } from "./job-thread.ts";
import { threadProgram } from "./own-package.ts";

const GATEWAY = new URL("../../gateway/src/index.ts", import.meta.url).href;
/** A program of the gateway that reads schemas, and sends back what is wrong with each. */
const OPTIONS = {
  program: threadProgram("server/admin/schema-fault-entry", GATEWAY),
  ...{ maxMs: 60_000, maxHeapMb: 512, maxWaiting: 2 },
};
const schema = (text: string): Uint8Array => Buffer.from(text);
const GOOD = schema("{}");

it("does one job after another, and takes no more than may wait", async () => {
  const thread = new JobThread<Uint8Array, { code: string } | null>(OPTIONS);
  const jobs = [thread.run(GOOD), thread.run(schema("7"))];
  expect(thread.isFull).toBe(true);
  expect(await thread.run(GOOD)).toBeUndefined();
  expect(await Promise.all(jobs)).toEqual([
    null,
    expect.objectContaining({ code: "not_a_schema" }),
  ]);
  expect(thread.isFull).toBe(false);
  expect(await thread.run(GOOD)).toBeNull();
});

it("gives up a job whose time is up, and does the next one", async () => {
  // Too short for any thread to send back a result.
  const hurried = new JobThread<Uint8Array, unknown>({ ...OPTIONS, maxMs: 0 });
  const wide = schema(`{"allOf":[${Array(9_000).fill('{"type":["string"]}').join()}]}`);
  expect(await Promise.all([hurried.run(wide), hurried.run(wide)])).toEqual([undefined, undefined]);
});

it.each(["no/such-entry"])("gives up if its program cannot run: %s", async (program) => {
  const broken = new JobThread<Uint8Array, unknown>({
    ...OPTIONS,
    program: threadProgram(program, GATEWAY),
  });
  expect(await Promise.all([broken.run(GOOD), broken.run(GOOD)])).toEqual([undefined, undefined]);
});
