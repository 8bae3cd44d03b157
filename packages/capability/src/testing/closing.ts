import { afterEach } from "vitest";

/** Registers, in the file that calls it, that what is put into the list is closed after each test. */
export function closing(): { close(): unknown }[] {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  return open;
}
