import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, RECORDER, SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { initialize, post, request } from "../../testing/http.ts";

let folder: string;
let touchstone: TestGateway;
const at = (file: string): string => join(folder, file);
const calls = (): string[] => readFileSync(at("calls"), "utf8").split("\n").slice(0, -1);
/** A module that writes the process's id to stderr. */
const TELL_PID = "data:text/javascript,process.stderr.write(`pid `+process.pid+`\\n`)";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "legacy-"));
  appendFileSync(at("calls"), "");
  appendFileSync(at("asking-out"), "");
  const command = process.execPath;
  const scripted = (...on: string[]) => ({
    command,
    args: [SCRIPTED_SERVER, ...on.flatMap((action) => ["--on", action])],
    env: { RECORD_IN: at("in") },
  });
  const env = { FAULTY_SERVER_LOG: at("calls") };
  const strict = { mode: "strict" };
  const recorded = ["--in", at("sent"), "--out", at("written"), "--", command, FAULTY_SERVER];
  touchstone = await startTestGateway({
    limits: { sessions: 3 },
    mcpServers: {
      faulty: { command, args: [RECORDER, ...recorded], env },
      strict: {
        command,
        args: [FAULTY_SERVER],
        env,
        touchstone: {
          input_validation: strict,
          output_validation: strict,
          protocol_validation: strict,
        },
      },
      pid: {
        command,
        args: ["--import", TELL_PID, SCRIPTED_SERVER],
      },
      progress: scripted("tools/call=progress:3"),
      silent: scripted("tools/call=silent"),
      crashing: scripted("tools/call=exit:9"),
      noting: scripted("ping=notify:notifications/message"),
      asking: {
        ...scripted("tools/call=ask:roots/list"),
        env: { RECORD_OUT: at("asking-out") },
      },
      refusing: { ...scripted("initialize=error:-32022"), touchstone: { bridge: "off" } },
      dying: scripted("initialize=exit:3"),
      absent: { command: "no-such-command-here" },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  rmSync(folder, { recursive: true });
});

const call = (id: unknown, name = "work", args: object = { n: 3 }, meta = {}) =>
  request(id, "tools/call", { name, arguments: args, _meta: meta });
const end = (server: string, headers: Record<string, string>) =>
  fetch(touchstone.url(server), { method: "DELETE", headers });
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("bytes", () => {
  it("returns the server's line byte for byte, and sends it the request on one line", async () => {
    const url = touchstone.url("faulty");
    const headers = await initialize(url);
    const written = (): string[] => readFileSync(at("written"), "utf8").split("\n").slice(0, -1);
    const list = await post(url, request("l", "tools/list"), headers);
    expect(list.text).toBe(written().at(-1));
    const body =
      '{\r\n"jsonrpc":"2.0",\n "id":1e0,"method":"tools/call",\r"params":{"name":"lookup_order","arguments":{"number":"1"}}}\n';
    const [text = ""] = (await post(url, body, headers)).messages;
    expect(text).toBe(written().at(-1));
    expect(text).toContain('"id":1e0,');
    expect(text).toContain('"zeta":1.0,"id":7256535639334584321');
    const sent = readFileSync(at("sent"), "utf8").split("\n");
    expect(sent.at(-2)).toBe(body.replaceAll(/[\r\n]/g, " "));
    await end("faulty", headers);
  });

  it.each(["\n", "x", "\n\n{"])("refuses two messages in one body: %j", async (between) => {
    const url = touchstone.url("faulty");
    const headers = await initialize(url);
    const before = calls().length;
    const one = JSON.stringify(call(1, "echo"));
    const { status, text } = await post(url, `${one}${between}${one}`, headers);
    expect([status, JSON.parse(text).error.code]).toEqual([400, -32700]);
    const [record] = (await touchstone.records({ type: "policy_decision" })).slice(-1);
    expect(record).toMatchObject({ server: "faulty", direction: "protocol", status: "blocked" });
    expect(record?.session).toMatch(/^sha256:/);
    await post(url, request(2, "ping"), headers);
    expect(calls()).toHaveLength(before);
    await end("faulty", headers);
  });
});

describe("a session", () => {
  it("is not needed to report a body that is not JSON, which is recorded", async () => {
    const url = touchstone.url("progress");
    const { status, text } = await post(url, '{"jsonrpc":"2.0",\n"id":5,');
    expect([status, JSON.parse(text).error.code]).toEqual([400, -32700]);
    const records = await touchstone.records({ server: "progress", type: "policy_decision" });
    expect(records).toMatchObject([{ direction: "protocol", status: "blocked" }]);
  });

  it("is required, and its absence reported", async () => {
    const url = touchstone.url("progress");
    const missing = await post(url, request(1, "tools/list"));
    expect([missing.status, JSON.parse(missing.text).id]).toEqual([400, 1]);
    const unknown = await post(url, request(1, "tools/list"), { "mcp-session-id": "none" });
    expect([unknown.status, JSON.parse(unknown.text).id]).toEqual([404, 1]);
    for (const method of ["GET", "DELETE"]) {
      expect((await fetch(url, { method })).status).toBe(400);
      expect((await fetch(url, { method, headers: { "mcp-session-id": "x" } })).status).toBe(404);
    }
  });

  it("cannot be opened by GET as in the old HTTP+SSE transport, and the response says so", async () => {
    const answer = await fetch(touchstone.url("progress"));
    expect(await answer.text()).toMatch(/POST initialize .*HTTP\+SSE transport is not supported/);
  });

  it("accepts its own revision and other known ones", async () => {
    const url = touchstone.url("progress");
    const session = await initialize(url);
    const under = (version: string) => ({ ...session, "mcp-protocol-version": version });
    for (const version of ["2025-06-18", "2024-11-05", session["mcp-protocol-version"] ?? ""]) {
      expect((await post(url, request(1, "tools/list"), under(version))).status).toBe(200);
    }
    for (const version of ["2024-10-07", "latest", "2025-06-18, 2025-06-18"]) {
      const refused = await post(url, request(2, "tools/list"), under(version));
      expect(refused.status).toBe(400);
      expect(JSON.parse(refused.text)).toMatchObject({
        id: 2,
        error: { message: expect.stringContaining("send 2025-11-25") },
      });
      for (const method of ["GET", "DELETE"]) {
        expect((await fetch(url, { method, headers: under(version) })).status).toBe(400);
      }
    }
    expect((await fetch(url, { method: "DELETE", headers: session })).status).toBe(200);
  });

  it("starts whatever the revision header says, because initialize negotiates it", async () => {
    const url = touchstone.url("progress");
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const answer = await post(url, request(0, "initialize", params), {
      "mcp-protocol-version": "latest",
    });
    expect(answer.status).toBe(200);
    const session = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" };
    expect((await fetch(url, { method: "DELETE", headers: session })).status).toBe(200);
  });

  it("has its own process until DELETE, and their number is limited", async () => {
    const url = touchstone.url("pid");
    expect((await post(url, request(9, "ping"))).status).toBe(400);
    const open = await Promise.all([initialize(url), initialize(url), initialize(url)]);
    const pids = touchstone.lines.flatMap((line) => /^\[pid\] pid (\d+)$/.exec(line)?.[1] ?? []);
    expect(new Set(pids).size).toBe(3);
    expect(pids.map(Number).every(isAlive)).toBe(true);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "me", version: "2" },
    };
    const over = await post(url, request(1, "initialize", params));
    expect([over.status, over.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(over.text).toContain("the limit of 3 sessions is reached");
    expect((await touchstone.records({ type: "server_change" })).at(-1)).toMatchObject({
      server: "pid",
      status: "rejected",
      client: "me/2",
      reason: expect.stringContaining("the limit of 3 sessions"),
    });
    for (const headers of open) expect((await end("pid", headers)).status).toBe(200);
    expect(pids.map(Number).some(isAlive)).toBe(false);
    expect((await post(url, request(2, "ping"), open[0])).status).toBe(404);
    await end("pid", await initialize(url));
  });

  it("has a random id, of which records and logs have only the hash", async () => {
    const url = touchstone.url("progress");
    const open = await Promise.all([initialize(url), initialize(url)]);
    const ids = open.map((headers) => headers["mcp-session-id"] ?? "");
    expect(new Set(ids).size).toBe(2);
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    await post(url, call(1), open[0]);
    const records = await touchstone.records({ server: "progress" });
    const hash = `sha256:${createHash("sha256")
      .update(ids[0] ?? "")
      .digest("hex")}`;
    expect(records.some(({ session }) => session === hash)).toBe(true);
    const text = JSON.stringify(records) + touchstone.lines.join("\n");
    for (const id of ids) expect(text).not.toContain(id);
    for (const headers of open) await end("progress", headers);
  });

  it("does not start if the server refuses it, and leaves no process", async () => {
    const url = touchstone.url("refusing");
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const params = { protocolVersion: "2025-11-25", capabilities: {} };
      const answer = await post(url, request(1, "initialize", params));
      expect(JSON.parse(answer.text)).toMatchObject({ id: 1, error: { code: -32022 } });
      expect(answer.headers.get("mcp-session-id")).toBeNull();
    }
  });

  it("reports why the server cannot be started", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {} };
    const answer = await post(touchstone.url("absent"), request(7, "initialize", params));
    expect(JSON.parse(answer.text).id).toBe(7);
    expect(answer.text).toMatch(/cannot start .*no-such-command-here.*command not found/);
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  });

  it("answers pending requests when the server crashes, then ends", async () => {
    const url = touchstone.url("crashing");
    const headers = await initialize(url);
    const answer = await post(url, call("c"), headers);
    expect(JSON.parse(answer.text)).toMatchObject({
      id: "c",
      error: { code: -32603, message: "touchstone: the server exited with code 9" },
    });
    await touchstone.line(/crashing: server exited with code 9/);
    expect((await post(url, request(2, "ping"), headers)).status).toBe(404);
    const [record] = await touchstone.records({ server: "crashing", type: "tool_call" });
    expect(record).toMatchObject({ status: "error", reason: "the server exited with code 9" });
  });

  it("waits longer each time before it restarts a server that fails at startup", long, async () => {
    const url = touchstone.url("dying");
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} };
    const begin = () => post(url, request(7, "initialize", params));
    const answer = await begin();
    expect(JSON.parse(answer.text)).toMatchObject({
      id: 7,
      error: { code: -32603, message: "touchstone: the server exited with code 3" },
    });
    await touchstone.line(/dying: server exited with code 3/);
    const soon = await begin();
    expect([soon.status, soon.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(soon.text).toMatch(/"id":7.*the server crashed and is started again in 1 s/);
    const record = (await touchstone.records({ server: "dying" })).at(-1);
    expect(record).toMatchObject({ type: "server_change", status: "rejected" });
    await expect.poll(async () => (await begin()).status, { interval: 50 }).toBe(200);
  });

  it("ends the response to an abandoned request when it ends", async () => {
    const url = touchstone.url("silent");
    const headers = await initialize(url);
    const open = post(url, call("s"), headers);
    await expect.poll(() => readFileSync(at("in"), "utf8"), { interval: 5 }).toContain('"id":"s"');
    await end("silent", headers);
    expect(await open).toMatchObject({ status: 200, text: "" });
    const [record] = await touchstone.records({ server: "silent", type: "tool_call" });
    expect(record).toMatchObject({ status: "error", reason: "the server exited with code 0" });
  });

  it("ends the response to a canceled request that the server never answers", async () => {
    const url = touchstone.url("silent");
    const headers = await initialize(url);
    const open = post(url, call("gone"), headers);
    const sent = () => readFileSync(at("in"), "utf8");
    await expect.poll(sent, { interval: 5 }).toContain('"id":"gone"');
    const cancellation = (requestId: string) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId },
    });
    expect((await post(url, cancellation("other"), headers)).status).toBe(202);
    expect((await post(url, cancellation("gone"), headers)).status).toBe(202);
    const { status, headers: got, text } = await open;
    expect([status, got.get("content-type"), text]).toEqual([200, "text/event-stream", ""]);
    await expect.poll(sent, { interval: 5 }).toContain('"requestId":"gone"');
    await end("silent", headers);
    const records = await touchstone.records({ server: "silent", type: "tool_call" });
    const reasons = records.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === "canceled by the client")).toHaveLength(1);
  });

  it("ends the response to a batch when its last request is canceled", async () => {
    const url = touchstone.url("silent");
    const headers = await initialize(url, "2025-03-26");
    const open = post(url, [call("part-1"), call("part-2")], headers);
    const sent = () => readFileSync(at("in"), "utf8");
    await expect.poll(sent, { interval: 5 }).toContain('"id":"part-2"');
    let ended = false;
    void open.then(() => {
      ended = true;
    });
    const method = "notifications/cancelled";
    await post(url, { jsonrpc: "2.0", method, params: { requestId: "part-1" } }, headers);
    await post(url, request("after", "ping"), headers);
    expect(ended).toBe(false);
    await post(url, { jsonrpc: "2.0", method, params: { requestId: "part-2" } }, headers);
    expect(await open).toMatchObject({ status: 200, text: "" });
    await end("silent", headers);
  });

  it("answers both of two requests with the same id", async () => {
    const url = touchstone.url("progress");
    const headers = await initialize(url);
    const answers = await Promise.all([post(url, call(1), headers), post(url, call(1), headers)]);
    expect(answers.map(({ messages }) => JSON.parse(messages.at(-1) ?? "").id)).toEqual([1, 1]);
    await end("progress", headers);
  });
});

