import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FoldThread } from "./activity/journal/thread.ts";
import { tempDir } from "./activity/testing/temp-dir.ts";
import { type ActivityWorker, startActivityWorker } from "./activity/worker/client.ts";
import { openCapture } from "./capture/open.ts";
import { createLogger } from "./log.ts";
import { startTelemetry } from "./telemetry/start.ts";

// In the place of a system where as many threads run as may, which no test can bring about for itself alone.
vi.mock(import("./own-package.ts"), async (original) => ({
  ...(await original()),
  threadProgram: () => {
    throw new Error("EAGAIN");
  },
}));

const TOLD = /No thread can be started: EAGAIN\. .*ulimit -u/;
const log = createLogger(() => {}, "silent");

describe("where no thread can be started", () => {
  function reader(onRetentionError?: (error: Error) => void): ActivityWorker {
    const worker = startActivityWorker({
      place: { dataDir: tempDir() },
      ...(onRetentionError ? { retention: { maxAgeMs: 1 }, onRetentionError } : {}),
    });
    onTestFinished(() => worker.close());
    return worker;
  }

  it("each question for records is answered with that, and holds no place", async () => {
    const worker = reader();
    for (let i = 0; i < 100; i += 1) {
      const response = await worker.handle(new Request("http://x/api/v1/activity"));
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({
        code: "READER_ENDED",
        error: expect.stringMatching(TOLD),
      });
    }
  });

  it("it is told that old records cannot be removed", async () => {
    const told = await new Promise<Error>((resolve) => void reader(resolve));
    expect(told.message).toMatch(TOLD);
  });

  it("folding fails with it", async () => {
    const thread = new FoldThread({ database: "activity.db", chain: "c" });
    await expect(thread.fold()).rejects.toMatchObject({
      code: "WRITE_FAILED",
      message: expect.stringMatching(TOLD),
    });
    await thread.close();
  });

  it("neither capture nor telemetry begins", () => {
    expect(() => openCapture(`${tempDir()}/capture.jsonl`, log)).toThrow(TOLD);
    expect(() => startTelemetry({ settings: { metrics: true }, env: {}, log })).toThrow(TOLD);
  });
});
