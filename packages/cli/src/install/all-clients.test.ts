import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { outcomeOf, tempDir, touchstone } from "../testing/touchstone.ts";
import { CLIENTS, type ClientName, type ClientPlaces, clientFiles } from "./clients.ts";

const JSON_FILE =
  '{\n  // mine\n  "mcpServers": { "s": { "command": "npx", "args": ["-y"] } }\n}\n';
/** An example of each client's file, according to its vendor's documentation. */
const FILES: Readonly<Record<ClientName, string>> = {
  claude: JSON_FILE,
  cline: JSON_FILE,
  codex:
    '# mine\nmodel = "x"\n\n[mcp_servers.s]\ncommand = "npx" # c\nargs = ["-y"]\n\n[mcp_servers.s.env]\nTOKEN = "hunter2"\n',
  continue:
    "# mine\nname: c\nmcpServers:\n  - name: s\n    command: npx # c\n    args:\n      - -y\n    env:\n      TOKEN: hunter2\n",
  cursor: JSON_FILE,
  "gemini-cli":
    '{ "theme": "x", "mcpServers": { "s": { "httpUrl": "https://x.example/mcp", "headers": { "A": "hunter2" } } } }',
  goose:
    "extensions:\n  s:\n    cmd: npx\n    args: []\n    enabled: true\n    envs:\n      TOKEN: hunter2\n    type: stdio\n",
  jetbrains: JSON_FILE,
  lmstudio: JSON_FILE,
  opencode:
    '{ "mcp": { "s": { "type": "local", "command": ["npx", "--token", "hunter2"], "environment": { "T": "hunter2" } } } }',
  vscode: '{ "servers": { "s": { "type": "stdio", "command": "npx", "args": ["-y"] } } }',
  windsurf: JSON_FILE,
  zed: '{\n  // mine\n  "theme": "One",\n  "context_servers": { "s": { "source": "custom", "command": "npx", "args": [], "env": { "T": "hunter2" } } },\n}\n',
  "1mcp": JSON_FILE,
  mcphub: JSON_FILE,
  mcpproxy:
    '{ "mcpServers": [ { "name": "s", "command": "npx", "args": ["-y"], "protocol": "stdio", "enabled": true } ] }',
};

interface Home {
  readonly home: string;
  readonly env: Record<string, string>;
  readonly place: ClientPlaces;
}
function newHome(): Home {
  const home = tempDir();
  const moved = { MCPHUB_SETTING_PATH: join(home, "hub"), XDG_CONFIG_HOME: "", CODEX_HOME: "" };
  const env = { HOME: home, CLAUDE_CONFIG_DIR: "", ...moved };
  return { home, env, place: { platform: process.platform, home, cwd: home, env } };
}
function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const outcome = (args: readonly string[], env: Record<string, string>) => outcomeOf(args, { env });
const backups = (path: string): string[] =>
  readdirSync(dirname(path)).filter((name) => name.endsWith(".bak"));

describe("install --client", () => {
  it.each(CLIENTS)(
    "finds the file of %s, wraps its server, and restores it byte for byte",
    async (client) => {
      const { env, place } = newHome();
      const [file] = clientFiles(client, place, false);
      const path = file?.path ?? "";
      put(path, FILES[client]);
      const args = ["--client", client, "--command", "touchstone"];
      const dry = await outcome(["install", ...args, "--dry-run"], env);
      expect([dry.code, dry.err]).toEqual([0, ""]);
      expect(dry.out).toContain(`${path} (${file?.program})`);
      expect(dry.out).toMatch(/s: would be wrapped\n[\s\S]*\n\+.*touchstone/);
      expect(dry.out).not.toContain("hunter2");
      expect(readFileSync(path, "utf8")).toBe(FILES[client]);

      const done = await outcome(["install", ...args], env);
      expect([done.code, done.err]).toEqual([0, ""]);
      expect(done.out).toContain("s: wrapped");
      expect(readFileSync(path, "utf8")).toContain('"wrap"');
      expect((await outcome(["uninstall", "--client", client], env)).code).toBe(0);
      expect(readFileSync(path, "utf8")).toBe(FILES[client]);
    },
  );

  it("accepts an older name, and lists only the name of now", async () => {
    const { env, place } = newHome();
    const path = clientFiles("gemini-cli", place, false)[0]?.path ?? "";
    put(path, FILES["gemini-cli"]);
    expect((await outcome(["install", "--client", "gemini"], env)).code).toBe(0);
    expect(readFileSync(path, "utf8")).toContain('"wrap"');
    expect((await outcome(["uninstall", "--client", "gemini"], env)).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(FILES["gemini-cli"]);
    const { code, err } = await outcome(["install", "--client", "gemeni"], env);
    expect(code).toBe(2);
    expect(err).toMatch(/gemini-cli, /);
    expect(err).not.toMatch(/gemini,/);
  });

  it("all lists which files exist, and changes all of them", async () => {
    const { env, place } = newHome();
    const found: readonly ClientName[] = ["codex", "continue", "zed"];
    const paths = found.map((client) => clientFiles(client, place, false)[0]?.path ?? "");
    for (const [at, path] of paths.entries()) put(path, FILES[found[at] ?? "zed"]);
    const dry = await outcome(["install", "--client", "all", "--dry-run"], env);
    expect([dry.code, dry.err]).toEqual([0, ""]);
    for (const path of paths) expect(dry.out).toContain(path);
    expect(dry.out).toMatch(/^not found: .*Cursor.*Goose.*mcpproxy$/m);
    expect(dry.out.match(/would be wrapped/g)).toHaveLength(3);

    put(paths[0] ?? "", "broken = ");
    const part = await outcome(["install", "--client", "all"], env);
    expect(part.code).toBe(3);
    expect(part.err).toMatch(
      /config\.toml cannot be read: it is not TOML: a value is expected on line 1/,
    );
    expect(part.out.match(/s: wrapped/g)).toHaveLength(2);
  });

  it("all lists where it looked if no file exists", async () => {
    const { code, err } = await outcome(["install", "--client", "all"], newHome().env);
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/no client was found. Nothing was changed/),
    ]);
  });
});

