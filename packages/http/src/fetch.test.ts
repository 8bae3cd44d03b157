import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createHandler, type Fault, type ToolCallHandler, type UIConfig } from "./index.ts";
import { post, TOOLS } from "./testing/fixtures.ts";

const ORIGIN = "http://localhost";
const handleCall: ToolCallHandler = () => [[], false];
const stream = (source: UnderlyingDefaultSource): RequestInit =>
  ({ method: "POST", body: new ReadableStream(source), duplex: "half" }) as RequestInit;

function make(options: UIConfig = {}) {
  const handler = createHandler(TOOLS, handleCall, options);
  return (path: string, init?: RequestInit, prefix?: string) =>
    handler(new Request(ORIGIN + path, init), prefix);
}

describe("createHandler", () => {
  it("is mounted at the prefix of its option or its argument", async () => {
    const plain = make();
    const prefixed = make({ prefix: "/a/" });
    expect((await plain("/tools")).status).toBe(200);
    expect((await plain("/x/tools", {}, "/x")).status).toBe(200);
    expect((await plain("/tools", {}, "/x")).status).toBe(404);
    expect((await prefixed("/a/tools")).status).toBe(200);
    expect((await prefixed("/a")).status).toBe(200);
    expect((await prefixed("/ab/tools")).status).toBe(404);
    expect((await prefixed("/b/tools", {}, "b/")).status).toBe(200);
    // Frameworks pass their own environment or context as a further argument.
    expect((await prefixed("/a/tools", {}, { env: 1 } as never)).status).toBe(200);
  });

  it.each(["/tools", "/openapi.json", "/nowhere"])(
    "protects %s from caches, frames and other origins",
    async (path) => {
      const { headers } = await make()(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
    },
  );

  it("reports that the body was already read", async () => {
    const handler = createHandler(TOOLS, handleCall);
    const used = new Request(`${ORIGIN}/tools/open/validate`, post("{}"));
    await used.text();
    const locked = new Request(`${ORIGIN}/tools/open/validate`, post("{}"));
    const reader = locked.body?.getReader();
    for (const request of [used, locked]) {
      const response = await handler(request);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("the body was read before it came here");
    }
    reader?.releaseLock();
  });

  it("returns 400 for a body that fails or has no bytes", async () => {
    const send = make();
    const fails = stream({ pull: (controller) => controller.error(new Error("cut at /srv/x")) });
    const nonsense = stream({
      start(controller) {
        controller.enqueue(5);
        controller.close();
      },
    });
    for (const init of [fails, nonsense]) {
      const response = await send("/tools/open/validate", init);
      expect(response.status).toBe(400);
      expect(await response.text()).not.toContain("/srv");
    }
  });

  it("stops reading a body at the limit", async () => {
    const pull = vi.fn((controller: ReadableStreamDefaultController) =>
      controller.enqueue(new Uint8Array(1000)),
    );
    const response = await make({ maxBodyBytes: 10_000 })("/tools/open/validate", stream({ pull }));
    expect(response.status).toBe(413);
    expect(pull.mock.calls.length).toBeLessThan(15);
  });

  it("stops when its client leaves, whatever hangs", async () => {
    const never = () => new Promise<never>(() => {});
    const gone = AbortSignal.abort();
    const tools = createHandler(never, handleCall);
    expect((await tools(new Request(`${ORIGIN}/tools`, { signal: gone }))).status).toBe(499);
    const leaving = new AbortController();
    const request = new Request(`${ORIGIN}/tools`, { signal: leaving.signal });
    const answer = tools(request);
    leaving.abort();
    expect((await answer).status).toBe(499);

    const body = new AbortController();
    const slow = make()("/tools/open/validate", { ...stream({}), signal: body.signal });
    body.abort();
    expect((await slow).status).toBeGreaterThanOrEqual(400);
  });

  it("lists issues up to its limit, and counts the rest", async () => {
    const keys = JSON.stringify(
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 1])),
    );
    const tool = { name: "closed", inputSchema: { additionalProperties: false } };
    const handler = createHandler([tool], handleCall, { maxIssues: 10, allowExecute: true });
    const send = async (path: string, body: string) =>
      (await handler(new Request(ORIGIN + path, post(body)))).json();
    const one = await send("/tools/closed/validate", keys);
    expect([one.errors.length, one.truncated]).toEqual([10, 40]);
    const calls = `[{"tool":"closed","arguments":${keys}},{"tool":"closed","arguments":${keys}}]`;
    const many = await send("/validate", `{"calls":${calls}}`);
    expect(many.results.map((result: { errors: [] }) => result.errors.length)).toEqual([10, 1]);
    const { content, isError } = await send("/tools/closed/call", keys);
    expect(isError).toBe(true);
    expect(content[0].text).toMatch(/more issues\./);
    expect(Buffer.byteLength(content[0].text)).toBeLessThan(16_384);
  });

  it("names places as the paths option says", async () => {
    const text = await (
      await make({ paths: "instance" })("/tools/a%2Fb/validate", post("{}"))
    ).json();
    expect(text.errors[0].path).toBe("");
  });

  it("ignores exceptions of a listener", async () => {
    const onFault = vi.fn((_: Fault) => {
      throw new Error("the log is full");
    });
    const failing: ToolCallHandler = () => {
      throw new Error("no");
    };
    const handler = createHandler(TOOLS, failing, { allowExecute: true, onFault });
    const response = await handler(new Request(`${ORIGIN}/tools/open/call`, post("{}")));
    expect(response.status).toBe(500);
    expect(onFault).toHaveBeenCalledOnce();
  });

  it("responds to any request, and never with 5xx to a validation", async () => {
    const called = vi.fn(handleCall);
    const handler = createHandler(TOOLS, called, { allowExecute: true, maxBodyBytes: 1000 });
    const names = fc.oneof(
      fc.constantFrom(...TOOLS.map(({ name }) => encodeURIComponent(name))),
      fc.webSegment(),
      fc.constantFrom("%", "%FF", "..", "%2e%2e", "//"),
    );
    const bodies = fc.oneof(
      fc.json().map((text) => new TextEncoder().encode(text)),
      fc.uint8Array({ maxLength: 1500 }),
    );
    const methods = fc.constantFrom("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "BREW");
    const tails = fc.constantFrom("/validate", "/call", "", "/validate/", "/validate?detail=full");
    await fc.assert(
      fc.asyncProperty(names, bodies, methods, tails, async (name, bytes, method, tail) => {
        called.mockClear();
        const body = method === "GET" || method === "HEAD" ? null : Uint8Array.from(bytes);
        const url = `${ORIGIN}/tools/${name}${tail}`;
        const response = await handler(new Request(url, { method, body }));
        expect(response.status).toBeLessThan(500);
        const text = await response.text();
        // The URL parser removes ".." before the handler gets the path, so the path may lead to the page.
        const isPage = response.headers.get("content-type")?.startsWith("text/html") ?? false;
        if (text !== "" && !isPage) JSON.parse(text);
        expect(called).not.toHaveBeenCalled();
      }),
      { numRuns: 300 },
    );
  });
});
