import { describe, expect, it } from "vitest";
import { createLogger } from "../../../../util/src/log.ts";
import { BoundedSender } from "./bounded-sender.ts";
import type { ToWriter } from "./messages.ts";

const META = { server: "s", connection: "c", from: "client", to: "server" } as const;
let second = 0;
const frame = (bytes: number) => ({
  kind: "frame" as const,
  frame: { ...META, time: `t${second++}` },
  bytes: new Uint8Array(bytes),
});

function sender(maxBytes = 5_000) {
  const posted: ToWriter[] = [];
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), "debug");
  const post = (message: ToWriter): void => void posted.push(message);
  return { posted, lines, sent: new BoundedSender({ post, log, file: "f", maxBytes }) };
}

describe("BoundedSender", () => {
  it("sends what fits, drops and counts the rest, and logs when it sends again", () => {
    const { posted, lines, sent } = sender();
    for (let i = 0; i < 6; i += 1) sent.send(frame(1_488));
    expect(posted).toHaveLength(2);
    expect(lines).toEqual([expect.stringMatching(/error: frames are missing from the capture/)]);
    sent.written({});
    expect(posted.slice(2)).toEqual([
      {
        kind: "lost",
        time: expect.any(String),
        lost: { frames: 4, bytes: 4 * 1_488, since: "t2", reason: expect.any(String) },
      },
    ]);
    expect(lines[1]).toMatch(/frames are missing from the capture.*frames=4/);
    sent.written({});
    sent.written({});
    sent.send(frame(10));
    expect(posted.at(-1)).toMatchObject({ kind: "frame" });
  });

  it("accepts one frame over the bound if nothing else is pending", () => {
    const { posted, sent } = sender(100);
    sent.send(frame(5_000));
    sent.send(frame(1));
    expect(posted.map(({ kind }) => kind)).toEqual(["frame"]);
    sent.written({});
    expect(posted.map(({ kind }) => kind)).toEqual(["frame", "lost"]);
  });

  it("never holds more than its bound, however slow the writer is", () => {
    const { posted, sent } = sender(100_000);
    for (let i = 0; i < 10_000; i += 1) sent.send(frame(1_000));
    expect(posted.length).toBeLessThan(100);
    for (let i = 0; i < 50_000 && posted.length > 0; i += 1) {
      posted.shift();
      sent.written({});
      sent.send(frame(10));
    }
    expect(posted.length).toBeLessThan(100);
  });

  it("logs once that writing fails, and once that it works again", () => {
    const { lines, sent } = sender();
    for (let i = 0; i < 4; i += 1) sent.send(frame(1));
    for (const failed of ["ENOSPC", "ENOSPC"]) sent.written({ failed });
    sent.written({});
    sent.written({});
    expect(lines).toEqual([
      expect.stringMatching(/cannot be written.*ENOSPC/),
      expect.stringMatching(/written again/),
    ]);
  });
});
