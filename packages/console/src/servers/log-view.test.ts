import { beforeAll, expect, it } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { findings, overflow } from "../testing/axe.ts";
import { screenshot } from "../testing/console.ts";
import { callTools, describeGatewayPages, FAULTY, type ServedGateway } from "../testing/gateway.ts";
import { Keyboard } from "../testing/keyboard.ts";
import { isSmallest, LOOKS } from "../testing/looks.ts";

/** A server that writes hostile lines to its stderr, and one more for each ping. */
const NOISY = `
const say = (text) => process.stderr.write(text + "\\n");
say("\\u001b[31mred\\u001b[0m \\u001b[2J\\u202eevil \\u0007 <img src=x onerror=alert(1)>");
say("key ghp_${"a1B2".repeat(9)}");
say("w".repeat(100000));
process.stderr.write(Buffer.concat([Buffer.alloc(50, 0xff), Buffer.from("\\n")]));
for (let at = 0; at < 300; at += 1) say("line " + at);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "ping") say("pinged " + id);
  const result = method === "initialize"
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "n", version: "1" } }
    : method === "tools/list" ? { tools: [] } : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});`;

describeGatewayPages("the log of a server", (console) => {
  let gateway: ServedGateway;
  beforeAll(async () => {
    gateway = await console.start(
      JSON.stringify({
        mcpServers: {
          noisy: { command: process.execPath, args: ["-e", NOISY] },
          faulty: FAULTY,
          wrapped: { touchstone: {} },
        },
      }),
    );
    await callTools(gateway, "noisy", []);
  }, 60_000);

  it("follows live, finds, and shows what is hidden, with the keyboard alone", async () => {
    const { page, found } = await console.open(`${gateway.page}#/servers/noisy`);
    const keyboard = new Keyboard(page);
    await keyboard.to(page.getByRole("tab", { name: "State" }));
    await keyboard.press("ArrowRight");
    const lines = page.getByRole("list", { name: "Lines" });
    await lines.getByText("line 299", { exact: true }).waitFor();
    expect(await page.evaluate(() => location.hash)).toBe("#/servers/noisy?tab=log");
    await lines.getByText("started").first().waitFor();
    const first = lines.getByRole("listitem").filter({ hasText: "onerror" });
    expect(await first.textContent()).toContain(
      "red [U+001B][2J[U+202E]evil [U+0007] <img src=x onerror=alert(1)>",
    );
    await lines.getByText("key [redacted]").waitFor();
    await lines.getByText("the line continues").waitFor();
    // Lines that arrive in the meantime are shown at the end.
    await callTools(gateway, "noisy", []);
    await expect.poll(() => lines.getByText("started", { exact: true }).count()).toBe(2);
    const atEnd = () =>
      lines.evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight < 24);
    await expect.poll(atEnd).toBe(true);
    await keyboard.to(page.getByRole("searchbox", { name: "Find in the log" }));
    await keyboard.write("line 29");
    // 11 lines of each of the two processes.
    await page.getByText(/^22 of \d+ lines$/).waitFor();
    await keyboard.to(page.getByRole("switch", { name: "Follow live" }));
    await keyboard.press("Space");
    await page.getByRole("switch", { name: "Follow live", checked: false }).waitFor();
    await keyboard.to(lines);
    expect(found).toEqual([]);
  });

  it("of a wrapped server is with its client, and the page says so", async () => {
    const { page } = await console.open(`${gateway.page}#/servers/wrapped?tab=log`);
    await page.getByText(/stderr is in the log that the client keeps/).waitFor();
  });

  eachOf(LOOKS, isSmallest)("passes axe, %s at %i by %i", async (colorScheme, width, height) => {
    const viewport = { width, height };
    const options = { colorScheme, viewport };
    const { page } = await console.open(`${gateway.page}#/servers/noisy?tab=log`, options);
    await page.getByText("line 299", { exact: true }).first().waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await screenshot(page, `server-log-${colorScheme}-${width}`);
  });
});
