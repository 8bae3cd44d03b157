import { afterEach } from "vitest";

/** Returns a list. Everything in it is closed after each test of the file that calls this function. */
export function closing(): { close(): unknown }[] {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  return open;
}
