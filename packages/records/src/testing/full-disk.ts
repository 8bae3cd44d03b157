import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";

/**
 * Makes all file writes of this process fail from now on, as on a full disk (`EFBIG` instead of `ENOSPC`), until the
 * returned function is called or the test ends. Linux only.
 */
export function fillDisk(): () => void {
  const limit = (bytes: string): void => {
    execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:`]);
  };
  // Without a listener the kernel's signal would end the process.
  const ignore = (): void => {};
  process.on("SIGXFSZ", ignore);
  limit("1");
  const mend = (): void => {
    limit("unlimited");
    process.off("SIGXFSZ", ignore);
  };
  onTestFinished(mend);
  return mend;
}
