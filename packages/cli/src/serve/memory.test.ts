import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

const CALLERS = ["ann", "bob", "cat", "dan", "eve"];
const WORKER = "worker";
const keyOf = (name: string): string => `key-of-${name}-0123456789`;
const BODIES = 100;
const DECLARED = 16_700_000;
/** How many bytes of each body are sent. */
const SENT = 8_000_000;
const PIECE = Buffer.alloc(1_000_000, " ");
const MOST_RESIDENT = 512 * 1024 * 1024;

const residentOf = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

/**
 * Sends a large part of a body, as far as the gateway reads it. Resolves when all of that part was read, or the
 * connection ended.
 */
async function stall(port: number, name: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {}).resume();
  socket.write(
    `POST /mcp/faulty HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${keyOf(name)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${DECLARED}\r\n\r\n`,
  );
  const closed = once(socket, "close");
  for (let sent = 0; sent < SENT && !socket.closed; sent += PIECE.length) {
    if (!socket.write(PIECE)) await Promise.race([once(socket, "drain"), closed]);
  }
  return socket;
}

it.skipIf(process.platform !== "linux")(
  "stays under 512 MiB with 100 unfinished bodies, while another caller works",
  { ...long, timeout: 120_000 },
  async () => {
    const config = join(tempDir(), "touchstone.json");
    const names = [...CALLERS, WORKER];
    const keys = names.map((name) => ({ name, key: keyOf(name) }));
    const faulty = { command: process.execPath, args: [FAULTY_SERVER] };
    writeFileSync(config, JSON.stringify({ mcpServers: { faulty }, auth: { keys } }));
    const args = ["serve", "--config", config, "--listen", "127.0.0.1:0"];
    const { seen, child, ended, stderr } = touchstone(args);
    const [, url = ""] = await seen("stderr", /faulty: (http:\S+)/);
    const port = Number(new URL(url).port);
    const works = async (id: number): Promise<void> => {
      const params = {
        name: "echo",
        arguments: { value: id },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "me", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      };
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "echo",
          "x-api-key": keyOf(WORKER),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
      });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('"result"'),
      ]);
    };
    await works(0);
    let most = residentOf(child.pid);
    const sockets: Socket[] = [];
    for (let i = 0; i < BODIES; i += CALLERS.length) {
      sockets.push(...(await Promise.all(CALLERS.map((name) => stall(port, name)))));
      await works(i + 1);
      most = Math.max(most, residentOf(child.pid));
    }
    // The first bodies keep their memory; all others were refused, and the rest of each was dropped.
    expect(sockets.filter(({ bytesRead }) => bytesRead === 0).length).toBeGreaterThan(0);
    await seen("stderr", /a request is refused: too many bytes of unfinished request bodies/);
    expect(most).toBeLessThan(MOST_RESIDENT);
    expect(stderr()).not.toContain("internal error");
    for (const socket of sockets) socket.destroy();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  },
);
