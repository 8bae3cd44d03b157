// biome-ignore-all lint/suspicious/noTemplateCurlyInString: entries refer to variables by ${NAME}
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "./load.ts";
import { commandWithoutSecrets, shownUpstream } from "./shown-upstream.ts";

describe("commandWithoutSecrets", () => {
  it.each([
    [
      ["-y", "@scope/server", "/path with space"],
      ["-y", "@scope/server", "/path with space"],
    ],
    [
      ["--token", "hunter2"],
      ["--token", "[redacted]"],
    ],
    ...["--pat", "--github-pat", "--auth", "-k", "--key", "--accessKey", "--sig"].map(
      (option): [string[], string[]] => [
        [option, "hunter2"],
        [option, "[redacted]"],
      ],
    ),
    [
      ["--pat=hunter2", "GITHUB_PAT=hunter2", "-khunter2", "-k=hunter2", "--auth:hunter2"],
      [
        "--pat=[redacted]",
        "GITHUB_PAT=[redacted]",
        "-k[redacted]",
        "-k[redacted]",
        "--auth:[redacted]",
      ],
    ],
    [
      ["curl", "-k", "https://a.example/mcp", "--compat", "5", "--auth-mode", "basic"],
      ["curl", "-k", "https://a.example/mcp", "--compat", "5", "--auth-mode", "basic"],
    ],
    [
      ["-c", "run --pat hunter2 -k hunter2 --port 80"],
      ["-c", "run --pat [redacted] -k [redacted] --port 80"],
    ],
    [["--api-key=hunter2"], ["--api-key=[redacted]"]],
    [["API_KEY=hunter2"], ["API_KEY=[redacted]"]],
    [
      ["-H", "Authorization: Bearer hunter2hunter2"],
      ["-H", "Authorization: [redacted]"],
    ],
    [["postgres://me:hunter2@db/x"], ["postgres://[redacted]@db/x"]],
    [["https://a.example/mcp?key=hunter2"], ["https://a.example/mcp?[redacted]"]],
    [["https://a.example/mcp#hunter2"], ["https://a.example/mcp#[redacted]"]],
    [
      ["mcp-remote", "https://a.example/s/NzE3hunter2YzMtMDRmNA/sse"],
      ["mcp-remote", "https://a.example/s/[redacted]/sse"],
    ],
    [
      ["-c", "A=1 API_KEY='x y' run --token hunter2 --port 80 -v"],
      ["-c", "A=1 API_KEY=[redacted] run --token [redacted] --port 80 -v"],
    ],
    [
      ["curl", "-u", "me:hunter2", "--proxy-user=me:hunter2", "-ume:hunter2"],
      ["curl", "-u", "me:[redacted]", "--proxy-user=me:[redacted]", "-ume:[redacted]"],
    ],
    [
      ["docker", "run", "-u", "1000:1000", "-p", "80:8080", "-p8080", "mysql:8"],
      ["docker", "run", "-u", "1000:1000", "-p", "80:8080", "-p8080", "mysql:8"],
    ],
    [
      ["-u", "https://a.example/mcp", "-u", "me", "-u", "C:\\x"],
      ["-u", "https://a.example/mcp", "-u", "me", "-u", "C:\\x"],
    ],
    [
      ["/usr/bin/mysqldump", "-u", "root", "-phunter2", "-P3306", "-p", "db"],
      ["/usr/bin/mysqldump", "-u", "root", "-p[redacted]", "-P3306", "-p", "db"],
    ],
    [
      ["sh", "-c", "mysql  -uroot -phunter2\tdb; curl -u me:hunter2 x"],
      ["sh", "-c", "mysql  -uroot -p[redacted]\tdb; curl -u me:[redacted] x"],
    ],
    [
      ["ssh", "-p2222", "host"],
      ["ssh", "-p2222", "host"],
    ],
    [
      ["--token-file", "--verbose"],
      ["--token-file", "--verbose"],
    ],
  ])("%j", (args, shown) => {
    expect(commandWithoutSecrets(args)).toEqual(shown);
  });
});

describe("shownUpstream", () => {
  const servers = parseConfig(
    JSON.stringify({
      mcpServers: {
        a: { command: "npx", args: ["my server", "--token", "hunter2"], env: { KEY: "hunter2" } },
        c: { url: "https://b.example/api/mcp/s/NzE3hunter2YzMtMDRmNA/mcp" },
        d: { command: "mysql", args: ["-phunter2"] },
        b: { url: "https://b.example/mcp?key=hunter2#x", headers: { Authorization: "hunter2" } },
      },
    }),
    { file: "t.json", env: {} },
  ).servers;

  it.each([
    [
      {
        command: "${RUN}",
        args: ["--account", "${ACCOUNT:-guest}", "x=${file:account}", "$${X} y"],
      },
      {
        transport: "stdio",
        command: `"\${RUN}" --account "\${ACCOUNT}" "x=\${file:account}" "\${X} y"`,
      },
    ],
    [{ command: "c", args: ["--token", "${ACCOUNT}"] }, { command: "c --token [redacted]" }],
    [
      { url: "https://${HOST}/${ACCOUNT}/mcp/x-${ACCOUNT}?k=${ACCOUNT}" },
      { transport: "http", url: "https://${HOST}/${ACCOUNT}/mcp/[redacted]" },
    ],
    [{ url: "${URL}" }, { url: "${URL}" }],
    [{ url: "${URL}/mcp" }, { url: "${URL}/mcp" }],
    [{ url: "${URL}?k=${ACCOUNT}" }, { url: "${URL}/" }],
    [{ url: "${SCHEME}://a.example/mcp" }, { url: "https://a.example/mcp" }],
    [{ command: "c", args: ["${ACCOUNT}"], disabled: true }, { command: 'c "${ACCOUNT}"' }],
  ])("shows references of %j instead of their values", (entry, shown) => {
    const env = {
      RUN: "v4lue-r",
      ACCOUNT: "v4lue",
      HOST: "v4lue.example",
      URL: "https://v4lue",
      SCHEME: "https",
    };
    const folder = mkdtempSync(join(tmpdir(), "touchstone-"));
    writeFileSync(join(folder, "account"), "v4lue");
    const text = JSON.stringify({ mcpServers: { a: entry } });
    const [server] = parseConfig(text, { file: join(folder, "t.json"), env }).servers;
    rmSync(folder, { recursive: true });
    const found = server && shownUpstream(server);
    expect(found).toMatchObject(shown);
    expect(JSON.stringify(found)).not.toContain("v4lue");
  });

  it("names variables and headers without their values", () => {
    const shown = servers.map((server) => shownUpstream(server));
    expect(shown).toEqual([
      { transport: "stdio", command: 'npx "my server" --token [redacted]', env: ["KEY"] },
      { transport: "http", url: "https://b.example/api/mcp/s/[redacted]/mcp", headers: [] },
      { transport: "stdio", command: "mysql -p[redacted]", env: [] },
      { transport: "http", url: "https://b.example/mcp", headers: ["Authorization"] },
    ]);
    expect(JSON.stringify(shown)).not.toContain("hunter2");
  });
});
