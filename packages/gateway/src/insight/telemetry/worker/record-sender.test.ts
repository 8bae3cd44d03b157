import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { eachOf, long, split } from "../../../../../core/src/testing/sample.ts";
import { idTime } from "../../../../../records/src/ids.ts";
import type { ActivityEntry } from "../../../../../records/src/record.ts";
import type { ActivityStore } from "../../../../../records/src/store.ts";
import { type StoreUnderTest, usePlaces } from "../../../../../records/src/testing/places.ts";
import { LogCollector } from "../testing/log-collector.ts";
import { startOtlp } from "./otlp.ts";
import { logRecord } from "./record-exporter.ts";
import { RecordSender } from "./record-sender.ts";

const CALL: ActivityEntry = {
  type: "tool_call",
  source: "gateway",
  server: "srv",
  tool: "add",
  status: "blocked",
  decision: "blocked",
  reason: "/a must be a number",
  request_id: "r-1",
  duration_ms: 1.5,
  bytes_in: 70,
  issues: [{ path: "/a", message: "must be a number", rule: "type", params: { big: 1e300 } }],
  arguments: Buffer.from('{"a":"x"}'),
  result: Buffer.from('{"content":[]}'),
};

afterEach(() => void vi.unstubAllEnvs());

/** Starts to send the records of a place, as a separate process would. */
async function sender(place: StoreUnderTest, collector: LogCollector, bodies = false, since = 0) {
  for (const [name, value] of Object.entries(collector.env)) vi.stubEnv(name, value);
  const warnings: string[] = [];
  const signals = { traces: false, metrics: false, logs: true };
  const { records } = await startOtlp(signals, "1.2.3", (_, text) => warnings.push(text), bodies);
  if (records === undefined) throw new Error("no exporter");
  const made = new RecordSender({
    place: place.at,
    since,
    exporter: records,
    warn: (text) => warnings.push(text),
  });
  let ended: Promise<boolean> | undefined;
  const finish = (milliseconds = 5_000): Promise<boolean> => {
    ended ??= made.finish(milliseconds);
    return ended;
  };
  onTestFinished(async () => void (await finish()));
  return { finish, warnings };
}

