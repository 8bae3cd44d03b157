import { createHmac } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { openActivityStore } from "../../../../records/src/open-sqlite.ts";
import type { ActivityEntry, ActivityRecord } from "../../../../records/src/record.ts";
import { tempDir } from "../../../../records/src/testing/temp-dir.ts";
import { createLogger } from "../../../../util/src/log.ts";
import type { AlertRule } from "../../features/alerts/alerts.ts";
import { type AlertJob, AlertQueue, MAX_WAITING } from "./alert-queue.ts";
import { Alerts, type AlertsOptions } from "./alerts.ts";
import { runCommand } from "./command.ts";
import { startReceiver } from "./testing/receiver.ts";

const BLOCKED: ActivityEntry = {
  type: "policy_decision",
  source: "gateway",
  server: "crm",
  tool: "update",
  direction: "input",
  mode: "strict",
  decision: "blocked",
  status: "blocked",
  reason: "/city is required <!channel> & more",
  arguments: Buffer.from('{"city":"SECRET-BODY"}'),
  result: Buffer.from('"SECRET-BODY"'),
};
const FAILED: ActivityEntry = {
  type: "server_change",
  source: "gateway",
  server: "crm",
  status: "error",
  reason: "server exited with code 1",
};
const ERROR: ActivityEntry = {
  type: "tool_call",
  source: "gateway",
  server: "crm",
  tool: "update",
  status: "error",
};
const CHANGED: ActivityEntry = {
  type: "schema_change",
  source: "gateway",
  server: "crm",
  tool: "update",
};
/** Records that are not events. */
const OTHERS: readonly ActivityEntry[] = [
  { ...ERROR, status: "success" },
  { ...ERROR, status: "blocked" },
  { ...BLOCKED, decision: "warning", status: "warning" },
  { ...FAILED, status: "rejected" },
  { type: "server_change", source: "gateway", server: "crm" },
  { type: "system_start", source: "gateway" },
];

/** Returns records as a store returns them, with bodies. */
async function kept(...entries: readonly ActivityEntry[]): Promise<readonly ActivityRecord[]> {
  const store = await openActivityStore({
    dataDir: tempDir(),
    sync: "normal",
    bodies: { maxBytes: 100 },
  });
  const records = await store.append(entries);
  await store.close();
  return records;
}

function alerting(rules: readonly AlertRule[], options: Partial<AlertsOptions> = {}) {
  const counts: Record<string, number> = {};
  const lines: string[] = [];
  const waits: number[] = [];
  const alerts = new Alerts({
    env: process.env,
    log: createLogger((line) => lines.push(line), "debug"),
    count: (when, outcome) => {
      const key = `${when} ${outcome}`;
      counts[key] = (counts[key] ?? 0) + 1;
    },
    pause: async (ms) => void waits.push(ms),
    ...options,
  });
  alerts.update(rules);
  onTestFinished(() => alerts.close());
  return { alerts, counts, lines, waits };
}

const hook = (url: string, more: object = {}): AlertRule => ({
  when: "blocked",
  minInterval: 0,
  to: { webhook: { url, format: "json", ...more } },
});

