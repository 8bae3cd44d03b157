import type { ValidationSettings } from "../../settings/validation.ts";
import { ADD, all, deferred, Harness, structured } from "./harness.ts";

/** A pipeline whose server has listed `add`. */
export async function ready(
  settings: ValidationSettings = all("warn"),
  revision?: string,
): Promise<Harness> {
  const h = new Harness({ settings, ...(revision === undefined ? {} : { revision }) });
  await h.list([ADD]);
  return h;
}

/** A response to the call 1 of `add` that breaks its output schema. */
export const BAD_RESULT: string = structured(1, "{}");

/** Holds appends back until it is opened. */
export function gate(h: Harness): { reached: Promise<void>; open: () => void } {
  const { promise, resolve } = deferred<undefined>();
  h.activity.gate = async () => {
    await promise;
  };
  return { reached: h.activity.nextAppend(), open: () => resolve(undefined) };
}
