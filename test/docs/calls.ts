import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Stage } from "./stage.ts";

type Call = readonly [tool: string, args: object];

/** Calls tools of a server, by default the faulty one, through `touchstone wrap`, as a client of 2025-11-25 does. */
export async function callThrough(
  stage: Stage,
  options: string,
  calls: readonly Call[],
  server: string = "examples/faulty-server/server.mjs",
): Promise<void> {
  const command = `touchstone wrap --log-level error ${options} -- node ${server}`;
  const child = spawn("bash", ["-c", command], {
    cwd: stage.folder,
    env: stage.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "crm-agent", version: "1.0.0" };
  send({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  let answers = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    answers += 1;
    if (answers === 1) {
      send({ method: "notifications/initialized" });
      for (const [i, [name, args]] of calls.entries()) {
        send({ id: i + 1, method: "tools/call", params: { name, arguments: args } });
      }
    }
    if (answers === calls.length + 1) child.stdin.end();
  }
  await closed;
}
