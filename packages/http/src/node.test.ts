import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import express from "express";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNodeHandler, type ToolCallHandler, type UIConfig } from "./index.ts";
import { post, TOOLS } from "./testing/fixtures.ts";

describe("createNodeHandler", () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
  });
  async function listen(listener: RequestListener): Promise<number> {
    server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }
  const make = (options: UIConfig = {}, handleCall: ToolCallHandler = () => [[], false]) =>
    createNodeHandler(TOOLS, handleCall, options);

  /** Sends raw bytes, and returns the status lines of all responses until the connection ends. */
  async function exchange(port: number, ...parts: readonly string[]): Promise<string[]> {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    for (const part of parts) socket.write(part);
    await once(socket, "close");
    return [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status = ""]) => status);
  }

  it("checks a body that another parser has already read", async () => {
    const app = express();
    app.use("/parsed", express.json({ strict: false }), make());
    app.use("/text", express.text({ type: "*/*" }), make());
    app.use("/bytes", express.raw({ type: "*/*" }), make());
    const port = await listen(app);
    const send = async (mount: string, body: string) => {
      const url = `http://127.0.0.1:${port}/${mount}/tools/draft7/validate`;
      return (await fetch(url, post(body))).json();
    };
    for (const mount of ["parsed", "text", "bytes"]) {
      expect(await send(mount, '{"n":1}')).toEqual({ valid: true });
      expect((await send(mount, "null")).errors[0].keyword).toBe("type");
    }
    const exact = '{"n":9007199254740993.5}';
    expect((await send("text", exact)).valid).toBe(false);
    expect((await send("bytes", exact)).valid).toBe(false);
    // The body parser has already turned the number into an integer.
    expect((await send("parsed", exact)).valid).toBe(true);
  });

  it("accepts any JSON for a tool without a schema, and limits depth for others", async () => {
    const tools = [
      { name: "none", description: "" },
      { name: "open", description: "", inputSchema: {} },
    ];
    const app = express();
    app.use(
      "/default",
      createNodeHandler(tools, () => [[], false]),
    );
    app.use(
      "/deep",
      createNodeHandler(tools, () => [[], false], { maxDepth: 400 }),
    );
    const port = await listen(app);
    const deep = `{"a":${"[".repeat(300)}${"]".repeat(300)}}`;
    const valid = async (path: string) => {
      const url = `http://127.0.0.1:${port}/${path}/validate`;
      return (await (await fetch(url, post(deep))).json()).valid;
    };
    expect(await valid("default/tools/none")).toBe(true);
    expect(await valid("default/tools/open")).toBe(false);
    expect(await valid("deep/tools/open")).toBe(true);
  });

  it("refuses a parsed form, and reads JSON text of any content type", async () => {
    const app = express();
    const calls = vi.fn((): [[], boolean] => [[], false]);
    app.use("/form", express.urlencoded({ extended: true }), make({ allowExecute: true }, calls));
    app.use("/plain", make());
    const port = await listen(app);
    const form = { method: "POST", body: new URLSearchParams({ n: "1" }) };
    const at = (path: string) => `http://127.0.0.1:${port}/${path}`;
    const validated = await fetch(at("form/tools/draft7/validate"), form);
    expect([validated.status, await validated.json()]).toEqual([
      400,
      {
        valid: false,
        errors: [
          {
            path: "",
            message:
              "Invalid JSON: the content type of the body is not JSON; send application/json",
            keyword: "format",
          },
        ],
      },
    ]);
    expect((await fetch(at("form/tools/draft7/call"), form)).status).toBe(415);
    expect(calls).not.toHaveBeenCalled();
    // Validation requires no media type: a JSON text is validated, whatever the header says.
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const text = { method: "POST", body: '{"n":1}', headers };
    expect(await (await fetch(at("plain/tools/draft7/validate"), text)).json()).toEqual({
      valid: true,
    });
    const typed = { ...text, headers: { "content-type": "application/vnd.x+json" } };
    expect((await fetch(at("form/tools/draft7/validate"), typed)).status).toBe(200);
  });

  it("checks a parsed string as a string, not as JSON text", async () => {
    const app = express();
    app.use("/parsed", express.json({ strict: false }), make());
    app.use("/text", express.text({ type: "*/*" }), make());
    const port = await listen(app);
    const send = async (mount: string, body: string) => {
      const url = `http://127.0.0.1:${port}/${mount}/tools/draft7/validate`;
      const response = await fetch(url, post(body));
      return [response.status, (await response.json()).errors[0].path];
    };
    for (const mount of ["parsed", "text"]) {
      expect(await send(mount, '"x"')).toEqual([200, ""]);
      expect(await send(mount, JSON.stringify('{"n":1}'))).toEqual([200, ""]);
      expect(await send(mount, '{"n":"é"}')).toEqual([200, "/n"]);
    }
  });

  it("treats the empty object of a parser without a body as no body", async () => {
    const app = express();
    app.use("/parsed", express.json(), make());
    const express4: express.RequestHandler = (request, _response, next) => {
      request.body ??= {};
      next();
    };
    app.use("/express-4", express.json(), express4, make());
    const port = await listen(app);
    const send = async (mount: string, body: string, type = "application/json") => {
      const init = post(body, { "content-type": type });
      const url = `http://127.0.0.1:${port}/${mount}/tools/draft7/validate`;
      const { status, body: answer } = await fetch(url, init).then(async (response) => ({
        status: response.status,
        body: await response.json(),
      }));
      return [status, answer.errors?.[0].keyword];
    };
    for (const mount of ["parsed", "express-4"]) {
      expect(await send(mount, "")).toEqual([400, "format"]);
      expect(await send(mount, "", "text/plain")).toEqual([400, "format"]);
      expect(await send(mount, '{"n":1}', "text/plain")).toEqual([200, undefined]);
      expect(await send(mount, '{"n":"x"}', "text/plain")).toEqual([200, "type"]);
      expect(await send(mount, "{}")).toEqual([200, "required"]);
    }
    const bare = `POST /express-4/tools/draft7/validate HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
    expect(await exchange(port, bare)).toEqual(["400"]);
  });

  it("reports a body that was read and not kept", async () => {
    const handler = make();
    const port = await listen((request, response) => {
      request.resume().on("end", () => handler(request, response));
    });
    const response = await fetch(`http://127.0.0.1:${port}/tools/open/validate`, post("{}"));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("the body was read before it came here");
  });

  it("accepts the absolute form of a request target", async () => {
    const port = await listen(make({ prefix: "/x" }));
    const head = "Host: localhost\r\nConnection: close\r\n\r\n";
    expect(await exchange(port, `GET http://localhost/x/tools HTTP/1.1\r\n${head}`)).toEqual([
      "200",
    ]);
    expect(await exchange(port, `OPTIONS * HTTP/1.1\r\n${head}`)).toEqual(["404"]);
  });

  it("keeps path segments that a URL would drop", async () => {
    const tools = [{ name: ".." }];
    const port = await listen(createNodeHandler(tools, () => [[], false]));
    const head = "Host: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    expect(await exchange(port, `POST /tools/../validate HTTP/1.1\r\n${head}`)).toEqual(["200"]);
  });

  it("returns 413 to a client that is still sending, which can read it", async () => {
    const port = await listen(make({ maxBodyBytes: 1000 }));
    const body = new Uint8Array(3_000_000);
    for (const init of [
      post(body),
      { ...post(""), body: new Blob([body]).stream(), duplex: "half" },
    ]) {
      const url = `http://127.0.0.1:${port}/tools/open/validate`;
      const response = await fetch(url, init as RequestInit);
      expect(response.status).toBe(413);
    }
  });

  it("survives truncated bodies, and runs nothing for them", async () => {
    const handleCall = vi.fn<ToolCallHandler>(() => [[], false]);
    const handler = make({ allowExecute: true }, handleCall);
    let handled = 0;
    const port = await listen((request, response) => {
      handler(request, response);
      handled++;
    });
    const head =
      "POST /tools/open/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    for (const rest of [
      "Content-Length: 100\r\n\r\n{",
      "Transfer-Encoding: chunked\r\n\r\n5\r\n{",
    ]) {
      const socket = connect(port, "127.0.0.1");
      socket.write(head + rest);
      const seen = handled + 1;
      await vi.waitUntil(() => handled === seen, { interval: 1, timeout: 20_000 });
      socket.destroy();
      await once(socket, "close");
    }
    const response = await fetch(`http://127.0.0.1:${port}/tools`);
    expect(response.status).toBe(200);
    expect(handleCall).not.toHaveBeenCalled();
  });

  it("runs nothing for a client that left before a framework passed its request on", async () => {
    const handleCall = vi.fn<ToolCallHandler>(() => [[], false]);
    const handler = make({ allowExecute: true }, handleCall);
    let came = (): void => {};
    const coming = new Promise<void>((resolve) => {
      came = resolve;
    });
    let handled = (): void => {};
    const handling = new Promise<void>((resolve) => {
      handled = resolve;
    });
    const port = await listen((request, response) => {
      if (request.method === "GET") return handler(request, response);
      came();
      // This is what the handler gets from a middleware that has parsed the body and then waited for something.
      response.once("close", () => {
        handler(Object.assign(request, { body: { a: 1 } }), response);
        handled();
      });
    });
    const leaving = new AbortController();
    const url = `http://127.0.0.1:${port}/tools/open/call`;
    const left = fetch(url, { ...post("{}"), signal: leaving.signal });
    await coming;
    leaving.abort();
    await expect(left).rejects.toThrow();
    await handling;
    expect((await fetch(`http://127.0.0.1:${port}/tools`)).status).toBe(200);
    expect(handleCall).not.toHaveBeenCalled();
  });

  it("sends a hook's response unchanged, including streams and cookies", async () => {
    const authHook = () => {
      const response = new Response(new Blob(["x".repeat(300_000)]).stream(), { status: 402 });
      response.headers.append("set-cookie", "a=1");
      response.headers.append("set-cookie", "b=2");
      return response;
    };
    const port = await listen(make({ allowExecute: true, authHook }));
    const response = await fetch(`http://127.0.0.1:${port}/tools/open/call`, post("{}"));
    expect(response.status).toBe(402);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect((await response.text()).length).toBe(300_000);
  });

  it("closes the connection if a hook's response fails midway", async () => {
    const authHook = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode("begun"));
          },
          pull: (controller) => controller.error(new Error("the source is gone")),
        }),
      );
    const port = await listen(make({ allowExecute: true, authHook }));
    const url = `http://127.0.0.1:${port}/tools/open/call`;
    await expect(fetch(url, post("{}")).then((response) => response.text())).rejects.toThrow();
    expect((await fetch(`http://127.0.0.1:${port}/tools`)).status).toBe(200);
  });
});
