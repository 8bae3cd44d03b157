import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { FAULTY_SERVER, recordsIn, tempDir, touchstone } from "../testing/touchstone.ts";

const request = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const HELLO = request(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
});
const bad = (id: number): string =>
  request(id, "tools/call", { name: "get_weather", arguments: { city: 5 } });

it(
  "applies changes to its file while it runs, and reports what needs a restart",
  long,
  async () => {
    const folder = tempDir();
    const dataDir = tempDir();
    const file = join(folder, "touchstone.json");
    const write = (content: unknown): void => {
      writeFileSync(`${file}.new`, typeof content === "string" ? content : JSON.stringify(content));
      renameSync(`${file}.new`, file);
    };
    const entry = (touchstone: object) => ({ mcpServers: { crm: { command: "x", touchstone } } });
    write({});
    const run = touchstone(
      ["wrap", "--config", file, "--name", "crm", "--", process.execPath, FAULTY_SERVER],
      { dataDir },
    );
    run.child.stdin.write(`${HELLO}${bad(1)}`);
    await run.seen("stdout", /.*"id":1\D.*/);

    write(entry({ input_validation: { mode: "strict" } }));
    await run.seen("stderr", /the configuration has changed: crm has new settings: input strict/);
    run.child.stdin.write(bad(2));
    const [blocked] = await run.seen("stdout", /.*"id":2\D.*/);
    expect(JSON.parse(blocked)).toMatchObject({ result: { isError: true } });

    write('{ "mode": ');
    await run.seen("stderr", /refused; the old one stays in effect: .*touchstone\.json:1:/);
    write({
      ...entry({ tools: { get_weather: { input_validation: { mode: "off" } } } }),
      activity: { store: "postgres://u:hunter2@h/d" },
      telemetry: { otlp: false, metrics: true },
      limits: { call_timeout: 5, sessions: 3 },
    });
    await run.seen("stderr", /crm has new settings: input warn/);
    for (const key of ["activity.store", "telemetry.otlp", "limits.call_timeout"]) {
      await run.seen("stderr", new RegExp(`${key} has changed and takes effect after a restart`));
    }
    run.child.stdin.write(bad(3));
    await run.seen("stdout", /.*"id":3\D.*/);
    run.child.stdin.end();
    expect(await run.ended).toBe(0);
    expect(run.stderr()).not.toMatch(/hunter2|metrics has|sessions has/);
    const records = await recordsIn(dataDir);
    expect(records.filter(({ type }) => type === "config_change")).toHaveLength(2);
    const judged = records.filter(
      ({ type, direction }) => type === "policy_decision" && direction === "input",
    );
    expect(judged.map(({ decision }) => decision).sort()).toEqual(["blocked", "warning"]);
  },
);
