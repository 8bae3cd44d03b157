import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, vi } from "vitest";

/** Resolves when the referenced objects have been garbage-collected; fails if that does not happen. */
export async function collected(refs: readonly WeakRef<object>[]): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  await vi.waitFor(() => {
    gc();
    expect(refs.filter((ref) => ref.deref() !== undefined)).toEqual([]);
  }, 20_000);
}
