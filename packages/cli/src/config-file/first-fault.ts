import { messageOf } from "@touchstone/core/advanced";
import { ConfigError } from "@touchstone/gateway/config";

/**
 * Returns the message of an error; for an error of a configuration, that of its first fault without the file's name.
 */
export function firstFault(error: unknown): string {
  const [first] = error instanceof ConfigError ? error.faults : [];
  return first?.message ?? messageOf(error);
}
