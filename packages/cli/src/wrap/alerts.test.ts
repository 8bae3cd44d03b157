import { createHmac } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { startReceiver } from "../../../gateway/src/server/alerts/testing/receiver.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

const request = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const HELLO = request(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
});
const bad = (id: number): string =>
  request(id, "tools/call", { name: "get_weather", arguments: { city: 5 } });

it("signs alerts with a variable's secret, and follows changed alerts while it runs", async () => {
  const receiver = await startReceiver();
  const file = join(tempDir(), "touchstone.json");
  const write = (path: string): void => {
    const webhook = { url: `${receiver.url}/${path}`, secret: `\${ALERT_SECRET}` };
    const alerts = [{ when: "blocked", server: "crm", webhook }];
    writeFileSync(`${file}.new`, JSON.stringify({ activity: { bodies: true }, alerts }));
    renameSync(`${file}.new`, file);
  };
  write("1");
  const run = touchstone(
    [
      "wrap",
      "--mode",
      "strict",
      "--config",
      file,
      "--name",
      "crm",
      "--",
      process.execPath,
      FAULTY_SERVER,
    ],
    { env: { ALERT_SECRET: "hunter2" } },
  );
  run.child.stdin.write(`${HELLO}${bad(1)}`);
  const [first] = await receiver.whenThereAre(1);
  const [, t] = /^t=(\d+),v1=/.exec(`${first?.headers["touchstone-signature"]}`) ?? [];
  const hmac = createHmac("sha256", "hunter2").update(`${t}.${first?.body}`).digest("hex");
  expect(first?.headers["touchstone-signature"]).toBe(`t=${t},v1=${hmac}`);
  expect(JSON.parse(first?.body ?? "")).not.toHaveProperty("arguments");

  write("2");
  await run.seen("stderr", /the configuration has changed: the alerts have changed/);
  run.child.stdin.write(bad(2));
  const [, second] = await receiver.whenThereAre(2);
  expect(second?.path).toMatch(/\/2$/);
  run.child.stdin.end();
  expect(await run.ended).toBe(0);
  expect(run.stderr()).not.toMatch(/hunter2|SECRET-PATH/);
});

it("reports a crashed server before wrap exits", long, async () => {
  const folder = tempDir();
  const out = join(folder, "out");
  const program = join(folder, "take.mjs");
  writeFileSync(
    program,
    'import { writeFileSync } from "node:fs"; import { text } from "node:stream/consumers"; writeFileSync(process.argv[2], await text(process.stdin));',
  );
  const file = join(folder, "touchstone.json");
  const alerts = [{ when: "server_failed", command: [process.execPath, program, out] }];
  writeFileSync(file, JSON.stringify({ alerts }));
  const run = touchstone([
    ...["wrap", "--config", file, "--name", "crm", "--"],
    ...[process.execPath, "-e", "process.exit(7)"],
  ]);
  expect(await run.ended).toBe(7);
  expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({
    type: "server_change",
    status: "error",
    server: "crm",
  });
});
