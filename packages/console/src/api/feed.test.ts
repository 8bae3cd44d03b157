import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "./client.ts";
import { delay, type FeedState, followEvents } from "./feed.ts";
import { createGatewayApi } from "./gateway.ts";

let end = (): void => {};
afterEach(() => end());

type Answer = (request: IncomingMessage, response: ServerResponse, time: number) => void;

/** Follows a server that responds to each connection as `answer` does, until `count` events have arrived. */
async function following(answer: Answer, count: number) {
  let times = 0;
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers["last-event-id"]?.toString());
    answer(request, response, times++);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  end = () => {
    server.close();
    server.closeAllConnections();
  };
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const api = createGatewayApi(root, fetch);
  const stop = new AbortController();
  const seen = { data: [] as string[], states: [] as FeedState[], opened: [] as boolean[] };
  const pauses: number[] = [];
  const done = followEvents(
    {
      open: (lastId, signal) => api.events("followActivity", {}, lastId, signal),
      onState: (state) => seen.states.push(state),
      onOpen: (resumed) => seen.opened.push(resumed),
      onData: (data) => {
        seen.data.push(data);
        if (seen.data.length === count) stop.abort();
      },
      pause: async (milliseconds) => void pauses.push(milliseconds),
    },
    stop.signal,
  );
  return { done, seen, asked, pauses };
}

describe("a feed of events", () => {
  it("resumes after the last event when its connection breaks", async () => {
    const { done, seen, asked, pauses } = await following((request, response, time) => {
      expect(request.headers.accept).toBe("text/event-stream");
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("retry: 50\n\n");
      if (time === 0) response.end("id: 7\nevent: activity\ndata: a\n\nid: 8\nda");
      else response.write("id: 8\ndata: b\ndata: é\n\n: nothing new\n\n");
    }, 2);
    await done;
    expect(seen.data).toEqual(["a", "b\né"]);
    expect(seen.states).toEqual(["connecting", "live", "lost", "live"]);
    expect(seen.opened).toEqual([false, true]);
    expect(asked).toEqual([undefined, "7"]);
    expect(pauses).toEqual([50]);
  });

  it("retries if the server is busy, and reports when it starts again", async () => {
    const { done, seen, asked } = await following((_request, response, time) => {
      if (time < 2) {
        response.writeHead(503).end('{"error":"busy","code":"BUSY"}');
        return;
      }
      response.writeHead(200).write("data: a\n\n");
    }, 1);
    await done;
    expect(seen.opened).toEqual([false]);
    expect(asked).toEqual([undefined, undefined, undefined]);
  });

  it("ends with the reason if the server refuses", async () => {
    const { done } = await following((_request, response) => {
      response.writeHead(400).end('{"error":"status: is none of …","code":"BAD_FILTER"}');
    }, 1);
    await expect(done).rejects.toThrow("status: is none of …");
    await expect(done).rejects.toBeInstanceOf(ApiError);
  });
});

describe("a pause", () => {
  it("ends on time, or when it is aborted", async () => {
    await delay(1, new AbortController().signal);
    const stop = new AbortController();
    const paused = delay(1_000_000, stop.signal);
    stop.abort();
    await paused;
  });
});
