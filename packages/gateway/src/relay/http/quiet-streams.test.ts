import type { ServerResponse } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, request, startHttpUpstream } from "../../testing/http.ts";

const COMMENT = ": \n\n";
const RESULT = JSON.stringify({
  jsonrpc: "2.0",
  id: 5,
  result: { content: [{ type: "text", text: "done" }] },
});
const NOTE = JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: "note" },
});

/** How servers end lines, and where the pieces of what they write are cut. */
const WIRES = {
  "LF, an event in one piece": [`data: ${NOTE}\n\n`],
  "LF, an event in three pieces": ["data: ", NOTE, "\n\n"],
  "CR LF, cut before the last LF": [`data: ${NOTE}\r\n\r`, "\n"],
  CR: [`data: ${NOTE}\r\r`],
  "a comment and an id": [`: ping\nid: 7\ndata: ${NOTE}\n`, "\n"],
  "a byte order mark": [`\uFEFFdata: ${NOTE}\n\n`],
} as const;

async function startSilent(mode: string) {
  const streams: ServerResponse[] = [];
  let opened = (): void => {};
  const upstream = await startHttpUpstream(({ method: verb, body }, response) => {
    const { id, method, params } = verb === "POST" ? JSON.parse(body) : {};
    const json = (result: object): void => {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === "initialize") {
      const capabilities = { tools: {}, logging: {} };
      const { protocolVersion } = params;
      json({ protocolVersion, capabilities, serverInfo: { name: "u", version: "1" } });
    } else if (method === "tools/list") {
      json({ tools: [{ name: "slow", inputSchema: { type: "object" } }] });
    } else if (method === "tools/call" || verb === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      streams.push(response);
      opened();
    } else response.writeHead(202).end();
  });
  onTestFinished(() => upstream.close());
  const touchstone = await startTestGateway({
    ...{ input_validation: { mode }, output_validation: { mode }, protocol_validation: { mode } },
    mcpServers: { u: { url: upstream.url } },
  });
  onTestFinished(() => touchstone.close());
  const url = touchstone.url("u");
  const session = await initialize(url);
  /** Opens a stream; returns the server's end of it, and what reads the client's. */
  const open = async (verb: "GET" | "POST") => {
    const began = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const body = JSON.stringify(request(5, "tools/call", { name: "slow", arguments: {} }));
    const response = await fetch(url, {
      method: verb,
      headers: {
        ...session,
        accept: verb === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        ...(verb === "POST" && { "content-type": "application/json" }),
      },
      ...(verb === "POST" && { body }),
    });
    await began;
    const reader = response.body?.getReader();
    let text = "";
    /** Returns what has come since the last time, up to and with a text. */
    const until = async (wanted: string): Promise<string> => {
      while (!text.includes(wanted)) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error(`the stream ended without ${JSON.stringify(wanted)}: ${text}`);
        text += Buffer.from(value ?? []).toString();
      }
      const end = text.indexOf(wanted) + wanted.length;
      const piece = text.slice(0, end);
      text = text.slice(end);
      return piece;
    };
    const stream = streams.at(-1) as ServerResponse;
    return { stream, until };
  };
  return { open };
}

it.each(["off", "warn", "strict"])(
  "sends comments on silent streams of a server behind a URL: mode %s",
  async (mode) => {
    const { open } = await startSilent(mode);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const verb of ["GET", "POST"] as const) {
      const { stream, until } = await open(verb);
      vi.advanceTimersByTime(15_000);
      expect(await until(COMMENT)).toBe(COMMENT);
      vi.advanceTimersByTime(15_000);
      expect(await until(COMMENT)).toBe(COMMENT);
      if (verb === "GET") continue;
      stream.end(`data: ${RESULT}\n\n`);
      expect(await until(`${RESULT}\n\n`)).toBe(`data: ${RESULT}\n\n`);
    }
    expect(vi.getTimerCount()).toBeGreaterThan(0);
  },
);

it.each(Object.entries(WIRES))("sends comments between events only: %s", async (_, pieces) => {
  const { open } = await startSilent("strict");
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { stream, until } = await open("POST");
  let sent = "";
  for (const piece of pieces) {
    vi.advanceTimersByTime(15_000);
    sent += await until(COMMENT);
    // Once this piece is at the gateway, the next one and a comment may come.
    await new Promise<void>((resolve) => stream.write(piece, () => resolve()));
  }
  stream.end(`data: ${RESULT}\n\n`);
  sent += await until(`${RESULT}\n\n`);
  const event = pieces.join("").replace("\uFEFF", "");
  expect(sent.replaceAll(COMMENT, "")).toBe(`${event}data: ${RESULT}\n\n`);
  // Whole, but for the LF of a CR LF that came later.
  expect(sent).toContain(event.slice(0, -1));
});
