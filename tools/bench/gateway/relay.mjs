// The bare hop: passes bytes on, and reads none of them. `node relay.mjs stdio command args…`, or `node relay.mjs http
// URL`, which prints its port.
import { spawn } from "node:child_process";
import { Agent, createServer, request as send } from "node:http";

function relayStdio([command, ...args]) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  child.once("exit", (code) => process.exit(code ?? 1));
}

function relayHttp([url]) {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    const { method, headers } = request;
    const onward = send(url, { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
}

const [kind, ...rest] = process.argv.slice(2);
if (kind === "http") relayHttp(rest);
else relayStdio(rest);
