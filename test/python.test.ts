import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../packages/core/src/testing/sample.ts";
import { hasPython } from "./has-python.ts";

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Starts a gateway in front of a server, with records of its own. Returns its address. */
async function gateway(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-python-"));
  const config = join(folder, "touchstone.json");
  const server = {
    command: process.execPath,
    args: [at("examples/faulty-server/server.mjs")],
    touchstone: { input_validation: { mode: "strict" }, output_validation: { mode: "strict" } },
  };
  writeFileSync(config, JSON.stringify({ mcpServers: { weather: server } }));
  const args = ["serve", "--config", config, "--data-dir", folder, "--listen", "127.0.0.1:0"];
  const child = spawn(process.execPath, [at("packages/cli/bin/touchstone.js"), ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  let said = "";
  for await (const text of child.stderr.setEncoding("utf8")) {
    said += text;
    const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(said) ?? [];
    if (url !== undefined && said.includes(" ready ")) {
      return url;
    }
  }
  throw new Error(said);
}

it.skipIf(!hasPython)(
  "the Python module sends a check to a gateway, raises if it fails, and starts mocks",
  long,
  async () => {
    const program = JSON.stringify([process.execPath, at("packages/cli/bin/touchstone.js")]);
    const env = {
      ...process.env,
      TOUCHSTONE_URL: await gateway(),
      TOUCHSTONE_API_KEY: "",
      TOUCHSTONE_PROGRAM: program,
    };
    const { code, text } = await new Promise<{ code: unknown; text: string }>((resolve) => {
      execFile(
        "python3",
        ["-m", "unittest", "discover", "-s", at("python/tests")],
        { env },
        (error, out, err) => resolve({ code: error?.code ?? 0, text: out + err }),
      );
    });
    expect(text).toMatch(/Ran 33 tests/);
    expect(code).toBe(0);
  },
);
