import { createHandler } from "@touchstone/http";
import { describe, expect, it } from "vitest";
import { ApiError, createApi, errorOf, type Fetch } from "./client.ts";

const TOOLS = [
  { name: "a/b %", description: "odd", inputSchema: { required: ["x"] }, title: "T" },
  { name: "plain", description: "", annotations: { readOnlyHint: true } },
];
const seen: string[] = [];
const handler = createHandler(
  TOOLS,
  (name, args, request) => {
    seen.push(`${name} ${JSON.stringify(args)} ${request.headers["content-type"]}`);
    return { content: [{ type: "text", text: "done" }], isError: false };
  },
  { prefix: "/explorer", allowExecute: true },
);
const served: Fetch = (url, init) => handler(new Request(url, init));
const api = (fetch: Fetch = served) => {
  let time = 0;
  return createApi("http://localhost/explorer/", fetch, () => (time += 7));
};
const answering = (status: number, body: string) =>
  api(() => Promise.resolve(new Response(body, { status })));

describe("the API client", () => {
  it("lists and describes tools", async () => {
    expect(await api().list()).toEqual([
      { name: "a/b %", description: "odd", title: "T" },
      { name: "plain", description: "", annotations: { readOnlyHint: true } },
    ]);
    expect(JSON.parse(await api().describe("a/b %"))).toEqual(TOOLS[0]);
  });

  it("validates and calls, and reports the duration", async () => {
    const invalid = await api().validate("a/b %", "{}");
    expect(invalid).toMatchObject({ status: 200, milliseconds: 7 });
    expect(JSON.parse(invalid.text)).toMatchObject({
      valid: false,
      errors: [{ rule: "required" }],
    });
    const called = await api().call("a/b %", '{"x":1}');
    expect(JSON.parse(called.text)).toMatchObject({ content: [{ text: "done" }] });
    expect(seen).toEqual(['a/b % {"x":1} application/json']);
    expect(api().callUrl("a/b %")).toBe("http://localhost/explorer/tools/a%2Fb%20%25/call");
    const inside = createApi("http://localhost/inside/", served, () => 0, "http://localhost/");
    expect(inside.callUrl("a")).toBe("http://localhost/tools/a/call");
  });

  it("reports an error from the server", async () => {
    const refused = api().describe("nobody");
    await expect(refused).rejects.toMatchObject({
      code: "refused",
      status: 404,
      message: "Tool not found: nobody",
    });
    await expect(api().describe("\ud800")).rejects.toBeInstanceOf(ApiError);
  });

  it("says what to do if the server does not know who asks", async () => {
    const told = "No. Sign in, then try again.";
    await expect(answering(401, '{"error":"No"}').list()).rejects.toThrow(told);
    await expect(answering(401, '{"error":"No."}').describe("a")).rejects.toThrow(told);
  });

  it.each([
    [200, "<html>"],
    [200, '{"tools":[]}'],
    [502, "Bad Gateway"],
    [404, "[]"],
  ])("reports %i %j as an unexpected response", async (status, body) => {
    await expect(answering(status, body).list()).rejects.toMatchObject({
      code: "unexpected",
      status,
    });
  });

  it("leaves out tools without a name", async () => {
    expect(await answering(200, '[1,null,{"name":"a"},{}]').list()).toEqual([
      { name: "a", description: "" },
    ]);
  });

  it("reports an unreachable server, and passes an abort on", async () => {
    const down = api(() => Promise.reject(new TypeError("fetch failed")));
    await expect(down.list()).rejects.toMatchObject({ code: "unreachable", status: undefined });
    const aborted = api((_url, { signal }) => Promise.reject(signal?.reason));
    const signal = AbortSignal.abort();
    await expect(aborted.list({ signal })).rejects.toHaveProperty("name", "AbortError");
  });
});

describe("the progress of a call", () => {
  const streaming = (text: string) =>
    api((_url, { headers }) => {
      expect(new Headers(headers).get("accept")).toContain("text/event-stream");
      const type = { "content-type": "text/event-stream" };
      return Promise.resolve(new Response(text, { headers: type }));
    });
  const told: object[] = [];
  const onProgress = (progress: object): void => void told.push(progress);

  it("is reported until the result arrives", async () => {
    told.length = 0;
    const events =
      'event: progress\ndata: {"progress":1,"total":2}\n\n:\n\nevent: progress\ndata: no\n\nevent: result\ndata: {"a":\ndata: 1}\n\n';
    const { status, text } = await streaming(events).call("plain", "{}", { onProgress });
    expect([status, text, told]).toEqual([200, '{"a":\n1}', [{ progress: 1, total: 2 }]]);
  });

  it("comes from the handler through the API", async () => {
    told.length = 0;
    const working = createHandler(
      TOOLS,
      async (_name, _args, { reportProgress }) => {
        reportProgress?.({ progress: 1, message: "on it" });
        return { content: [] };
      },
      { allowExecute: true },
    );
    const own = createApi(
      "http://localhost/",
      (url, init) => working(new Request(url, init)),
      () => 0,
    );
    const { text } = await own.call("plain", "{}", { onProgress });
    expect([text, told]).toEqual([
      '{"content":[],"isError":false}',
      [{ progress: 1, message: "on it" }],
    ]);
  });

  it("is an error if the stream breaks off", async () => {
    const broken = streaming('event: progress\ndata: {"progress":1}\n\n');
    await expect(broken.call("plain", "{}", { onProgress })).rejects.toThrow(/before the result/);
  });
});

describe("errorOf", () => {
  it.each([
    ['{"error":"no"}', "no"],
    [
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a key is required"}}',
      "a key is required",
    ],
    ['{"error":1}', undefined],
    ['{"error":{"message":1}}', undefined],
    ["{}", undefined],
    ["null", undefined],
    ["x", undefined],
  ])("for %s returns %s", (text, expected) => {
    expect(errorOf(text)).toBe(expected);
  });
});
