import { Readable } from "node:stream";
import zlib from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpUpstreamServer,
  initialize,
  post,
  request,
  startHttpUpstream,
} from "../../testing/http.ts";
import {
  BodyTooLargeError,
  CONTENT_CODINGS,
  decodedBody,
  readBody,
  unsupportedCharset,
} from "./body.ts";

const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (data: Uint8Array) => Buffer };
const ENCODERS: Readonly<Record<string, (data: Uint8Array) => Buffer>> = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  ...(zstdCompressSync === undefined ? {} : { zstd: zstdCompressSync }),
};

const read = async (data: Uint8Array, header: string | undefined, limit = 1 << 20) => {
  const stream = decodedBody(Readable.from([data]), header);
  if (stream === undefined) throw new Error("not known");
  return Buffer.from(await readBody(stream, limit)).toString();
};

describe("content codings", () => {
  it.each(Object.keys(ENCODERS))("decode %s", async (coding) => {
    expect(CONTENT_CODINGS).toContain(coding);
    const data = ENCODERS[coding]?.(Buffer.from("text")) ?? Buffer.alloc(0);
    expect(await read(data, coding.toUpperCase())).toBe("text");
  });

  it("decode several, the last one first", async () => {
    const data = zlib.brotliCompressSync(zlib.gzipSync("text"));
    expect(await read(data, "gzip, identity ,br")).toBe("text");
  });

  it.each([undefined, "", "identity", " , Identity"])("accept as none: %s", (header) => {
    const body = Readable.from([]);
    expect(decodedBody(body, header)).toBe(body);
  });

  it.each(["compress", "gzip, rot13", "gzip,gzip,gzip,gzip"])(
    "reject unknown ones: %s",
    (header) => {
      expect(decodedBody(Readable.from([]), header)).toBeUndefined();
    },
  );

  it("limit the decoded size", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(8 << 20));
    expect(bomb.length).toBeLessThan(10_000);
    await expect(read(bomb, "gzip", 100_000)).rejects.toThrow(BodyTooLargeError);
  });

  it("fail on truncated or invalid data", async () => {
    const whole = zlib.gzipSync("a text that is long enough to be cut");
    await expect(read(whole.subarray(0, -9), "gzip")).rejects.toThrow();
    await expect(read(Buffer.from("no gzip"), "gzip")).rejects.toThrow();
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array(),
        fc.constantFrom(...CONTENT_CODINGS),
        async (data, coding) => void (await read(data, coding).catch(() => {})),
      ),
      { numRuns: 50 },
    );
  });
});

it.each([
  [undefined, undefined],
  ["application/json", undefined],
  ["application/json; charset=utf-8", undefined],
  ['application/json;charset="UTF-8"', undefined],
  ["application/json; charset=utf8", undefined],
  ["text/event-stream; charset=us-ascii", undefined],
  ["application/json; charset=utf-16le", "utf-16le"],
  ["application/json; Charset=ISO-8859-1; x=y", "iso-8859-1"],
  ["application/json; charset=", ""],
  ["application/json; charset=utf-8; charset=utf-7", "utf-7"],
  ['application/json; a="; charset=utf-8"; charset=utf-7', "utf-7"],
  ["application/json; charset*=utf-7''x", "utf-7''x"],
  ["application/json; charset =utf-8,utf-7", "utf-8,utf-7"],
])("finds the charset of %s if it is not UTF-8", (type, expected) => {
  expect(unsupportedCharset(type)).toBe(expected);
});

describe("a server's compressed response", () => {
  const WRONG = '{"content":[],"structuredContent":{ "n":"one" }}';
  const INTEGER = { type: "object", properties: { n: { type: "integer" } } };
  const TOOLS = JSON.stringify([{ name: "work", inputSchema: {}, outputSchema: INTEGER }]);
  let upstream: HttpUpstreamServer;
  let touchstone: TestGateway;

  beforeAll(async () => {
    upstream = await startHttpUpstream(({ body }, response) => {
      const { id, method, params } = JSON.parse(body);
      const how: string = params?.arguments?.how ?? "gzip";
      const session = { "mcp-session-id": "s" };
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const result =
        method === "initialize"
          ? '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}'
          : method === "tools/list"
            ? `{"tools":${TOOLS}}`
            : WRONG;
      const text = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
      const coding = how.replace("-stream", "");
      const type = how.endsWith("-stream") ? "text/event-stream" : "application/json";
      const content = how.endsWith("-stream") ? Buffer.from(`data: ${text}\n\n`) : text;
      const encoded = ENCODERS[coding]?.(content) ?? content;
      response.writeHead(200, { "content-type": type, "content-encoding": coding, ...session });
      response.end(encoded);
    });
    const entry = (mode: string) => ({
      url: upstream.url,
      touchstone: { output_validation: { mode } },
    });
    touchstone = await startTestGateway({
      mcpServers: { warn: entry("warn"), strict: entry("strict") },
    });
  });
  afterAll(async () => {
    await touchstone.close();
    await upstream.close();
  });

  const call = async (server: string, how: string) => {
    const url = touchstone.url(server);
    const work = request(7, "tools/call", { name: "work", arguments: { how } });
    return post(url, work, await initialize(url));
  };

  it.each(["gzip", "br-stream", "deflate"])(
    "is checked, and decoded for the client: %s",
    async (how) => {
      const passed = await call("warn", how);
      expect(passed.headers.get("content-encoding")).toBeNull();
      expect(passed.messages).toEqual([`{"jsonrpc":"2.0","id":7,"result":${WRONG}}`]);
      const blocked = await call("strict", how);
      expect(blocked.text).toContain("output schema validation failed");
    },
  );

  it("is an error if the encoding is unknown", async () => {
    const { status, text } = await call("warn", "rot13");
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({ id: 7, error: { code: -32603 } });
    expect(text).toContain('content encoding \\"rot13\\", which cannot be decoded');
  });
});
