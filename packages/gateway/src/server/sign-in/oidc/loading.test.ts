import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const run = promisify(execFile);

/** Prints that the library is loaded, when it is. */
const HOOKS = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from "node:fs";
  export function resolve(name, context, next) {
    if (name === "openid-client") writeSync(1, "loaded\\n");
    return next(name, context);
  }
`)}`;

/** The source of a built gateway whose console is opened, and in which a person begins to sign in. */
const PROGRAM = `
  import { register } from "node:module";
  register(${JSON.stringify(HOOKS)});
  const { mkdtempSync, rmSync, writeSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { startGateway } = await import("./dist/gateway.js");
  const { parseConfig } = await import("./dist/configuration.js");
  const { createLogger } = await import("@touchstone/util");
  const provider = { issuer: "http://127.0.0.1:9", client_id: "c", client_secret: "s", roles: { a: "admin" } };
  for (const auth of [{}, { oidc: provider }]) {
    const text = JSON.stringify({ listen: { address: "127.0.0.1:0" }, auth });
    const dataDir = mkdtempSync(tmpdir() + "/touchstone-loading-");
    const config = parseConfig(text, { file: "touchstone.json", env: {} });
    const log = createLogger(() => {}, "error");
    const gateway = await startGateway({ config, dataDir, env: process.env, stderr: () => {}, log });
    await gateway.loadRest();
    writeSync(1, "started\\n");
    await fetch(new URL("api/v1/session", gateway.url));
    writeSync(1, "opened\\n");
    await fetch(new URL("api/v1/sign-in/oidc/oidc", gateway.url), { redirect: "manual" });
    writeSync(1, "begun\\n");
    await gateway.close();
    rmSync(dataDir, { recursive: true });
  }
`;

it("a gateway loads the library with the first sign-in by a provider, and not before", async () => {
  const args = ["--input-type=module", "--eval", PROGRAM];
  const { stdout } = await run(process.execPath, args, { cwd: ROOT });
  expect(stdout.trim().split("\n")).toEqual([
    ...["started", "opened", "begun"],
    ...["started", "opened", "loaded", "begun"],
  ]);
});