for (const [places, options] of split(usePlaces(), 1))
  describe.each(places)("records of %s", options, (_name, open) => {
    let place: StoreUnderTest;
    let store: ActivityStore;
    let collector: LogCollector;
    let now: () => Date;
    const append = async (count: number): Promise<readonly string[]> => {
      const kept = await store.append(Array.from({ length: count }, () => CALL));
      return kept.map(({ id }) => id);
    };

    beforeEach(async ({ skip }) => {
      place = await open(skip);
      now = () => new Date();
      store = await place.store({ bodies: { maxBytes: 1_000 }, now: () => now() });
      collector = await LogCollector.reserve();
      onTestFinished(() => store.close());
    });

    it("reach a collector that is down at first, in order", long, async () => {
      const ids = [...(await append(300))];
      const { finish, warnings } = await sender(place, collector);
      await vi.waitFor(
        () => expect(warnings).toContainEqual(expect.stringMatching(/not accepted/)),
        {
          timeout: 20_000,
        },
      );
      ids.push(...(await append(2)));
      await collector.start();
      await collector.until(() => collector.logs.length >= 302);
      expect(await finish()).toBe(true);
      expect(collector.ids).toEqual(ids);
      expect(Math.max(...collector.sizes)).toBeLessThanOrEqual(200);
    });

    it("continue where the last process stopped", async () => {
      await collector.start();
      const first = await append(3);
      const one = await sender(place, collector);
      await collector.until(() => collector.logs.length === 3);
      await one.finish();
      // The collector is down while another process runs and ends.
      await collector.stop();
      const second = await append(2);
      const two = await sender(place, collector);
      await two.finish();
      const third = await append(2);
      await collector.start();
      await sender(place, collector);
      await collector.until(() => collector.logs.length >= 7);
      expect(collector.ids).toEqual([...first, ...second, ...third]);
    });

    it("are sent again if the bookmark is damaged", async () => {
      await collector.start();
      const first = await append(3);
      const one = await sender(place, collector);
      await collector.until(() => collector.logs.length === 3);
      await one.finish();
      await place.damageBookmark();
      const second = await append(2);
      const { warnings } = await sender(place, collector);
      await collector.until(() => collector.logs.length >= 8);
      expect(collector.ids).toEqual([...first, ...first, ...second]);
      expect(warnings).toEqual([
        expect.stringMatching(/unreadable: earlier records may not be sent/),
      ]);
    });

    it("are sent by one process at a time, and by the next when it has ended", long, async () => {
      await collector.start();
      const one = await sender(place, collector);
      const first = await append(1);
      await collector.until(() => collector.logs.length === 1);
      await sender(place, collector);
      const second = await append(5);
      await collector.until(() => collector.logs.length >= 6);
      await one.finish();
      const third = await append(1);
      await collector.until(() => collector.logs.length >= 7);
      expect(collector.ids).toEqual([...first, ...second, ...third]);
    });

    it("are sent at shutdown, except those before the first start", async () => {
      const [before = ""] = await append(1);
      // Ids of one process only increase, and other tests set the clock forward.
      const since = idTime(before) + 1;
      now = () => new Date(since);
      await collector.start();
      const { finish } = await sender(place, collector, false, since);
      const ids = await append(2);
      expect(await finish()).toBe(true);
      expect(collector.ids).toEqual(ids);
    });

    it("are not reported as sent while an open transaction may come before them", async ({
      skip,
    }) => {
      if (!("url" in place.at)) return skip("SQLite has one writer at a time");
      await collector.start();
      const other = new pg.Client({ connectionString: place.at.url });
      await other.connect();
      await other.query("BEGIN; SELECT pg_current_xact_id()");
      const ids = await append(2);
      const one = await sender(place, collector);
      expect(await one.finish(500)).toBe(false);
      expect(collector.ids).toEqual([]);
      await other.query("COMMIT");
      await other.end();
      await sender(place, collector);
      await collector.until(() => collector.logs.length >= 2);
      expect(collector.ids).toEqual(ids);
    });

    it("go in smaller requests if a collector refuses large ones", async () => {
      collector.status = (records) => (records > 2 ? 413 : 200);
      await collector.start();
      const ids = await append(5);
      await sender(place, collector);
      await collector.until(() => collector.logs.length >= 5);
      expect(collector.ids).toEqual(ids);
    });

    it("wait while a collector refuses them", long, async () => {
      collector.status = () => 401;
      await collector.start();
      const ids = await append(2);
      await sender(place, collector);
      await collector.until(() => collector.sizes.length > 1);
      collector.status = () => 200;
      await collector.until(() => collector.logs.length >= 2);
      expect(collector.ids).toEqual(ids);
    });

    eachOf([false, true], 1)(
      "include arguments and results only if configured: %s",
      async (bodies) => {
        await collector.start();
        await sender(place, collector, bodies);
        const [id] = await append(1);
        await collector.until(() => collector.logs.length === 1);
        const [log] = collector.logs;
        const { hash = "", prev_hash, time = "" } = (await store.get(id ?? "")) ?? {};
        expect(log).toMatchObject({
          timeUnixNano: `${Date.parse(time)}000000`,
          severityText: "WARN",
          eventName: "touchstone.tool_call",
          body: "tool_call srv/add blocked: /a must be a number",
        });
        const { "touchstone.issues": issues, ...attributes } = log?.attributes ?? {};
        expect(JSON.parse(String(issues))).toMatchObject(CALL.issues ?? []);
        expect(attributes).toEqual({
          "log.record.uid": id,
          "touchstone.type": "tool_call",
          "touchstone.source": "gateway",
          "touchstone.server.name": "srv",
          "gen_ai.tool.name": "add",
          "touchstone.decision": "blocked",
          "touchstone.status": "blocked",
          "touchstone.reason": "/a must be a number",
          "touchstone.request_id": "r-1",
          "touchstone.bytes_in": 70,
          "touchstone.duration_ms": 1.5,
          "touchstone.redactions": 0,
          "touchstone.prev_hash": prev_hash,
          "touchstone.hash": hash,
          ...(bodies
            ? { "touchstone.arguments": '{"a":"x"}', "touchstone.result": '{"content":[]}' }
            : {}),
        });
      },
    );
  });

it("turns a record with any fields, even an invalid time, into a log record", async () => {
  const record = {
    id: "1",
    time: "never",
    type: "system_start",
    source: "gateway",
    server: null,
    tool: null,
    status: "error",
    reason: null,
    issues: [],
    duration_ms: 1e300,
    patch: "[]",
    response_text: "text",
  } as unknown as Parameters<typeof logRecord>[0];
  expect(logRecord(record, false)).toEqual({
    eventName: "touchstone.system_start",
    severityNumber: 17,
    severityText: "ERROR",
    body: "system_start error",
    attributes: {
      "log.record.uid": "1",
      "touchstone.type": "system_start",
      "touchstone.source": "gateway",
      "touchstone.status": "error",
      "touchstone.issues": "[]",
      "touchstone.duration_ms": "1e+300",
      // This attribute contains no values.
      "touchstone.response_text": "text",
    },
  });
});
