/** Takes all steps of some work at once. Returns its result. */
export function takeSteps<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
