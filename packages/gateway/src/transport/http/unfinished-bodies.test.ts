import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { createLogger } from "../../../../util/src/log.ts";
import { parseConfig } from "../../config/load.ts";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { modern, post } from "../../testing/http.ts";
import {
  type ArrivingBody,
  BodyRefusedError,
  type BodyTimes,
  UnfinishedBodies,
} from "./unfinished-bodies.ts";

const SERVER = { command: process.execPath, args: [SCRIPTED_SERVER] };
const KIB = 1024;
/** Callers with keys. */
const NAMES = ["ann", "bob", "cat", "dan", "eve", "fay"];
const keyOf = (name: string): string => `key-of-${name}-0123456789`;

/** Everything that reads the body of a request. */
const READERS: Readonly<Record<string, string>> = {
  MCP: "/mcp/one",
  "a call of the tool API": "/servers/one/tools/work/call",
  "a validation of the tool API": "/servers/one/tools/work/validate",
  "a batch of the tool API": "/servers/one/validate",
  "POST /api/v1/check": "/api/v1/check",
};

let touchstone: TestGateway;
afterEach(() => touchstone.close());

const settings = (limits: object): object => ({
  mcpServers: { one: SERVER },
  auth: { keys: NAMES.map((name) => ({ name, key: keyOf(name) })) },
  http: { allow_execute: true },
  limits,
});

async function started(limits: object, bodyTimes?: BodyTimes): Promise<void> {
  touchstone = await startTestGateway(settings(limits), undefined, { bodyTimes });
  // The tool API requests the tools before it reads a body.
  const headers = { "x-api-key": keyOf("ann") };
  const listed = await fetch(`http://127.0.0.1:${touchstone.gateway.port}/servers/one/tools`, {
    headers,
  });
  expect(listed.status).toBe(200);
}

/** A request whose body stays unfinished. */
interface Unfinished {
  readonly socket: Socket;
  /** Resolves, once a response has begun, to everything received so far. */
  readonly answered: Promise<string>;
  /** Resolves, once the connection has ended, to everything that was received. */
  readonly ended: Promise<string>;
}

/** Sends the head of a request and a part of its body. */
function begin(path: string, name: string, bytes: number, declared = 10_000_000): Unfinished {
  const socket = connect(touchstone.gateway.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const ended = once(socket, "close").then(() => text);
  const answered = once(socket, "data").then(() => text);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${keyOf(name)}\r\n` +
      "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
      `Content-Length: ${declared}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(bytes, " "));
  return { socket, answered, ended };
}

const call = modern("tools/call", { name: "work", arguments: { n: 1 } });
const calls = async (name: string): Promise<number> =>
  (await post(touchstone.url("one"), call.body, { ...call.headers, "x-api-key": keyOf(name) }))
    .status;

describe.each(Object.entries(READERS))("the body of a request: %s", (_, path) => {
  const [first] = Object.values(READERS);
  const ofOne = path === first ? {} : long;

  it.each<[string, BodyTimes, string]>([
    [
      "stops",
      { idle: 50, whole: 60_000, rate: 65_536, check: 10 },
      "no byte of it came for 0.05 s",
    ],
    [
      "arrives too slowly",
      { idle: 60_000, whole: 50, rate: 1_000_000, check: 10 },
      "it takes longer than 0.05 s and its size at 1000000 bytes/s",
    ],
  ])("gets 408 and the end of the connection if it %s", async (_name, times, why) => {
    await started({}, times);
    const text = await begin(path, "ann", 10).ended;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain(why);
    expect(text).not.toContain("internal error");
  });

  it("gets 503 beyond its caller's share, while other callers work", ofOne, async () => {
    await started({ unfinished_bytes: 512 * KIB, request_bytes: 256 * KIB });
    const bodies = [1, 2, 3].map(() => begin(path, "ann", 130 * KIB, 250 * KIB));
    const text = await Promise.race(bodies.map(({ answered }) => answered));
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toMatch(/\r\nretry-after: 5\r\n/i);
    expect(text).toContain("of this caller wait (limits.unfinished_bytes)");
    // Small bodies do not count toward the share of an address, because others may use the same one.
    expect([await calls("bob"), await calls("ann")]).toEqual([200, 200]);
    expect(touchstone.lines.join("\n")).toContain("a request is refused");
  });
});

