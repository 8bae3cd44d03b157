import type { Reporter, TestModule } from "vitest/node";

/** Prints `N passed, N failed, N skipped` alone on the last line, uncoloured, for CI to read. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        counts[state === "pending" ? "failed" : state] += 1;
      }
    }
    counts.failed += unhandledErrors.length;
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
