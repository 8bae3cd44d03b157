import { expect, it, vi } from "vitest";
import { JobThread } from "../../../../util/src/job-thread.ts";
import { remainingObjectionsOnThread } from "./adapt-thread.ts";

it("sends a tool without the page around it", async () => {
  const run = vi.spyOn(JobThread.prototype, "run");
  const tool = '{"name":"t","inputSchema":{"type":"object"}}';
  const page = Buffer.from(`${" ".repeat(1_000_000)}${tool}`);
  expect(await remainingObjectionsOnThread(page.subarray(1_000_000), ["gemini"])).toMatchObject({
    total: 0,
  });
  const [[job] = []] = run.mock.calls as [{ readonly text: Uint8Array }][];
  run.mockRestore();
  expect(Buffer.from(job?.text ?? []).toString()).toBe(tool);
  expect(job?.text.buffer.byteLength).toBe(tool.length);
});
