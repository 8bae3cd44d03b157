import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TWICE_SERVER } from "../../../gateway/src/testing/twice-server.ts";
import { EVERYTHING_SERVER, FAULTY_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

const node = (script: string): object => ({ command: process.execPath, args: [script] });

function file(mcpServers: object, more: object = {}): string {
  const path = join(tempDir(), "touchstone.json");
  writeFileSync(path, JSON.stringify({ mcpServers, ...more }));
  return path;
}
async function outcome(args: string[]) {
  const { ended, stdout, stderr } = touchstone(["doctor", ...args]);
  return { code: await ended, out: stdout(), err: stderr() };
}

it("finds nothing wrong with a sound server", async () => {
  const config = file({
    everything: node(EVERYTHING_SERVER),
    off: { command: "x", disabled: true },
  });
  const { code, out } = await outcome(["--config", config, "--mode", "strict"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/everything: stdio .*answers: /s)]);
  expect(out).toMatch(/MCP 2025-11-25, \d+ tools, 1 with an output schema/);
  expect(out).toContain("input strict, output strict, protocol strict");
  expect(out).not.toContain("off");
});

it("asks a server that is disabled where it is named", async () => {
  const config = file({
    off: { ...node(FAULTY_SERVER), disabled: true },
    unset: { command: "x", env: { KEY: `\${NO_SUCH_VARIABLE}` }, disabled: true },
  });
  const named = await outcome(["--config", config, "off"]);
  expect([named.code, named.out]).toEqual([1, expect.stringMatching(/^off: stdio .*answers: /s)]);
  const broken = await outcome(["--config", config, "unset"]);
  expect([broken.code, broken.err]).toEqual([2, expect.stringContaining("NO_SUCH_VARIABLE")]);
  const all = await outcome(["--config", config]);
  expect([all.code, all.out]).toEqual([0, ""]);
});

const DIES = `console.error("no good \u001b[2J"); console.error("bad key: " + process.env.KEY); process.exit(7)`;

it("tells what cannot be reached, and goes on", async () => {
  const config = file({
    gone: { command: "no-such-command-anywhere" },
    dies: { command: process.execPath, args: ["-e", DIES], env: { KEY: "secret-of-mine" } },
    closed: { url: "http://127.0.0.1:1/mcp" },
    moved: { ...node(FAULTY_SERVER), cwd: "/no/such/directory" },
    faulty: node(FAULTY_SERVER),
  });
  const { code, out, err } = await outcome(["--config", config, "--format", "json"]);
  expect(code).toBe(1);
  const { servers } = JSON.parse(out);
  const reachable = servers.map((found: { reachable: boolean }) => found.reachable);
  expect(reachable).toEqual([false, false, false, false, true]);
  expect(servers[3].reason).toBe(
    'its "cwd" is no directory: /no/such/directory; make it, or name another one',
  );
  expect(err).toContain("gone, dies, closed, moved");
  expect(servers[1].stderr).toEqual(["no good \u001b[2J", "bad key: (set, not shown)"]);
  const pretty = await outcome(["--config", config, "dies"]);
  expect(pretty.out).toContain("    | no good \\u{1b}[2J\n    | bad key: (set, not shown)\n");
});

it("tells which contracts cannot be used and what then happens", async () => {
  const config = file({ faulty: node(FAULTY_SERVER) });
  const { code, out } = await outcome(["--config", config, "faulty"]);
  expect(code).toBe(1);
  expect(out).toMatch(
    /! \S+: the output schema cannot be used.*\(its results: each passes unchecked\)/,
  );
});

it("tells of tools that a server lists more than once, and takes the last", async () => {
  const config = file({ twice: TWICE_SERVER });
  const { code, out } = await outcome(["--config", config]);
  expect([code, out]).toEqual([0, expect.stringMatching(/3 tools/)]);
  expect(out).toContain("  ! same: listed more than once; the last declaration counts\n");
  const json = await outcome(["--config", config, "--format", "json"]);
  expect(JSON.parse(json.out).servers).toMatchObject([{ repeated: ["same"], broken: [] }]);
});

it("tells which servers of a client's file are left out", async () => {
  const servers = file({ faulty: node(FAULTY_SERVER), surf: { endpoint: "https://x/mcp" } });
  const reason = /touchstone\.json:1:\d+: \/mcpServers\/surf: .* did you mean "url"\?/;
  const pretty = await outcome(["--servers", servers]);
  expect([pretty.code, pretty.err]).toEqual([1, expect.stringContaining("1 server left out")]);
  expect(pretty.out).toMatch(/^faulty: stdio .*\nsurf: left out: .*did you mean "url"/s);
  const json = await outcome(["--servers", servers, "--format", "json"]);
  const { leftOut } = JSON.parse(json.out);
  expect(leftOut).toEqual([{ server: "surf", reason: expect.stringMatching(reason) }]);
  const named = await outcome(["--servers", servers, "surf"]);
  expect([named.code, named.err]).toEqual([2, expect.stringMatching(reason)]);
});
