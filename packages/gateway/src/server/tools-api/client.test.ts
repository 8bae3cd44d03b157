import { readFrame } from "@touchstone/protocol";
import { describe, expect, it } from "vitest";
import { OwnClient } from "./client.ts";
import type { EndpointPost, EndpointResponse, PostToEndpoint } from "./endpoint-poster.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
  readonly result?: unknown;
}
type Answer = (
  message: Message,
  posting: EndpointPost,
) => Promise<EndpointResponse> | EndpointResponse;

const frame = (message: object) => readFrame(Buffer.from(JSON.stringify(message)));

function result(id: number | undefined, value: object, headers = {}): EndpointResponse {
  return { status: 200, headers, answer: frame({ jsonrpc: "2.0", id, result: value }) };
}
function error(id: number | undefined, message: string, status = 200): EndpointResponse {
  const answer = frame({ jsonrpc: "2.0", id, error: { code: -32601, message } });
  return { status, headers: {}, answer };
}

function client(answer: Answer) {
  const sent: { message: Message; headers: EndpointPost["headers"] }[] = [];
  let changes = 0;
  const post: PostToEndpoint = async (posting) => {
    const message = JSON.parse(posting.body) as Message;
    sent.push({ message, headers: posting.headers });
    return answer(message, posting);
  };
  const onToolsChanged = (): void => {
    changes += 1;
  };
  const own = new OwnClient({ post, maxBytes: 1_000, onToolsChanged });
  const methods = () => sent.map(({ message }) => message.method);
  return { own, sent, methods, changes: () => changes };
}

/** A server of the latest revision. */
const modern =
  (answer: Answer): Answer =>
  (message, posting) =>
    message.method === "server/discover"
      ? result(message.id, { supportedVersions: ["2026-07-28"] })
      : answer(message, posting);

/** A server of the session era that gives each session a number. */
function sessions(answer: Answer, discover: Answer = ({ id }) => error(id, "no", 404)): Answer {
  let session = 0;
  return (message, posting) => {
    if (message.method === "server/discover") return discover(message, posting);
    if (message.method === "notifications/initialized") return { status: 202, headers: {} };
    if (message.method !== "initialize") return answer(message, posting);
    session += 1;
    const value = { protocolVersion: "2025-06-18" };
    return result(message.id, value, { "mcp-session-id": `s${session}` });
  };
}

