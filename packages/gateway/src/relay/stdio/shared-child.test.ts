import { readFrame } from "@touchstone/protocol";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../../../util/src/log.ts";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { modern } from "../../testing/http.ts";
import { ChildSlots, IDLE_MS, SWEEP_MS } from "../../transport/stdio/child-limits.ts";
import { SharedChild } from "./shared-child.ts";

let slots: ChildSlots;
let lines: string[];
let child: SharedChild;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  slots = new ChildSlots(1);
  lines = [];
  child = new SharedChild(
    "shared",
    {
      command: process.execPath,
      args: [SCRIPTED_SERVER, "--on", "tools/call=silent"],
      env: {},
      maxFrameBytes: 1 << 20,
      stderr: () => {},
      slots,
    },
    createLogger((line) => lines.push(line), "info"),
  );
});
afterEach(async () => {
  await child.close();
  vi.useRealTimers();
});

/** Sends a request; gives its response, or why there is none, and what cancels it. */
function ask(method: string): { readonly answer: Promise<string>; readonly cancel: () => void } {
  let cancel = (): void => {};
  const answer = new Promise<string>((resolve) => {
    const end = async (text: string): Promise<void> => resolve(text);
    cancel = child.request(readFrame(Buffer.from(modern(method, { name: "work" }).body)), {
      message: async () => {},
      answer: (frame) => end(Buffer.from(frame).toString()),
      oversize: () => end("oversize"),
      lost: end,
      refused: end,
      stalled: () => {},
    });
  });
  return { answer, cancel };
}

it("stops an unused server after a while, frees its slot, and starts it again", async () => {
  expect(await ask("tools/list").answer).toContain('"tools"');
  vi.advanceTimersByTime(IDLE_MS - SWEEP_MS);
  expect(await ask("tools/list").answer).toContain('"tools"');
  vi.advanceTimersByTime(IDLE_MS - SWEEP_MS);
  expect([slots.taken, lines]).toEqual([1, []]);
  vi.advanceTimersByTime(2 * SWEEP_MS);
  await vi.waitFor(() => expect(slots.taken).toBe(0), 20_000);
  expect(lines).toEqual([expect.stringContaining("ended after 30 idle minutes")]);
  // No crash that the next request would have to wait for.
  expect(await ask("tools/list").answer).toContain('"tools"');
  expect(slots.taken).toBe(1);
});

it("keeps the server for an open request such as a subscription, and for a while after it", async () => {
  const { cancel } = ask("tools/call");
  vi.advanceTimersByTime(3 * IDLE_MS);
  cancel();
  vi.advanceTimersByTime(IDLE_MS - SWEEP_MS);
  expect([slots.taken, lines]).toEqual([1, []]);
  vi.advanceTimersByTime(2 * SWEEP_MS);
  await vi.waitFor(() => expect(slots.taken).toBe(0), 20_000);
});

it("lends a session only a process that nobody has used, and that owes no response", async () => {
  expect(await ask("server/discover").answer).toContain('"result"');
  child.spare();
  expect(child.hasSpare).toBe(true);
  // It serves requests of others, before and after it is named as spare.
  expect(await ask("tools/list").answer).toContain('"tools"');
  expect([child.hasSpare, child.takeSpare()]).toEqual([false, undefined]);
  child.spare();
  expect(child.hasSpare).toBe(false);
  await child.rest();
  // It did not respond in time.
  ask("server/discover").cancel();
  child.spare();
  expect(child.hasSpare).toBe(false);
  await child.rest();
  expect(await ask("server/discover").answer).toContain('"result"');
  child.notify(Buffer.from('{"jsonrpc":"2.0","method":"notifications/x"}\n'));
  child.spare();
  expect(child.hasSpare).toBe(false);
});

/** Answers every request under one id. */
const MANGLING = (id: string): string => `
  require("node:readline").createInterface({ input: process.stdin }).on("line", () => {
    console.log('{"jsonrpc":"2.0",${id}"result":{"tools":[]}}');
  });
`;

it.each(['"id":0,', '"id":null,', ""])(
  "fails the gateway's own request at once if its response has another id: %s",
  async (id) => {
    const mangling = new SharedChild(
      "shared",
      {
        command: process.execPath,
        args: ["-e", MANGLING(id)],
        env: {},
        maxFrameBytes: 1 << 20,
        stderr: () => {},
      },
      createLogger(() => {}, "info"),
    );
    onTestFinished(() => mangling.close());
    await expect(mangling.ask("tools/list", "{}")).rejects.toThrow(
      /^the server's response to tools\/list: (?:the response has no id|no request with the id 0 waits)/,
    );
  },
);
