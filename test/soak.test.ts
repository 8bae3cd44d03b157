import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { long } from "../packages/core/src/testing/sample.ts";

const SOAK = fileURLToPath(new URL("../tools/soak.mjs", import.meta.url));
const NOTHING_WRONG = { code: 0, faults: [] };

/** Runs a soak on the built command; gives its result and exit code. */
function soak(args: readonly string[]): Promise<{ code: unknown; [key: string]: unknown }> {
  const options = { maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [SOAK, "--json", ...args], options, (error, stdout, stderr) => {
      try {
        resolve({ ...JSON.parse(stdout), code: error?.code ?? 0 });
      } catch {
        reject(new Error(`no result: ${stderr}${stdout}`));
      }
    });
  });
}

// A dozen gateways and servers take 20 s of CPU.
it("accounts for every request, record and process in a short soak test", {
  timeout: 150_000,
  ...long,
}, async () => {
  const result = await soak(["--minutes", "0.15", "--rate", "30"]);
  expect(result).toMatchObject(NOTHING_WRONG);
  expect(result["sent"]).toBeGreaterThan(500);
});