it("keeps the last three backups, without duplicates", async () => {
  const { env, place } = newHome();
  const path = clientFiles("cursor", place, false)[0]?.path ?? "";
  const one = (text: string) => JSON_FILE.replace("npx", text);
  put(path, one("a"));
  for (let again = 0; again < 2; again += 1) {
    await outcome(["install", "--client", "cursor"], env);
    await outcome(["uninstall", "--client", "cursor"], env);
  }
  // Uninstall has restored the file, so the backup of the original is removed.
  expect(backups(path)).toHaveLength(1);
  for (const program of ["b", "c", "d"]) {
    put(path, one(program));
    await outcome(["install", "--client", "cursor"], env);
  }
  const kept = backups(path).map((name) => readFileSync(join(dirname(path), name), "utf8"));
  expect(kept).toEqual([one("b"), one("c"), one("d")]);
  put(`${path}.mine.bak`, "x");
  put(path, one("e"));
  await outcome(["install", "--client", "cursor"], env);
  expect(existsSync(`${path}.mine.bak`)).toBe(true);
});

/** A server that requires a login, or responds in another way. */
async function guarded(answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request.url ?? "", response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe("a URL that requires an OAuth login", () => {
  const challenge = (_: string, response: ServerResponse): void => {
    const metadata =
      'Bearer resource_metadata="https://x.example/.well-known/oauth-protected-resource"';
    response.writeHead(401, { "www-authenticate": metadata }).end();
  };
  const wellKnown = (path: string, response: ServerResponse): void => {
    if (path !== "/.well-known/oauth-protected-resource/mcp") response.writeHead(401).end();
    else response.end('{"resource":"x","authorization_servers":["https://x.example"]}');
  };
  const entry = (url: string, name: string): string =>
    `asks for an OAuth login (HTTP 401). A client cannot log in through a URL of Touchstone: its token would be for a different resource. Let mcp-remote log in: touchstone wrap --name ${name} -- npx -y mcp-remote ${url}. Or set a token in headers of the server's entry`;

  eachOf(
    [
      ["by its challenge", challenge],
      ["by its metadata", wellKnown],
    ],
    1,
  )("%s: install, check, doctor and wrap say what to do", async (_, answer) => {
    const url = await guarded(answer);
    const { env, place, home } = newHome();
    const path = clientFiles("cursor", place, false)[0]?.path ?? "";
    put(path, JSON.stringify({ mcpServers: { s: { url } } }));
    const installed = await outcome(["install", "--client", "cursor"], env);
    expect(installed.out).toContain(`s: unchanged (it ${entry(url, "s")})\n`);
    const checked = await outcome(["check", url], env);
    expect(checked.code).not.toBe(0);
    expect(`${checked.out}${checked.err}`).toContain(entry(url, new URL(url).host));
    const config = join(home, "touchstone.json");
    put(config, JSON.stringify({ mcpServers: { s: { url } } }));
    expect((await outcome(["doctor", "--config", config], env)).out).toContain(entry(url, "s"));
    const wrap = touchstone(["wrap", "--name", "s", "--url", url], { env });
    await wrap.seen("stderr", /asks for an OAuth login .* npx -y mcp-remote http/);
    wrap.child.stdin.end();
    await wrap.ended;
  });

  it.each([
    [
      "responds otherwise",
      (_: string, response: ServerResponse) => void response.writeHead(400).end(),
    ],
    [
      "wants a key",
      (_: string, response: ServerResponse) => void response.writeHead(401).end("{}"),
    ],
  ])("is not reported as such if it %s", async (_, answer) => {
    const url = await guarded(answer);
    const { env, place } = newHome();
    const path = clientFiles("cursor", place, false)[0]?.path ?? "";
    put(path, JSON.stringify({ mcpServers: { s: { url } } }));
    const { out } = await outcome(["install", "--client", "cursor"], env);
    expect(out).toContain("s: unchanged (has no headers");
    const checked = await outcome(["check", url], env);
    expect(`${checked.out}${checked.err}`).not.toContain("mcp-remote");
  });
});