describe("server messages", () => {
  it("come on the request's stream before its response", async () => {
    const url = touchstone.url("progress");
    const headers = await initialize(url);
    const { messages } = await post(
      url,
      call(1, "work", { n: 1 }, { progressToken: "t" }),
      headers,
    );
    const parsed = messages.map((text) => JSON.parse(text));
    expect(parsed.map(({ params }) => params?.progress)).toEqual([1, 2, 3, undefined]);
    expect(parsed.at(-1).id).toBe(1);
    await end("progress", headers);
  });

  it("include requests, which the client answers with its own POST", async () => {
    const url = touchstone.url("asking");
    const headers = await initialize(url);
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(call(1)),
    });
    let seen = "";
    let answered = false;
    for await (const chunk of response.body ?? []) {
      seen += Buffer.from(chunk).toString();
      if (answered || !seen.includes('"ask-1"')) continue;
      answered = true;
      const answer = '{"jsonrpc":"2.0","id":"ask-1","result":{"roots":[]}}';
      expect((await post(url, answer, headers)).status).toBe(202);
    }
    const last = /data: (.*)$/.exec(seen.trim())?.[1] ?? "";
    expect(JSON.parse(last).result.content[0].text).toContain('"result":{"roots":[]}');
    await end("asking", headers);
  });

  it("do not wait after a response that is not JSON", async () => {
    const url = touchstone.url("asking");
    const headers = await initialize(url);
    const written = (): string => readFileSync(at("asking-out"), "utf8");
    const before = written().length;
    const open = post(url, call(1), headers);
    const cut = '{"jsonrpc":"2.0","id":"ask-1","result":{}} x';
    await expect.poll(() => written().slice(before), { interval: 5 }).toContain("ask-1");
    const { status, text } = await post(url, cut, headers);
    expect([status, JSON.parse(text).error.code]).toEqual([400, -32700]);
    const last = (await open).messages.at(-1) ?? "";
    expect(JSON.parse(last).result.content[0].text).toContain("Blocked by touchstone");
    await end("asking", headers);
  });

  it("come on the GET stream if no request is pending, even those from before", async () => {
    const url = touchstone.url("noting");
    const headers = await initialize(url);
    const { messages } = await post(url, request(1, "ping"), headers);
    expect(messages).toHaveLength(2);
    const first = await fetch(url, { headers });
    expect(first.headers.get("content-type")).toBe("text/event-stream");
    // A newer stream takes the place of the older one, which ends.
    const second = await fetch(url, { headers });
    const nothing = /^id: \d+-\d+\ndata:\n\n$/;
    expect(await first.text()).toMatch(nothing);
    await end("noting", headers);
    expect(await second.text()).toMatch(nothing);
  });
});