describe("request bodies of all callers", () => {
  it(
    "share one bound, over all that reads bodies, and small ones of others still pass",
    long,
    async () => {
      await started({ unfinished_bytes: 800 * KIB, request_bytes: 256 * KIB });
      const paths = Object.values(READERS);
      const bodies = NAMES.slice(1).map((name, i) =>
        begin(paths[i % paths.length] as string, name, 200 * KIB, 250 * KIB),
      );
      const text = await Promise.race(bodies.map(({ answered }) => answered));
      expect(text).toMatch(/^HTTP\/1\.1 503 /);
      expect(text).toContain("of all callers wait");
      expect(await calls("ann")).toBe(200);
    },
  );

  it("make room when they are whole, and when their clients leave", async () => {
    await started({ unfinished_bytes: 300 * KIB, request_bytes: 256 * KIB });
    const text = JSON.stringify({ ...JSON.parse(call.body), pad: "x".repeat(200 * KIB) });
    for (let i = 0; i < 10; i += 1) {
      const headers = { ...call.headers, "content-type": "application/json" };
      const sent = await fetch(touchstone.url("one"), {
        method: "POST",
        body: text,
        headers: { ...headers, "x-api-key": keyOf("ann") },
      });
      expect(sent.status).not.toBe(503);
      await sent.text();
      begin("/mcp/one", "ann", 10, 250 * KIB).socket.end();
    }
    expect(await calls("ann")).toBe(200);
  });

  it("are bounded by the limit in force", long, async () => {
    await started({ request_bytes: 1024 * KIB });
    const config = parseConfig(
      JSON.stringify({
        ...settings({ unfinished_bytes: 1024 * KIB, request_bytes: 1024 * KIB }),
        listen: { address: "127.0.0.1:0" },
      }),
      { file: "touchstone.json", env: {} },
    );
    await touchstone.gateway.reload(config);
    const first = begin("/mcp/one", "ann", 900 * KIB, 1000 * KIB);
    const second = begin("/mcp/one", "bob", 900 * KIB, 1000 * KIB);
    expect(await Promise.race([first.answered, second.answered])).toContain("of all callers");
  });
});

