import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { webhookSignature } from "../../packages/gateway/src/server/alerts/webhook.ts";
import { callThrough } from "./calls.ts";
import { readPages } from "./markdown.ts";
import { Stage } from "./stage.ts";

const SECRET = "a-secret-of-the-test";
const folder = mkdtempSync(join(tmpdir(), "touchstone-receiver-"));
const page = readPages().find(({ path }) => path === "docs/guides/alert-on-blocked-calls.md");
const receiver = page?.blocks.find(({ language }) => language === "js")?.text ?? "";
let said = "";
let url = "";
let stop = (): void => {};

beforeAll(async () => {
  writeFileSync(join(folder, "receiver.mjs"), receiver);
  const child = spawn(process.execPath, [join(folder, "receiver.mjs")], {
    env: { ...process.env, ALERT_SECRET: SECRET, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  stop = () => child.kill("SIGKILL");
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  while (!/port: \d+/.test(said)) await once(child.stdout, "data");
  url = `http://127.0.0.1:${/port: (\d+)/.exec(said)?.[1]}/`;
});
afterAll(() => {
  stop();
  rmSync(folder, { recursive: true, force: true });
});

const NOW = Math.floor(Date.now() / 1000);
const BODY = '{"server":"crm","tool":"t","reason":"r"}';

it.each([
  ["a genuine one", webhookSignature(SECRET, BODY, NOW), 204],
  ["one of five minutes ago", webhookSignature(SECRET, BODY, NOW - 290), 204],
  ["an older one", webhookSignature(SECRET, BODY, NOW - 310), 401],
  ["one of the future", webhookSignature(SECRET, BODY, NOW + 400), 401],
  ["another secret", webhookSignature("other", BODY, NOW), 401],
  ["another body", webhookSignature(SECRET, `${BODY} `, NOW), 401],
  ["another time", webhookSignature(SECRET, BODY, NOW).replace(/\d+/, String(NOW - 1)), 401],
  ["none", undefined, 401],
  ["what is none", "t=1,v1=00", 401],
])("the receiver in the guide accepts or refuses %s", async (_, header, status) => {
  const headers = header === undefined ? {} : { "touchstone-signature": header };
  const response = await fetch(url, { method: "POST", headers, body: BODY });
  expect(response.status).toBe(status);
});

it("the receiver in the guide accepts what wrap sends", async () => {
  const stage = new Stage();
  try {
    stage.env["ALERT_SECRET"] = SECRET;
    const webhook = { url, secret: `\${ALERT_SECRET}` };
    stage.write("alerts.json", { alerts: [{ when: "blocked", webhook }] });
    await callThrough(stage, "--name crm --mode strict --config alerts.json", [
      ["update_contact", { id: "7", email: "ada@example.com" }],
    ]);
  } finally {
    await stage.close();
  }
  expect(said).toMatch(/^blocked: crm\/update_contact: \/internal_row is not declared$/m);
});
