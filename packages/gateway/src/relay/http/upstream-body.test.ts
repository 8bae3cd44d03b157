import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BodyTooLargeError } from "../../transport/http/body.ts";
import { IncomingBody, StreamBody } from "../../transport/http/upstream-body.ts";
import { UpstreamCall, type UpstreamResponse } from "../../transport/http/upstream-call.ts";
import { UpstreamClient } from "./upstream.ts";

/** A connection as undici shows it: nothing comes while it is paused. */
function connection() {
  const seen = { paused: false, aborted: false };
  const controller = {
    pause() {
      seen.paused = true;
    },
    resume() {
      seen.paused = false;
    },
    abort() {
      seen.aborted = true;
    },
  };
  return { seen, body: new IncomingBody(controller) };
}

const sizes = fc.array(fc.integer({ min: 1, max: 50_000 }), { maxLength: 8 });

describe("an incoming body", () => {
  it("has the bytes that were sent, whenever it is read, and is bounded until then", async () => {
    const asked = fc.constantFrom("before", "after", "stream", "pieces" as const);
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(8), asked, async (lengths, at, how) => {
        const { seen, body } = connection();
        const chunks = lengths.map((length, i) => Buffer.alloc(length, i));
        const all = Buffer.concat(chunks);
        const ask = async (): Promise<Buffer> => {
          if (how === "stream") return Buffer.concat(await body.stream().toArray());
          if (how !== "pieces") return Buffer.from(await body.whole(all.length));
          const got: Uint8Array[] = [];
          for await (const piece of body.pieces()) got.push(piece);
          return Buffer.concat(got);
        };
        let answer: Promise<Buffer> | undefined;
        let size = 0;
        for (const [i, chunk] of chunks.entries()) {
          if (i === at && how !== "after") answer ??= ask();
          if (seen.paused) answer ??= ask();
          expect(answer === undefined && seen.paused).toBe(false);
          body.take(chunk);
          size += chunk.length;
          if (answer === undefined) expect(seen.paused).toBe(size > 65_536);
        }
        body.end();
        expect((await (answer ?? ask())).equals(all)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("can have exactly the size of the limit", async () => {
    for (const early of [true, false]) {
      const { seen, body } = connection();
      if (early) body.take(Buffer.alloc(10));
      const whole = body.whole(10);
      if (!early) body.take(Buffer.alloc(10));
      expect(seen.paused).toBe(false);
      body.take(Buffer.alloc(1));
      await expect(whole).rejects.toMatchObject({ name: "BodyTooLargeError", limit: 10, size: 11 });
      expect(seen.paused).toBe(true);
      await expect(body.whole(10)).rejects.toThrow(BodyTooLargeError);
    }
  });

  it("that was cut off fails for every reader", async () => {
    const half = (): IncomingBody => {
      const { body } = connection();
      body.take(Buffer.from("half"));
      body.fail(new Error("broke"));
      return body;
    };
    const pieces = half().pieces()[Symbol.asyncIterator]();
    expect(await pieces.next()).toMatchObject({ done: false });
    await expect(pieces.next()).rejects.toThrow("broke");
    await expect(half().peek(100)).rejects.toThrow("broke");
    await expect(half().stream().toArray()).rejects.toThrow("broke");
    await expect(half().whole(100)).rejects.toThrow("broke");
  });

  it("resumes when its next chunk is requested", async () => {
    const { seen, body } = connection();
    body.take(Buffer.alloc(70_000));
    expect(seen.paused).toBe(true);
    const pieces = body.pieces()[Symbol.asyncIterator]();
    await pieces.next();
    const next = pieces.next();
    expect(seen.paused).toBe(false);
    body.take(Buffer.from("more"));
    expect((await next).value?.length).toBe(4);
  });

  it("closes its connection on discard only if it is incomplete", () => {
    for (const [finish, aborted] of [
      [() => {}, true],
      [(body: IncomingBody) => body.end(), false],
      [(body: IncomingBody) => body.fail(new Error("broke")), false],
    ] as const) {
      const { seen, body } = connection();
      finish(body);
      body.discard();
      expect(seen.aborted).toBe(aborted);
    }
  });
});

it("destroys the stream of a compressed body on discard", async () => {
  const stream = new Readable({ read() {}, destroy: (_, done) => done(new Error("broke")) });
  const closed = new Promise((resolve) => stream.once("close", resolve));
  new StreamBody(stream).discard();
  await closed;
});

describe("a call of the server", () => {
  let server: Server;
  let client: UpstreamClient;
  let answer: (response: ServerResponse, request: IncomingMessage) => void;

  beforeEach(async () => {
    server = createServer((request, response) => answer(response, request));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp?key=a`;
    client = new UpstreamClient({ type: "http", url, headers: {} }, 1 << 20);
  });

  afterEach(async () => {
    await client.close();
    await new Promise((resolve) => server.close(resolve));
  });

  const send = (call = new UpstreamCall()): Promise<UpstreamResponse> =>
    client.send({ method: "POST", headers: {}, body: Buffer.from("{}") }, call);

  it("uses the path and query of the URL", async () => {
    answer = (response, { url }) => response.end(url);
    const { body } = await send();
    expect(Buffer.from(await body.whole(100)).toString()).toBe("/mcp?key=a");
  });

  it("fails if the response breaks off, after its first part", async () => {
    answer = (response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("half", () => response.destroy());
    };
    const whole = await send();
    await expect((async () => whole.body.whole(100))()).rejects.toThrow(/closed/);
    for (const how of ["stream", "pieces"] as const) {
      const { body } = await send();
      let got = "";
      const read = (async () => {
        for await (const chunk of body[how]()) got += Buffer.from(chunk).toString();
      })();
      await expect(read).rejects.toThrow(/closed/);
      expect(got).toBe("half");
    }
  });

  it("closes its connection when its reader leaves", async () => {
    for (const how of ["stream", "pieces"] as const) {
      const left = new Promise<void>((resolve) => {
        answer = (response) => {
          response.once("close", resolve);
          response.write("x");
        };
      });
      const { body } = await send();
      for await (const _piece of body[how]()) break;
      await left;
    }
  });

  it("closes its connection on abort, before and during the response", async () => {
    for (const begins of [false, true]) {
      const call = new UpstreamCall();
      const left = new Promise<void>((resolve) => {
        answer = (response) => {
          response.once("close", resolve);
          if (begins) response.write("x");
          else call.abort();
        };
      });
      if (begins) {
        const { body } = await send(call);
        call.abort();
        await expect((async () => body.whole(100))()).rejects.toThrow("given up");
      } else await expect(send(call)).rejects.toThrow("the client closed the connection");
      await left;
      expect(call.aborted).toBe(true);
    }
  });

  it("is not sent if it was aborted before it had a connection", async () => {
    let asked = 0;
    answer = (response) => {
      asked += 1;
      response.end();
    };
    const call = new UpstreamCall();
    call.abort();
    await expect(send(call)).rejects.toThrow("the client closed the connection");
    await expect(send(UpstreamCall.until(AbortSignal.abort()))).rejects.toThrow("closed");
    await send();
    expect(asked).toBe(1);
  });

  it("ignores an abort after its response", async () => {
    answer = (response) => response.end("all");
    const call = new UpstreamCall();
    const { body } = await send(call);
    expect(Buffer.from(await body.whole(100)).toString()).toBe("all");
    call.abort();
    expect(call.aborted).toBe(false);
  });

  it("skips early hints", async () => {
    answer = (response) => {
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.end("answer");
    };
    const { statusCode, body } = await send();
    expect(statusCode).toBe(200);
    expect(Buffer.from(await body.whole(100)).toString()).toBe("answer");
  });

  it("leaves no listener on a long-lived signal", async () => {
    answer = (response) => response.end();
    const { signal } = new AbortController();
    let listening = 0;
    const { addEventListener: add, removeEventListener: remove } = signal;
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listening += 1;
      add.apply(signal, given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listening -= 1;
      remove.apply(signal, given);
    };
    const { body } = await send(UpstreamCall.until(signal));
    await body.whole(100);
    expect(listening).toBe(0);
  });
});
