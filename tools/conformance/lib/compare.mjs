const BAD = new Set(["FAILURE", "WARNING"]);

/** Counts the outcomes of each check of a scenario, and collects the messages of those that went wrong. */
function tally(checks = []) {
  const counts = new Map();
  for (const { key, status, message } of checks) {
    const one = counts.get(key) ?? { passed: 0, bad: 0, messages: [] };
    if (status === "SUCCESS") one.passed += 1;
    if (BAD.has(status)) {
      one.bad += 1;
      one.messages.push(`${status}: ${message}`);
    }
    counts.set(key, one);
  }
  return counts;
}

/**
 * Returns what one scenario lost on its way through the gateway.
 * @param lenient a check that no longer applies is not a loss: the transport differs
 * @returns the checks that are worse through the gateway than directly, each as a line with the reason
 */
export function losses(direct, through, { lenient = false } = {}) {
  const [before, after] = [tally(direct), tally(through)];
  const lost = [];
  for (const [key, { passed, bad, messages }] of after) {
    const was = before.get(key) ?? { passed: 0, bad: 0 };
    if (bad > was.bad) lost.push(`${key}: ${messages.join("; ")}`);
    else if (passed < was.passed && !lenient)
      lost.push(`${key}: passed ${passed} of ${was.passed}`);
  }
  for (const [key, { passed }] of before) {
    if (passed > 0 && !after.has(key) && !lenient) lost.push(`${key}: was not checked`);
  }
  if (through === undefined) lost.push("the scenario did not run");
  return lost;
}

/** Returns the score of a run: checks that passed and failed, over all scenarios. */
export function score(results) {
  let passed = 0;
  let failed = 0;
  for (const checks of results.values()) {
    passed += checks.filter(({ status }) => status === "SUCCESS").length;
    failed += checks.filter(({ status }) => status === "FAILURE").length;
  }
  return { passed, failed };
}
