import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eachOf } from "../../core/src/testing/sample.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "./testing/touchstone.ts";

const LINE = "records keep the arguments of calls that fail a check, redacted";
const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };

eachOf(
  [
    ["serve", "by default", {}, true],
    ["wrap", "by default", {}, true],
    ["serve", "without bodies", { activity: { bodies: false } }, false],
    ["wrap", "without bodies", { activity: { bodies: false } }, false],
    [
      "serve",
      "beyond loopback",
      { listen: { address: "0.0.0.0:0" }, auth: { api_key: "k".repeat(20) } },
      false,
    ],
  ],
  2,
)(
  "%s logs at its start that it keeps arguments, or not: %s",
  async (command, _, settings, isKept) => {
    const file = join(tempDir(), "touchstone.json");
    const servers = command === "serve" ? { mcpServers: { faulty: FAULTY } } : {};
    writeFileSync(
      file,
      JSON.stringify({ listen: { address: "127.0.0.1:0" }, ...servers, ...settings }),
    );
    const rest = command === "wrap" ? ["--", FAULTY.command, ...FAULTY.args] : [];
    const { child, seen, stderr, ended } = touchstone([command, "--config", file, ...rest]);
    if (command === "serve") {
      await seen("stderr", /ready listen/);
      child.kill("SIGTERM");
    } else child.stdin.end();
    expect(await ended).toBe(0);
    expect(stderr().includes(LINE)).toBe(isKept);
  },
);
