import fc from "fast-check";
import { expect, it } from "vitest";
import { mapConcurrently } from "./concurrency.ts";

it("runs a limited number at once, runs all, and returns the results in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.boolean(), { maxLength: 12 }),
      async (scheduler, most, fails) => {
        const begun: number[] = [];
        let running = 0;
        let peak = 0;
        const ended = Promise.allSettled(
          mapConcurrently(most, [...fails.entries()], async ([index, isFault]) => {
            begun.push(index);
            running += 1;
            peak = Math.max(peak, running);
            await scheduler.schedule(Promise.resolve());
            running -= 1;
            if (isFault) throw index;
            return index;
          }),
        );
        await scheduler.waitFor(ended);
        expect(begun).toEqual([...fails.keys()]);
        expect(peak).toBe(Math.min(most, fails.length));
        expect(await ended).toEqual(
          fails.map((isFault, index) =>
            isFault ? { status: "rejected", reason: index } : { status: "fulfilled", value: index },
          ),
        );
      },
    ),
  );
});
