import { afterEach, expect, it, vi } from "vitest";
import { SchemaCache } from "./cache.ts";
import { type Deadline, DeadlineError } from "./schema/deadline.ts";

afterEach(() => void vi.useRealTimers());

it("compiles a schema again that took too long, and not for each call", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let busy = true;
  let tried = 0;
  const deadline: Deadline = {
    run: (milliseconds, task) => {
      tried += 1;
      if (busy) throw new DeadlineError(milliseconds);
      return task();
    },
  };
  const cache = new SchemaCache({ deadline });
  const properties = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`property_${at}`, { type: "integer" }]),
  );
  const schema = { value: { type: "object", properties } };
  expect(cache.get(schema).fault?.code).toBe("too_slow");
  expect(cache.get(schema).fault?.code).toBe("too_slow");
  expect(tried).toBe(1);
  busy = false;
  vi.advanceTimersByTime(30_000);
  const compiled = cache.get(schema);
  expect(compiled.fault).toBeUndefined();
  expect(cache.get(schema)).toBe(compiled);
  expect(cache.size).toBe(1);
});
