import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { SCRIPTED_SERVER } from "../testing/fixtures.ts";
import { startTestGateway } from "../testing/gateway.ts";
import { handleInOrder } from "./listener.ts";

interface Server {
  readonly port: number;
  /** Responses by the order in which their requests were handled. */
  readonly handled: [string, ServerResponse][];
  /** Called before each request is answered immediately; without it, requests get no response. */
  answer?: () => void;
  /** Resolves when this many requests were handled. */
  reached(count: number): Promise<void>;
  close(): void;
}

async function serve(): Promise<Server> {
  const handled: [string, ServerResponse][] = [];
  let tell = (): void => {};
  const made = {} as Server;
  const server = createServer(
    handleInOrder((request, response) => {
      handled.push([request.url ?? "", response]);
      if (made.answer) {
        made.answer();
        response.end();
      }
      tell();
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const reached = async (count: number): Promise<void> => {
    while (handled.length < count)
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
  };
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  Object.assign(made, { port: (server.address() as AddressInfo).port, handled, reached, close });
  return made;
}

const asked = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

let server: Server | undefined;
afterEach(() => server?.close());

async function client(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

describe("pipelined requests", () => {
  it("start in order, each after the response to the one before", async () => {
    server = await serve();
    const socket = await client(server.port);
    socket.write(asked("/1") + asked("/2") + asked("/3"));
    for (const count of [1, 2, 3]) {
      await server.reached(count);
      expect(server.handled.map(([path]) => path)).toEqual(["/1", "/2", "/3"].slice(0, count));
      server.handled.at(-1)?.[1].end(`answer ${count}`);
    }
    let text = "";
    for await (const chunk of socket.setEncoding("utf8")) {
      text += chunk;
      if (text.includes("answer 3")) break;
    }
    expect(text.match(/answer \d/g)).toEqual(["answer 1", "answer 2", "answer 3"]);
  });

  it("never start if the connection is closed", async () => {
    server = await serve();
    const socket = await client(server.port);
    socket.write(asked("/1") + asked("/2") + asked("/3"));
    await server.reached(1);
    const closed = once(server.handled[0]?.[1] as ServerResponse, "close");
    socket.destroy();
    await closed;
    const other = await client(server.port);
    other.write(asked("/other"));
    await server.reached(2);
    expect(server.handled.map(([path]) => path)).toEqual(["/1", "/other"]);
  });

  it("never start after a request that closes the connection", async () => {
    server = await serve();
    const socket = await client(server.port);
    const last = `GET /1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    socket.write(last + asked("/2"));
    await server.reached(1);
    const closed = once(socket, "close");
    server.handled[0]?.[1].end("answer");
    socket.resume();
    await closed;
    expect(server.handled).toHaveLength(1);
  });

  it("begin ten at a time if they are answered at once, with other work in between", async () => {
    server = await serve();
    const turns: number[] = [];
    let turn = 0;
    const count = (): void => {
      turn += 1;
      if (turns.length < 60) setImmediate(count);
    };
    const done = server.reached(60);
    server.answer = () => void turns.push(turn);
    const socket = await client(server.port);
    count();
    socket.write(Array.from({ length: 60 }, (_, n) => asked(`/${n}`)).join(""));
    await done;
    expect(server.handled.map(([path]) => path)).toEqual(
      Array.from({ length: 60 }, (_, n) => `/${n}`),
    );
    const most = Math.max(...turns.map((one) => turns.filter((other) => other === one).length));
    expect(most).toBeLessThanOrEqual(20);
    expect(new Set(turns).size).toBeGreaterThanOrEqual(5);
  });

  it("close the connection if there are too many, also if they are answered at once", async () => {
    server = await serve();
    server.answer = () => {};
    const socket = await client(server.port);
    socket.resume();
    socket.write(asked("/x").repeat(400));
    await once(socket, "close");
    expect(server.handled.length).toBeLessThan(110);
  });

  it("close the connection if there are too many", async () => {
    server = await serve();
    const socket = await client(server.port);
    socket.write(asked("/x").repeat(200));
    await once(socket, "close");
    expect(server.handled).toHaveLength(1);
  });

  it("do not keep a gateway from stopping", async () => {
    const gateway = await startTestGateway({
      mcpServers: { one: { command: process.execPath, args: [SCRIPTED_SERVER] } },
    });
    const { port, host } = new URL(gateway.url("one"));
    const socket = await client(Number(port));
    const events = `GET /api/v1/activity/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const call = `POST /mcp/one HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    socket.write(events + events + call);
    await once(socket, "data");
    socket.destroy();
    await gateway.close();
  });
});
