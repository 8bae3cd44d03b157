import { describe, expect, it } from "vitest";
import { wrapped } from "../../testing/wrapped.ts";

/** A server as many are written: on `readline`, which ends a line at each CR too. */
const SERVER = String.raw`
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    let message;
    try { message = JSON.parse(line); } catch { return; }
    const { id, method, params } = message;
    if (method === "tools/list") {
      const inputSchema = { type: "object", properties: { n: { type: "integer" } } };
      say({ id, result: { tools: [{ name: "work", inputSchema }] } });
    } else if (method === "tools/call") {
      process.stderr.write("ran " + JSON.stringify(params.arguments) + "\n");
      say({ id, result: { content: [] } });
    } else if (method === "inside") {
      process.stdout.write('{"jsonrpc":"2.0","method":"vendor/x","params":\r{"jsonrpc":"2.0","id":9,"result":{}}\r}\n');
      say({ id, result: {} });
    }
  });`;

const call = (id: number, n: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"work","arguments":{"n":${n}}}}`;

describe("a message hidden between carriage returns", () => {
  it("is not seen as a message by the server", async () => {
    const client = wrapped(["-e", SERVER], { mode: "strict" });
    client.send(`{"jsonrpc":"2.0","method":"vendor/x","params":\r${call(5, '"no"')}\r}`);
    client.send(call(6, "1"));
    expect(await client.answer(6)).toHaveProperty("result.content", []);
    await client.close();
    expect(client.log.text).toContain('ran {"n":1}');
    expect(client.log.text).not.toContain('ran {"n":"no"}');
    expect(client.received.text).not.toContain('"id":5');
  });

  it("is not seen as a message by the client", async () => {
    const client = wrapped(["-e", SERVER], { mode: "strict" });
    client.send({ jsonrpc: "2.0", id: 1, method: "inside" });
    await client.answer(1);
    await client.close();
    expect(client.received.text).toContain('"params": {"jsonrpc":"2.0","id":9,"result":{}} }');
  });
});
