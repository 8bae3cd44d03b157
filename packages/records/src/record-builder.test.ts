import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../util/src/time-slice.ts";
import type { ActivityEntry } from "./record.ts";
import { RecordBuilder } from "./record-builder.ts";

const NOW = new Date("2026-01-02T03:04:05.678Z");
const call = (tool: string, bodyBytes: number): ActivityEntry => ({
  type: "tool_call",
  source: "gateway",
  server: "s",
  tool,
  arguments: Buffer.from(`{"a":[${"1,".repeat(bodyBytes / 2)}1],"password":"hunter2"}`),
});

/** A builder whose clock advances by 1 ms each time it is read, and which has its own turns. */
function building(maxBytes = 1_000_000) {
  let now = 0;
  const turns: (() => void)[] = [];
  const slice = new TimeSlice(
    () => (now += 1),
    (run) => turns.push(run),
  );
  const builder = new RecordBuilder(() => NOW, { maxBytes }, slice);
  const delivered: (string | null)[] = [];
  const failed: unknown[] = [];
  const build = (...entries: ActivityEntry[]): void =>
    builder.build(
      entries,
      (records) => {
        for (const record of records) {
          expect(record).toMatchObject({ redactions: 1 });
          delivered.push(record.tool);
        }
      },
      (error) => failed.push(error),
    );
  let turnsTaken = 0;
  const finish = async (): Promise<number> => {
    while (builder.building !== undefined) {
      turns.shift()?.();
      turnsTaken += 1;
      await new Promise(setImmediate);
    }
    return turnsTaken;
  };
  return { builder, build, delivered, failed, finish };
}

describe("RecordBuilder", () => {
  it("delivers a short append at once", () => {
    const { builder, build, delivered } = building();
    build(call("a", 100));
    expect(delivered).toEqual(["a"]);
    expect(builder.building).toBeUndefined();
  });

  it("keeps the order of appends, also if a short one follows a long one", async () => {
    const { build, delivered, finish } = building();
    build(call("a", 200_000));
    build(call("b", 10), call("c", 100_000));
    build(call("d", 10));
    expect(delivered).toEqual([]);
    expect(await finish()).toBeGreaterThan(3);
    expect(delivered).toEqual(["a", "b", "c", "d"]);
  });

  it("spreads many short appends over several turns", async () => {
    const { build, delivered, finish } = building();
    const tools = Array.from({ length: 60 }, (_, i) => `t${i}`);
    for (const tool of tools) build(call(tool, 4_000));
    expect(delivered.length).toBeLessThan(tools.length);
    expect(await finish()).toBeGreaterThan(1);
    expect(delivered).toEqual(tools);
  });

  it("builds a list of many records without bodies in several turns", async () => {
    const many = (count: number) =>
      Array.from(
        { length: count },
        (): ActivityEntry => ({ type: "schema_change", source: "gateway" }),
      );
    const builder = new RecordBuilder(() => NOW, undefined);
    const delivered: number[] = [];
    const build = (count: number): void =>
      builder.build(
        many(count),
        (records) => delivered.push(records.length),
        (error) => {
          throw error;
        },
      );
    build(250);
    expect(delivered).toEqual([250]);
    build(251);
    build(1);
    expect(delivered).toEqual([250]);
    await builder.building;
    expect(delivered).toEqual([250, 251, 1]);
  });

  it("reports an entry that cannot be built, and continues", async () => {
    const { build, delivered, failed, finish } = building();
    const broken = Object.defineProperty(call("x", 100_000), "reason", {
      enumerable: true,
      get: () => {
        throw new Error("broken");
      },
    });
    build(broken);
    build(call("y", 100_000));
    await finish();
    expect(failed).toEqual([new Error("broken")]);
    expect(delivered).toEqual(["y"]);
  });
});