describe("the gateway's own MCP client", () => {
  it("uses the latest revision if the server supports it", async () => {
    const { own, sent } = client(modern(({ id }) => result(id, {})));
    const params = [{ path: ["city"], name: "Mcp-Param-City", type: "string" }] as const;
    await own.request("tools/call", `{"name":"t","arguments":{"city":"Oslo","n":1.0}}`, { params });
    expect(sent.map(({ message }) => message.method)).toEqual(["server/discover", "tools/call"]);
    expect(sent[1]?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "t",
      "Mcp-Param-City": "Oslo",
    });
    expect(sent[1]?.message.params).toHaveProperty("_meta");
  });

  it.each([
    ["latest", modern(({ id }) => result(id, {})), true, ["server/discover", "tools/list"]],
    ["session", sessions(({ id }) => result(id, {})), false, ["server/discover"]],
  ] as const)(
    "asks a server of the %s era only once whether it needs a session",
    async (...row) => {
      const [, answer, needsNone, asked] = row;
      const { own, methods } = client(answer);
      expect(await own.needsNoSession()).toBe(needsNone);
      if (needsNone) await own.request("tools/list", "{}");
      expect(methods()).toEqual(asked);
    },
  );

  it("otherwise opens one session, and uses its revision", async () => {
    const { own, sent, methods } = client(sessions(({ id }) => result(id, {})));
    await Promise.all([own.request("tools/list", "{}"), own.request("tools/list", "{}")]);
    expect(methods()).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "tools/list",
      "tools/list",
    ]);
    const headers = { "mcp-session-id": "s1", "mcp-protocol-version": "2025-06-18" };
    expect(sent[3]?.headers).toEqual(headers);
    expect(sent[3]?.message.params).toEqual({});
  });

  it.each([
    ["nothing", {}],
    ["a list without any", { supportedVersions: [] }],
    ["other revisions", { supportedVersions: ["2025-11-25"] }],
    ["no list", { supportedVersions: "2026-07-28" }],
  ])("opens a session if server/discover returns %s", async (_, named) => {
    const { own, methods } = client(
      sessions(
        ({ id }) => result(id, {}),
        ({ id }) => result(id, named),
      ),
    );
    await own.request("tools/list", "{}");
    expect(methods()).toContain("initialize");
  });

  it("opens one new session for all requests whose session has expired", async () => {
    const { own, methods } = client(
      sessions(({ id }, { headers }) =>
        headers["mcp-session-id"] === "s1" ? error(id, "no session", 404) : result(id, {}),
      ),
    );
    await Promise.all(Array.from({ length: 20 }, () => own.request("tools/list", "{}")));
    expect(methods().filter((method) => method === "initialize")).toHaveLength(2);
  });

  it("detects the era only once for a server whose sessions expire", async () => {
    const { own, methods } = client(
      sessions(({ id }, { headers }) =>
        headers["mcp-session-id"] === "s1" ? error(id, "no session", 404) : result(id, {}),
      ),
    );
    await own.request("tools/list", "{}");
    expect(methods().filter((method) => method === "server/discover")).toHaveLength(1);
  });

  it("detects the era again if the server refuses a new session", async () => {
    let isNew = false;
    const old = sessions(({ id }) => error(id, "no session", 404));
    const { own, methods } = client((message, posting) => {
      const { id, method } = message;
      if (!isNew && method === "tools/list") isNew = true;
      else if (isNew && method === "initialize") return error(id, "no such method");
      else if (isNew) return modern(() => result(id, {}))(message, posting);
      return old(message, posting);
    });
    expect((await own.request("tools/list", "{}")).kind).toBe("response");
    expect(methods().slice(-3)).toEqual(["initialize", "server/discover", "tools/list"]);
  });

  it("opens a new session when its own has expired, but only once per request", async () => {
    const over = client(
      sessions(({ id }, { headers }) =>
        headers["mcp-session-id"] === "s1" ? error(id, "no session", 404) : result(id, { n: 1 }),
      ),
    );
    expect((await over.own.request("tools/list", "{}")).kind).toBe("response");
    const inWords = client(
      sessions(({ id }, { headers }) =>
        headers["mcp-session-id"] === "s1"
          ? { status: 400, headers: {}, sessionOver: true }
          : result(id, { n: 1 }),
      ),
    );
    expect((await inWords.own.request("tools/list", "{}")).kind).toBe("response");
    const never = client(sessions(({ id }) => error(id, "no session", 404)));
    await expect(never.own.request("tools/list", "{}")).rejects.toThrow("no session");
    expect(never.methods().filter((method) => method === "tools/list")).toHaveLength(2);
  });

  it("connects again after a failure", async () => {
    let down = true;
    const { own } = client((message, posting) => {
      if (down) throw new Error("connection refused");
      return modern(({ id }) => result(id, {}))(message, posting);
    });
    await expect(own.request("tools/list", "{}")).rejects.toThrow(/connection refused/);
    down = false;
    expect((await own.request("tools/list", "{}")).kind).toBe("response");
  });

  it("cancels an abandoned request with a session server", async () => {
    const left = new AbortController();
    const { own, sent } = client(
      sessions(({ method }, { signal }) => {
        if (method === "notifications/cancelled") return { status: 202, headers: {} };
        left.abort();
        throw signal.reason;
      }),
    );
    await expect(own.request("tools/call", "{}", { signal: left.signal })).rejects.toThrow();
    const [call, cancelled] = sent.slice(-2);
    expect(cancelled?.message).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: call?.message.id },
    });
  });

  it.each([
    ["latest", modern],
    ["session", sessions],
  ] as const)(
    "requests progress from a server of the %s era, and delivers only its own",
    async (_, era) => {
      const heard: (string | undefined)[] = [];
      const { own, sent } = client(
        era(({ id, method }, { onMessage }) => {
          if (method !== "tools/call") return { status: 202, headers: {} };
          for (const progressToken of [id, String(id), (id ?? 0) + 1]) {
            const params = { progressToken, progress: 1 };
            onMessage(frame({ jsonrpc: "2.0", method: "notifications/progress", params }));
          }
          return result(id, {});
        }),
      );
      await own.request("tools/call", '{"name":"t"}', {
        onProgress: ({ progressTokenKey }) => heard.push(progressTokenKey),
      });
      const call = sent.at(-1)?.message;
      expect(call?.params).toMatchObject({ name: "t", _meta: { progressToken: call?.id } });
      expect(heard).toEqual([`n${call?.id}`]);
      await own.request("tools/call", '{"name":"t"}');
      expect(JSON.stringify(sent.at(-1)?.message.params)).not.toContain("progressToken");
    },
  );

  it("answers the server's requests, and notices list changes", async () => {
    const { own, sent, changes } = client(
      sessions(({ id, method }, { onMessage }) => {
        if (method !== "tools/call") return { status: 202, headers: {} };
        onMessage(frame({ jsonrpc: "2.0", id: 7, method: "ping" }));
        onMessage(frame({ jsonrpc: "2.0", id: "x", method: "sampling/createMessage" }));
        onMessage(frame({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }));
        return result(id, {});
      }),
    );
    await own.request("tools/call", "{}");
    expect(sent.slice(-2).map(({ message }) => message)).toEqual([
      { jsonrpc: "2.0", id: 7, result: {} },
      { jsonrpc: "2.0", id: "x", error: { code: -32601, message: expect.any(String) } },
    ]);
    expect(changes()).toBe(1);
  });

  it.each([
    ["an error of the server", error(2, "no such tool"), /no such tool/],
    ["a status without an answer", { status: 503, headers: {} }, /HTTP status 503/],
  ] as const)("turns %s into a descriptive error", async (_, posted, message) => {
    const { own } = client(modern(() => posted));
    await expect(own.request("tools/list", "{}")).rejects.toThrow(message);
  });
});
