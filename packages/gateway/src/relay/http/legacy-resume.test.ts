import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { initialize, post, request } from "../../testing/http.ts";

let touchstone: TestGateway;
beforeAll(async () => {
  const scripted = (action: string) => ({
    command: process.execPath,
    args: [SCRIPTED_SERVER, "--on", `tools/call=${action}`, "--on", "ping=notify:notifications/x"],
  });
  touchstone = await startTestGateway({ mcpServers: { asking: scripted("ask:roots/list") } });
});
afterAll(() => touchstone.close());

interface Event {
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads a stream until an event holds a text, or to the end; gives the events so far. */
async function eventsUntil(response: Response, wanted?: string): Promise<Event[]> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n").slice(0, -1).flatMap(readEvent);
    if (done || (wanted !== undefined && events.some(({ data }) => data.includes(wanted)))) {
      return events;
    }
  }
}

function readEvent(text: string): Event[] {
  const data = /^data:(.*)$/m.exec(text)?.[1];
  return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(text)?.[1], data: data.trim() }];
}

async function open(version?: string) {
  const url = touchstone.url("asking");
  const headers = await initialize(url, version);
  const get = (lastEventId?: string) =>
    fetch(url, {
      headers: {
        ...headers,
        accept: "text/event-stream",
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      },
    });
  const call = (id: number, signal: AbortSignal) =>
    fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify(request(id, "tools/call", { name: "work", arguments: {} })),
      signal,
    });
  return { url, headers, get, call };
}

describe("a client that reconnects", () => {
  it("gets the response from its lost stream, and what it missed before", async () => {
    const { url, headers, get, call } = await open();
    const leaving = new AbortController();
    const [primed, asked] = await eventsUntil(await call(1, leaving.signal), "ask-1");
    expect(primed).toMatchObject({ data: "" });
    expect(asked?.data).toContain('"roots/list"');
    leaving.abort();
    await post(url, { jsonrpc: "2.0", id: "ask-1", result: { roots: [] } }, headers);
    const all = await eventsUntil(await get(primed?.id));
    expect(all).toHaveLength(2);
    expect(all[0]).toEqual(asked);
    expect(JSON.parse(all[1]?.data ?? "")).toMatchObject({ id: 1, result: { content: [{}] } });
    // Once more, now that it is over.
    expect(await eventsUntil(await get(asked?.id))).toEqual(all.slice(1));
  });

  it("continues the stream while the call is still running", async () => {
    const { url, headers, get, call } = await open();
    const leaving = new AbortController();
    const events = await eventsUntil(await call(2, leaving.signal), "ask-1");
    leaving.abort();
    const rest = await get(events.at(-1)?.id);
    expect(rest.status).toBe(200);
    await post(url, { jsonrpc: "2.0", id: "ask-1", result: { roots: [] } }, headers);
    const [answer, ...more] = await eventsUntil(rest);
    expect(JSON.parse(answer?.data ?? "")).toMatchObject({ id: 2 });
    expect(more).toEqual([]);
  });

  it("hears that a canceled request gets no response", async () => {
    const { url, headers, get, call } = await open();
    const stream = await call(4, new AbortController().signal);
    const reading = stream.clone();
    const [primed, asked] = await eventsUntil(stream, "ask-1");
    const params = { requestId: 4 };
    await post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params }, headers);
    expect(await eventsUntil(reading)).toEqual([primed, asked]);
    // It has missed the question, but nothing after it.
    expect(await eventsUntil(await get(primed?.id))).toEqual([asked]);
    expect((await get(asked?.id)).status).toBe(204);
    // The server answers anyway, and before it answers the ping.
    await post(url, { jsonrpc: "2.0", id: "ask-1", result: { roots: [] } }, headers);
    const { messages } = await post(url, request(5, "ping"), headers);
    expect(messages.map((text) => JSON.parse(text).id)).toEqual([undefined, 5]);
    expect((await get(asked?.id)).status).toBe(204);
    const records = await touchstone.records({ server: "asking", type: "tool_call" });
    const [last, ...older] = records.reverse();
    expect(last).toMatchObject({ status: "error", reason: "canceled by the client" });
    expect(older.filter(({ reason }) => reason === last?.reason)).toEqual([]);
  });

  it("continues the stream of server messages", async () => {
    const { url, headers, get } = await open();
    const first = await get();
    const [primed] = await eventsUntil(first, "");
    await post(url, request(3, "ping"), headers);
    const again = await get(primed?.id);
    const second = await get(primed?.id);
    expect([again.status, second.status]).toEqual([200, 200]);
    // The newest stream counts: the one before it was ended.
    expect(await eventsUntil(again)).toEqual([]);
  });

  it("starts over with an empty id", async () => {
    const { get } = await open();
    const [primed] = await eventsUntil(await get(""), "");
    expect(primed?.id).toBeDefined();
  });

  it("gets an error if no event has the id", async () => {
    const { get } = await open();
    const answer = await get("99-99");
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Last-Event-ID names no event of this session");
  });
});

it("a client of an older revision gets no events without a message", async () => {
  const { call } = await open("2025-06-18");
  const leaving = new AbortController();
  const events = await eventsUntil(await call(1, leaving.signal), "ask-1");
  leaving.abort();
  expect(events.map(({ data }) => data.slice(0, 1))).toEqual(["{"]);
  expect(events[0]?.id).toBeDefined();
});
