import { afterEach, expect, it, vi } from "vitest";
import { SchemaCache } from "./cache.ts";
import { type Deadline, DeadlineError } from "./schema/deadline.ts";
import type { CompileOptions } from "./schema/options.ts";

afterEach(() => void vi.useRealTimers());

const properties = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`property_${at}`, { type: "integer" }]),
);
const schema = { value: { type: "object", properties } };

/** A deadline that ends everything as long as it is busy. */
function busyDeadline(): Deadline & { busy: boolean; tried: number } {
  const own = {
    busy: true,
    tried: 0,
    run<T>(milliseconds: number, task: () => T): T {
      own.tried += 1;
      if (own.busy) throw new DeadlineError(milliseconds);
      return task();
    },
  };
  return own;
}

it("compiles a schema again that took too long, and not for each call", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const deadline = busyDeadline();
  const cache = new SchemaCache({ deadline });
  expect(cache.get(schema).fault?.code).toBe("too_slow");
  expect(cache.get(schema).fault?.code).toBe("too_slow");
  expect(deadline.tried).toBe(1);
  deadline.busy = false;
  vi.advanceTimersByTime(30_000);
  const compiled = cache.get(schema);
  expect(compiled.fault).toBeUndefined();
  expect(cache.get(schema)).toBe(compiled);
  expect(cache.size).toBe(1);
});

it("counts the bytes of a schema once that is compiled again", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const deadline = busyDeadline();
  const cache = new SchemaCache({ deadline, maxBytes: 20_000 });
  for (let times = 0; times < 3; times++) {
    expect(cache.get(schema).fault?.code).toBe("too_slow");
    vi.advanceTimersByTime(30_000);
  }
  deadline.busy = false;
  const compiled = cache.get(schema);
  cache.get({ value: { title: "a".repeat(5000) } });
  expect(cache.size).toBe(2);
  expect(cache.get(schema)).toBe(compiled);
});

it("keeps a schema that took too long as long as it is used, like others", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const deadline = busyDeadline();
  const cache = new SchemaCache({ deadline, maxEntries: 2 });
  cache.get(schema);
  for (const title of ["a", "b", "c"]) {
    cache.get({ value: { title } });
    expect(cache.get(schema).fault?.code).toBe("too_slow");
  }
  expect(deadline.tried).toBe(1);
});

it("ends a schema by the deadline that is not kept, too", () => {
  const cache = new SchemaCache({ deadline: busyDeadline() });
  const given: CompileOptions = { documents: { "https://example.com/a": {} } };
  for (const options of [given, { formats: null as never }]) {
    expect(cache.get(schema, options).fault?.code).toBe("too_slow");
  }
  expect(cache.size).toBe(0);
});
