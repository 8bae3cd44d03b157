import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { openActivityStore } from "@touchstone/gateway/activity";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { tempDir, touchstone } from "../testing/touchstone.ts";
import { run } from "./testing/run.ts";

const CALL = { type: "tool_call", source: "gateway", server: "s" } as const;

it("prints new records until a signal, even if none existed at the start", async () => {
  const dataDir = tempDir();
  const watch = touchstone(["activity", "watch", "--tool", "b", "-o", "jsonl"], {
    dataDir,
  });
  await watch.seen("stderr", /Nothing has been recorded yet\. Waiting\.\n/);
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([
    { ...CALL, tool: "a" },
    { ...CALL, tool: "b" },
  ]);
  const [line] = await watch.seen("stdout", /^\{.*\}\n/m);
  expect(JSON.parse(line)).toMatchObject({ server: "s", tool: "b" });
  await store.append([{ ...CALL, tool: "b", reason: "second" }]);
  await watch.seen("stdout", /"second"/);
  await store.close();
  watch.child.kill("SIGINT");
  expect(await watch.ended).toBe(0);
});

it("retries while the records cannot be read, and resumes when they can", long, async () => {
  const dataDir = tempDir();
  const watch = touchstone(["activity", "watch", "-o", "jsonl"], { dataDir });
  await watch.seen("stderr", /Waiting/);
  const database = join(dataDir, "activity.db");
  writeFileSync(database, "x".repeat(4096));
  await watch.seen("stderr", /activity\.db.* Trying again\.\n/);
  rmSync(database);
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([{ ...CALL, tool: "late" }]);
  await watch.seen("stdout", /"late"/);
  await store.close();
  watch.child.kill("SIGINT");
  expect(await watch.ended).toBe(0);
});

it("exits when its reader is gone, as after `| head`", long, async () => {
  const dataDir = tempDir();
  const watch = touchstone(["activity", "watch"], { dataDir });
  await watch.seen("stderr", /Waiting/);
  watch.child.stdout.destroy();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  let ended = false;
  void watch.ended.then(() => {
    ended = true;
  });
  await expect
    .poll(
      async () => {
        // Only a write shows that the reader has closed the output.
        await store.append([CALL]);
        return ended;
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  await store.close();
  expect([await watch.ended, watch.stderr()]).toEqual([0, expect.not.stringContaining("EPIPE")]);
});

it("gives all its threads a lower priority than a gateway's", async () => {
  const { child, seen } = touchstone(["activity", "watch"]);
  await seen("stderr", /Waiting/);
  const { pid = 0 } = child;
  const isLinux = process.platform === "linux";
  const threads = isLinux ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
  expect(new Set(threads.map((id) => getPriority(id)))).toEqual(new Set([10]));
});

it("refuses a bad filter with exit 2", async () => {
  const watch = touchstone(["activity", "watch", "--status", "x"]);
  expect(await watch.ended).toBe(2);
  expect(watch.stderr()).toContain("--status: ");
});

it("exits at the time of --until, and refuses a time that has passed", long, async () => {
  const dataDir = tempDir();
  const watch = (until: string) => run(["watch", "--data-dir", dataDir, "--until", until]);
  expect(await watch("2026-08-31T12:00:00.050Z")).toMatchObject({
    code: 0,
    stderr: "Nothing has been recorded yet. Waiting.\n",
  });
  expect(await watch("15m")).toMatchObject({
    code: 2,
    message: expect.stringContaining("--until: watch prints records from now on"),
  });
});