describe("a holder of unfinished bodies", () => {
  const callers = new WeakMap<IncomingMessage, string>();
  const requestOf = (remoteAddress: string, caller?: string) => {
    const request = { socket: { remoteAddress } } as IncomingMessage;
    if (caller !== undefined) callers.set(request, caller);
    return request;
  };
  const A = "203.0.113.7";
  it.each<[string, IncomingMessage, IncomingMessage, boolean]>([
    ["the same address", requestOf(A), requestOf(A), true],
    ["two addresses", requestOf(A), requestOf("203.0.113.8"), false],
    ["two callers at one address", requestOf(A, "ann"), requestOf(A, "bob"), false],
    ["a caller and an address", requestOf(A, "ann"), requestOf(A), false],
    ["one caller at two addresses", requestOf(A, "ann"), requestOf("203.0.113.8", "ann"), true],
    ["one IPv6 network", requestOf("2001:db8::1"), requestOf("2001:db8:0:0:5:6:7:8"), true],
    ["one IPv6 network", requestOf("2001:db8:1:2::1"), requestOf("2001:db8:1:2:ffff::"), true],
    ["two IPv6 networks", requestOf("2001:db8:1:2::1"), requestOf("2001:db8:1:3::1"), false],
    ["IPv4 in IPv6", requestOf("::ffff:203.0.113.7"), requestOf("::ffff:203.0.113.8"), false],
  ])("is found: %s", (_, one, other, isSame) => {
    const bodies = new UnfinishedBodies({
      limits: { unfinishedBytes: 2_100_000, requestBytes: 1_000_000 },
      callerOf: (request) => callers.get(request),
      log: createLogger(() => {}, "silent"),
    });
    expect(bodies.begin(one, 1_000_000).take(900_000)).toBeUndefined();
    const refused = bodies.begin(other, 1_000_000).take(900_000);
    if (isSame) expect(refused).toBeInstanceOf(BodyRefusedError);
    else expect(refused).toBeUndefined();
  });

  it("leaves room for large bodies of others, however many small ones it has", () => {
    const bodies = new UnfinishedBodies({
      limits: { unfinishedBytes: 4_000_000, requestBytes: 500_000 },
      callerOf: (request) => callers.get(request),
      log: createLogger(() => {}, "silent"),
    });
    const refused = Array.from({ length: 200 }, () => {
      try {
        return bodies.begin(requestOf(A, "ann"), 500_000).take(60_000) !== undefined;
      } catch (error) {
        return error instanceof BodyRefusedError;
      }
    });
    expect([refused[0], refused.at(-1)]).toEqual([false, true]);
    expect(bodies.held).toBeLessThanOrEqual(3_000_000);
    expect(bodies.begin(requestOf(A, "bob"), 500_000).take(500_000)).toBeUndefined();
    // Every caller has room for a small body.
    expect(bodies.begin(requestOf(A, "cat"), 500_000).take(60_000)).toBeUndefined();
  });

  it("is at most twice the bound, of however many callers", () => {
    const limits = { unfinishedBytes: 2_000_000, requestBytes: 500_000 };
    const bodies = new UnfinishedBodies({
      limits,
      callerOf: (request) => callers.get(request),
      log: createLogger(() => {}, "silent"),
    });
    const taken = Array.from({ length: 300 }, (_, n) => {
      try {
        const body = bodies.begin(requestOf(`2001:db8:${n.toString(16)}::1`), 500_000);
        return body.take(60_000) === undefined;
      } catch (error) {
        if (error instanceof BodyRefusedError) return false;
        throw error;
      }
    });
    expect(bodies.held).toBeLessThanOrEqual(4_000_000);
    expect(taken.filter(Boolean).length).toBe(Math.floor(4_000_000 / 76_384));
  });

  it("counts what its open bodies hold, within its bounds, and nothing of those that ended", () => {
    const step = fc.record({
      what: fc.constantFrom("begin", "take", "end", "give up"),
      who: fc.nat(3),
      which: fc.nat(50),
      bytes: fc.integer({ min: 1, max: 400_000 }),
    });
    const limits = { unfinishedBytes: 2_000_000, requestBytes: 500_000 };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const bodies = new UnfinishedBodies({
          limits,
          callerOf: (request) => callers.get(request),
          log: createLogger(() => {}, "silent"),
        });
        const open: { readonly who: number; readonly body: ArrivingBody }[] = [];
        const begun = (who: number): void => {
          try {
            open.push({
              who,
              body: bodies.begin(requestOf(A, `caller ${who}`), limits.requestBytes),
            });
          } catch (error) {
            expect(error).toBeInstanceOf(BodyRefusedError);
          }
        };
        for (const { what, who, which, bytes } of steps) {
          const at = open.length === 0 ? -1 : which % open.length;
          const held = open[at];
          if (what === "begin" || held === undefined) begun(who);
          // The reader of a body ends it if it is refused.
          else if (what !== "take" || held.body.take(bytes) !== undefined) {
            if (what === "give up") held.body.giveUp("test");
            held.body.end();
            open.splice(at, 1);
          }
          const sums = [0, 1, 2, 3].map((caller) =>
            open.reduce((sum, each) => sum + (each.who === caller ? each.body.held : 0), 0),
          );
          expect(bodies.held).toBe(sums.reduce((a, b) => a + b, 0));
          expect(Math.max(...sums)).toBeLessThanOrEqual(1_500_000);
          expect(bodies.held).toBeLessThanOrEqual(limits.unfinishedBytes + 4 * 81_920);
        }
        for (const { body } of open) body.end();
        expect(bodies.held).toBe(0);
      }),
    );
  });

  it("holds nothing once its bodies have ended", () => {
    const bodies = new UnfinishedBodies({
      limits: { unfinishedBytes: 1_000_000, requestBytes: 1_000 },
      callerOf: (request) => callers.get(request),
      log: createLogger(() => {}, "silent"),
    });
    for (let i = 0; i < 1_000; i += 1) {
      const body = bodies.begin(requestOf(A, `caller ${i % 7}`), 1_000);
      body.take(i);
      // Bytes over the limit of a body are not kept.
      body.take(700);
      body.end();
    }
    expect(bodies.held).toBe(0);
  });
});