describe("a webhook", () => {
  it("receives the signed record without bodies", async () => {
    const receiver = await startReceiver();
    const { alerts, counts } = alerting([hook(receiver.url, { secret: "k" })]);
    const [record] = await kept(BLOCKED);
    expect(record?.arguments).toContain("SECRET-BODY");
    alerts.take(record === undefined ? [] : [record]);
    const [got] = await receiver.whenThereAre(1);
    const { arguments: _, result: __, ...rest } = record as ActivityRecord;
    expect(JSON.parse(got?.body ?? "")).toEqual({ ...rest });
    expect(got?.headers).toMatchObject({
      "content-type": "application/json",
      "touchstone-event": "blocked",
      "user-agent": expect.stringMatching(/^touchstone\//),
    });
    const [, t, v1] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(`${got?.headers["touchstone-signature"]}`) ?? [];
    expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(60);
    expect(v1).toBe(createHmac("sha256", "k").update(`${t}.${got?.body}`).digest("hex"));
    await alerts.close();
    expect(counts).toEqual({ "blocked sent": 1 });
  });

  it("is not signed without a secret", async () => {
    const receiver = await startReceiver();
    const { alerts } = alerting([hook(receiver.url)]);
    alerts.take(await kept(BLOCKED));
    const [got] = await receiver.whenThereAre(1);
    expect(got?.headers).not.toHaveProperty("touchstone-signature");
  });

  it("for Slack receives text without mentions", async () => {
    const receiver = await startReceiver();
    const { alerts } = alerting([hook(receiver.url, { format: "slack" })]);
    alerts.take(await kept(BLOCKED));
    const [got] = await receiver.whenThereAre(1);
    expect(JSON.parse(got?.body ?? "")).toEqual({
      text: "Touchstone: blocked: crm/update: /city is required &lt;!channel&gt; &amp; more",
      mrkdwn: false,
    });
  });

  it.each([
    [[500, 503, 429, 408, 200], 5, "sent"],
    [[500, 500, 500, 500, 500, 200], 5, "failed"],
    [[400, 200], 1, "failed"],
    [[404, 200], 1, "failed"],
  ])("that responds with %j gets %i requests", async (statuses, requests, outcome) => {
    const receiver = await startReceiver((response, at) =>
      response.writeHead(statuses[at] ?? 200).end(),
    );
    const { alerts, counts, waits, lines } = alerting([hook(receiver.url)]);
    alerts.take(await kept(BLOCKED));
    await receiver.whenThereAre(requests);
    await alerts.close();
    expect(receiver.received).toHaveLength(requests);
    expect(counts).toEqual({ [`blocked ${outcome}`]: 1 });
    // Longer each time.
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits).toHaveLength(requests - 1);
    if (outcome === "failed")
      expect(lines.join("\n")).toMatch(
        /blocked, to http:\/\/127\.0\.0\.1:\d+: the receiver returned HTTP \d/,
      );
    // A path may contain a key.
    expect(lines.join("\n")).not.toContain("SECRET-PATH");
  });

  it("is not contacted for as long as Retry-After asks, within bounds", async () => {
    const after = ["7", "100000", "x", "-1", "9"];
    const receiver = await startReceiver((response, at) =>
      response.writeHead(at < 4 ? 429 : 200, { "retry-after": after[at] ?? "" }).end(),
    );
    const { alerts, waits } = alerting([hook(receiver.url)]);
    alerts.take(await kept(BLOCKED));
    await receiver.whenThereAre(5);
    await alerts.close();
    expect(waits.slice(0, 2)).toEqual([7_000, 60_000]);
    expect(waits[2]).toBeLessThan(30_000);
  });

  it("is never followed to a redirect's target", async () => {
    const other = await startReceiver();
    const receiver = await startReceiver((response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    const { alerts, counts, lines } = alerting([hook(receiver.url)]);
    alerts.take(await kept(BLOCKED));
    await receiver.whenThereAre(1);
    await alerts.close();
    expect([other.received.length, counts]).toEqual([0, { "blocked failed": 1 }]);
    expect(lines.join("\n")).toContain("redirects (HTTP 307)");
  });

  it("that is unreachable is retried, and reported in the log", async () => {
    const { alerts, counts, lines, waits } = alerting([hook("http://127.0.0.1:9/x")]);
    const ended = new Promise<void>((resolve) => {
      const { length } = lines;
      const look = (): void => void (lines.length > length ? resolve() : setImmediate(look));
      look();
    });
    alerts.take(await kept(BLOCKED));
    await ended;
    expect([counts, waits.length]).toEqual([{ "blocked failed": 1 }, 4]);
    expect(lines[0]).toContain("to http://127.0.0.1:9: ");
  });

  it(
    "that hangs does not delay the caller, fills a bounded queue, and is abandoned on shutdown",
    long,
    async () => {
      const receiver = await startReceiver(() => {});
      const { alerts, counts } = alerting([hook(receiver.url)]);
      const records = await kept(BLOCKED);
      for (let i = 0; i < MAX_WAITING + 7; i += 1) alerts.take(records);
      expect(counts).toEqual({ "blocked dropped": 7 });
      await receiver.whenThereAre(1);
      await alerts.close();
      expect(counts).toEqual({ "blocked dropped": 7, "blocked failed": MAX_WAITING });
    },
  );

  it("is reached through the proxy of the environment", async () => {
    const proxy = await startReceiver();
    const env = { HTTP_PROXY: new URL(proxy.url).origin };
    const { alerts, counts } = alerting([hook("http://alerts.example/in")], { env });
    alerts.take(await kept(BLOCKED));
    const [got] = await proxy.whenThereAre(1);
    expect(got?.path).toBe("http://alerts.example/in");
    await alerts.close();
    expect(counts).toEqual({ "blocked sent": 1 });
  });
});

describe("a lane", () => {
  it("delivers an alert that arrives right after the last one", async () => {
    const lane = new AlertQueue(async () => {}, new AbortController().signal);
    const ended: number[] = [];
    const job = (at: number): AlertJob => ({
      attempt: async () => ({ sent: true }),
      ended() {
        ended.push(at);
        if (at < 3) queueMicrotask(() => lane.add(job(at + 1)));
      },
    });
    lane.add(job(1));
    await expect.poll(() => ended).toEqual([1, 2, 3]);
  });
});

describe("an alert", () => {
  it.each([
    ["blocked", BLOCKED],
    ["server_failed", FAILED],
    ["call_error", ERROR],
    ["schema_change", CHANGED],
  ] as const)("is sent for %s", async (when, entry) => {
    const receiver = await startReceiver();
    const { alerts, counts } = alerting([{ ...hook(receiver.url), when }]);
    alerts.take(await kept(...OTHERS, BLOCKED, FAILED, ERROR, CHANGED));
    await alerts.close();
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([entry.type]);
    expect(counts).toEqual({ [`${when} sent`]: 1 });
  });

  it.each([
    [{ server: "crm" }, 1],
    [{ server: "crm", tool: "update" }, 1],
    [{ tool: "other" }, 0],
    [{ server: "CRM" }, 0],
  ])("is sent only if it matches %j", async (filter, many) => {
    const receiver = await startReceiver();
    const { alerts } = alerting([{ ...hook(receiver.url), ...filter }]);
    alerts.take(await kept(BLOCKED));
    await alerts.close();
    expect(receiver.received).toHaveLength(many);
  });

  it("is sent once per interval and rule, even across a reload", async () => {
    const receiver = await startReceiver();
    let now = 0;
    const rules = [
      { ...hook(receiver.url), minInterval: 60 },
      { ...hook(receiver.url), when: "call_error" as const },
    ];
    const { alerts, counts } = alerting(rules, { now: () => now });
    const records = await kept(BLOCKED, BLOCKED, ERROR, ERROR);
    alerts.take(records);
    now = 59_000;
    alerts.update(structuredClone(rules));
    alerts.take(records);
    now = 60_000;
    alerts.take(records);
    await alerts.close();
    expect(counts).toEqual({ "blocked sent": 2, "blocked suppressed": 4, "call_error sent": 6 });
  });

  it("is not sent after its rule was removed", async () => {
    const receiver = await startReceiver();
    const { alerts, counts } = alerting([hook(receiver.url)]);
    alerts.update(undefined);
    alerts.take(await kept(BLOCKED));
    await alerts.close();
    expect(counts).toEqual({});
  });
});

describe("an alert command", () => {
  const command = (...words: readonly string[]): AlertRule => ({
    when: "blocked",
    minInterval: 0,
    to: { command: words },
  });
  const node = (script: string, ...args: readonly string[]): readonly string[] => {
    const file = join(tempDir(), "alert.mjs");
    writeFileSync(file, script);
    return [process.execPath, file, ...args];
  };
  const SHOWS = `
    import { appendFileSync } from "node:fs";
    let text = "";
    for await (const part of process.stdin) text += part;
    appendFileSync(process.argv[2], JSON.stringify({ text, argv: process.argv.slice(2), env: process.env }) + "\\n");`;

  it("gets the record only on stdin, and no secret in its environment", async () => {
    const out = join(tempDir(), "out");
    const words = node(SHOWS, out, "$(touch x); `id`", "a b");
    const env = { ...process.env, TOUCHSTONE_API_KEY: "SECRET-KEY", MINE: "kept" };
    const { alerts, counts } = alerting([command(...words)], { env });
    const records = await kept(BLOCKED);
    alerts.take(records);
    await alerts.close();
    expect(counts).toEqual({ "blocked sent": 1 });
    const shown = JSON.parse(readFileSync(out, "utf8"));
    expect(JSON.parse(shown.text)).toMatchObject({ id: records[0]?.id, reason: BLOCKED.reason });
    expect(shown.argv).toEqual(words.slice(2));
    expect(shown.env).toMatchObject({ MINE: "kept" });
    expect(JSON.stringify([shown.env, shown.text])).not.toMatch(/SECRET|arguments|result"/);
    expect(JSON.stringify(shown.env)).not.toContain("is required");
  });

  it("runs one at a time, whichever rule starts it", async () => {
    const lock = join(tempDir(), "lock");
    const script = `
      import { rmSync, writeFileSync } from "node:fs";
      writeFileSync(process.argv[2], "", { flag: "wx" });
      for await (const _ of process.stdin);
      setImmediate(() => rmSync(process.argv[2]));`;
    const words = node(script, lock);
    const { alerts, counts, lines } = alerting([command(...words), command(...words, "2")]);
    alerts.take(await kept(BLOCKED, BLOCKED));
    await expect.poll(() => counts).toEqual({ "blocked sent": 4 });
    expect(lines).toEqual([]);
    expect(existsSync(lock)).toBe(false);
  });

  it.each([
    ["fails", () => node('console.error("no route"); process.exit(3)'), /ended with 3: no route/],
    ["is not there", () => ["/nowhere/alert"], /to \/nowhere\/alert: .*ENOENT/],
    ["cannot be run", () => [tempDir()], /EACCES/],
  ])("that %s is reported, and not retried", async (_, words, told) => {
    const { alerts, counts, lines } = alerting([command(...words())]);
    alerts.take(await kept(BLOCKED));
    await alerts.close();
    expect(counts).toEqual({ "blocked failed": 1 });
    expect(lines.join("\n")).toMatch(told);
  });

  it("that does not end is killed with its children", long, async () => {
    const file = join(tempDir(), "pid");
    const stays = `
      import { spawn } from "node:child_process";
      import { writeFileSync } from "node:fs";
      process.on("SIGTERM", () => {});
      const { pid } = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      writeFileSync(process.argv[2], String(pid));
      setInterval(() => {}, 1000);`;
    const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { signal } = new AbortController();
    const running = runCommand(node(stays, file), "{}", {
      env: process.env,
      signal,
      timeMs: 1_500,
    });
    while (!existsSync(file) || readFileSync(file, "utf8") === "") await turn();
    vi.advanceTimersByTime(1_500);
    vi.useRealTimers();
    expect(await running).toEqual({
      sent: false,
      again: false,
      reason: "the command was stopped after 1.5 s",
    });
    const pid = Number(readFileSync(file, "utf8"));
    const lives = (): boolean => {
      try {
        process.kill(pid, 0);
        return true;
      } catch {
        return false;
      }
    };
    while (lives()) await turn();
  });

  it("does not have to read its stdin", async () => {
    const signal = new AbortController().signal;
    const ended = await runCommand(node("process.exit(0)"), "x".repeat(1_000_000), {
      env: process.env,
      signal,
    });
    expect(ended).toEqual({ sent: true, exitCode: 0 });
  });
});