describe("strict", () => {
  it("blocks an invalid call before the server sees it", async () => {
    const url = touchstone.url("strict");
    const headers = await initialize(url);
    const before = calls().length;
    const { text } = await post(url, call(1, "get_weather", { city: 5 }), headers);
    expect(JSON.parse(text)).toMatchObject({ id: 1, result: { isError: true } });
    expect(calls()).toHaveLength(before);
    await end("strict", headers);
  });

  it("refuses a body that is not a message", async () => {
    const url = touchstone.url("strict");
    const headers = await initialize(url);
    const { status, text } = await post(url, '{"jsonrpc":"2.0"}', headers);
    expect([status, JSON.parse(text).error.code]).toEqual([400, -32600]);
    await end("strict", headers);
  });

  it("answers the invalid items of a batch itself, and the server the rest", async () => {
    const url = touchstone.url("strict");
    const headers = await initialize(url, "2025-03-26");
    const city = (id: number, name: unknown) => call(id, "get_weather", { city: name });
    const before = calls().length;
    const { messages } = await post(url, [city(1, "Rome"), city(2, 5), city(3, "Berlin")], headers);
    const answers = messages.flatMap((text) => JSON.parse(text)) as {
      id: number;
      result: object;
    }[];
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    expect(
      answers
        .filter(({ result }) => "isError" in result)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([2, 3]);
    expect(
      calls()
        .slice(before)
        .map((line) => JSON.parse(line).arguments.city),
    ).toEqual(["Rome", "Berlin"]);
    await end("strict", headers);
  });

  it("answers the invalid items of a batch, and its requests as well", async () => {
    const url = touchstone.url("strict");
    const headers = await initialize(url, "2025-03-26");
    const good = request(21, "tools/call", { name: "get_weather", arguments: { city: "Oslo" } });
    const { messages } = await post(url, [1, 2, good, request(22, "ping")], headers);
    const answers = messages.flatMap((text) => JSON.parse(text) as { id: unknown });
    expect(answers.map(({ id }) => id).sort()).toEqual([21, 22, null, null]);
  });

  it(
    "forwards a batch whose checks and records take many turns whole and in order",
    long,
    async () => {
      const url = touchstone.url("strict");
      const headers = await initialize(url, "2025-03-26");
      const before = calls().length;
      const ids = Array.from({ length: 200 }, (_, i) => 1_000 + i);
      const city = (id: number) => `${id} ${"x".repeat(20_000)}`;
      const batch = ids.map((id) => call(id, "get_weather", { city: city(id) }));
      const { messages } = await post(url, batch, headers);
      const answers = messages.flatMap((text) => JSON.parse(text) as { id: number });
      expect(answers.map(({ id }) => id)).toEqual(ids);
      const sent = calls().slice(before);
      expect(sent.map((line) => JSON.parse(line).arguments.city)).toEqual(ids.map(city));
      await end("strict", headers);
    },
  );

  it("answers a batch that is not JSON, however large, with one error", async () => {
    const url = touchstone.url("strict");
    const headers = await initialize(url, "2025-03-26");
    const long = JSON.stringify(call(1, "get_weather", { city: "x".repeat(2_000_000) }));
    const { status, text } = await post(
      url,
      `[${long},{"id":2,"method":"ping","params":{]}]`,
      headers,
    );
    expect([status, JSON.parse(text)]).toMatchObject([400, { id: null, error: { code: -32700 } }]);
    await end("strict", headers);
  });

  it("passes a valid batch on as the server answered it", async () => {
    const url = touchstone.url("strict");
    const headers = await initialize(url, "2025-03-26");
    const { text } = await post(url, [request(1, "ping"), request("2", "ping")], headers);
    expect(text).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"2","result":{}}]',
    );
    await end("strict", headers);
  });
});
