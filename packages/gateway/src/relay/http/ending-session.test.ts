import { expect, it, onTestFinished, vi } from "vitest";
import { LiveRecords } from "../../server/live-records.ts";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, post, request } from "../../testing/http.ts";

it("answers a request that comes while an exited server's last message is being recorded", async () => {
  const args = [SCRIPTED_SERVER, "--on", "tools/list=half-exit:0"];
  const touchstone = await startTestGateway({
    mcpServers: { one: { command: process.execPath, args } },
  });
  onTestFinished(() => touchstone.close());
  const url = touchstone.url("one");
  const session = await initialize(url);

  const append = LiveRecords.prototype.append;
  const held: (() => void)[] = [];
  const disk = vi.spyOn(LiveRecords.prototype, "append").mockImplementation(function (
    this: LiveRecords,
    entries,
  ) {
    return new Promise((resolve) => held.push(() => resolve(append.call(this, entries))));
  });
  onTestFinished(() => {
    disk.mockRestore();
    for (const release of held) release();
  });

  const broken = post(url, request(1, "tools/list"), session);
  await expect.poll(() => held.length, { interval: 5 }).toBe(1);
  const children = async (): Promise<unknown> =>
    (await (await fetch(new URL("/api/v1/servers/one", url))).json()).children;
  await expect.poll(children, { interval: 5 }).toBe(0);
  const late = post(url, request(2, "resources/list", { cursor: 5 }), session);
  expect((await late).messages).toEqual([expect.stringContaining('"id":2,"error"')]);
  held[0]?.();
  expect((await broken).messages).toEqual([expect.stringContaining('"id":1,"error"')]);
});
