import { describe, expect, it } from "vitest";
import { AGREED, events, INITIALIZE, json, linked, result } from "../testing/linked.ts";

describe("a stream that the server leaves open", () => {
  it("does not delay messages after the response to initialize on it", async () => {
    const { upstream, send, answered } = await linked((seen, response) => {
      if (seen.method !== "POST") response.writeHead(405).end();
      else if (seen.body.includes("initialize")) {
        response.setHeader("mcp-session-id", "s1");
        events(response, `data: ${result(0, AGREED)}\n\n`);
      } else json(response, result(1));
    });
    await send({ id: 0, method: "initialize", params: INITIALIZE });
    await send({ id: 1, method: "tools/list" });
    expect(await answered(1)).toMatchObject({ result: {} });
    expect(upstream.seen.at(1)?.headers).toMatchObject({ "mcp-session-id": "s1" });
  });

  it("does not delay messages after a notification, or the server's own stream", async () => {
    const own = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    const { received, send, answered } = await linked((seen, response) => {
      if (seen.method === "GET") events(response, `data: ${own}\n\n`);
      else if (seen.method === "DELETE") response.writeHead(200).end();
      else if (seen.body.includes("initialized")) events(response, ": open\n\n");
      else json(response, seen.body.includes("initialize") ? result(0, AGREED) : result(1));
    });
    await send({ id: 0, method: "initialize", params: INITIALIZE });
    await send({ method: "notifications/initialized" });
    await send({ id: 1, method: "tools/list" });
    expect(await answered(1)).toMatchObject({ result: {} });
    expect(await received.find("list_changed")).toBe(own);
  });
});
