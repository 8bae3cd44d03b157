import type { Reporter, TestModule } from "vitest/node";

/** Tests that take longer are listed, in milliseconds: `npm test` is to take five minutes, with 20,000 tests. */
const SLOW_MS = 1_000;
const MOST_LISTED = 30;

/**
 * Lists the slowest tests, counts the skipped ones that are left to a longer run, and prints
 * `N passed, N failed, N skipped` alone on the last line, uncolored, for CI to read.
 */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const slow: { ms: number; name: string }[] = [];
    const left = new Map<string, number>();
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        counts[state === "pending" ? "failed" : state] += 1;
        const { leftTo } = test.meta();
        if (state === "skipped" && leftTo !== undefined) {
          left.set(leftTo, (left.get(leftTo) ?? 0) + 1);
        }
        const ms = test.diagnostic()?.duration ?? 0;
        if (ms > SLOW_MS) slow.push({ ms, name: `${module.relativeModuleId} > ${test.fullName}` });
      }
    }
    counts.failed += unhandledErrors.length;
    if (slow.length > 0) {
      const total = slow.reduce((sum, { ms }) => sum + ms, 0);
      console.log(`${slow.length} tests over 1 s, ${(total / 1_000).toFixed(0)} s in all:`);
      const listed = slow.sort((a, b) => b.ms - a.ms).slice(0, MOST_LISTED);
      for (const { ms, name } of listed) console.log(`${(ms / 1_000).toFixed(1)} s  ${name}`);
      if (slow.length > listed.length) console.log(`and ${slow.length - listed.length} more`);
    }
    for (const [run, count] of left) console.log(`left to ${run}: ${count} (counted as skipped)`);
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
