import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { stopSignals, warnWithoutInit } from "./process-io.ts";

it("lets many sessions wait for the end without a listener leak warning", async () => {
  const signals = new EventEmitter();
  const stream = new PassThrough();
  const { stop, hurry } = stopSignals({
    stdin: stream,
    stdoutStream: stream,
    stdout: stream,
    stderr: stream,
    env: {},
    now: () => new Date(),
    signals,
    exit: () => {},
  });
  const warnings: string[] = [];
  const warned = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", warned);
  for (let session = 0; session < 50; session += 1) {
    for (const signal of [stop, hurry]) signal.addEventListener("abort", () => {});
  }
  await turn();
  process.off("warning", warned);
  expect(warnings).toEqual([]);
  signals.emit("SIGTERM", "SIGTERM");
  expect([stop.aborted, hurry.aborted]).toEqual([true, false]);
  signals.emit("SIGINT", "SIGINT");
  expect([stop.aborted, hurry.aborted]).toEqual([true, true]);
});

it("warns once if it is PID 1, and names the fix", () => {
  const warnings: string[] = [];
  const log = { warn: (text: string) => void warnings.push(text) };
  warnWithoutInit(log, 2);
  expect(warnings).toEqual([]);
  warnWithoutInit(log, 1);
  expect(warnings).toEqual([expect.stringContaining("docker run --init")]);
});
