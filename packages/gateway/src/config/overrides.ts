import { resolve } from "node:path";
import { pin } from "../features/pin/pin.ts";
import { DEFAULT_SETTINGS, type Mode, type ValidationSettings } from "../policy/settings.ts";

/** Command-line options. They override a file at every level. */
export interface Overrides {
  /** For all three directions; the three below override it. */
  readonly mode?: Mode | undefined;
  readonly inputMode?: Mode | undefined;
  readonly outputMode?: Mode | undefined;
  readonly protocolMode?: Mode | undefined;
  /** What happens to what the policy forbids, if there is a policy; `mode` does not change it. */
  readonly policyMode?: Mode | undefined;
  /** Largest arguments and structured results to check, in bytes; not for protocol checks. */
  readonly maxBytes?: number | undefined;
  readonly maxDepth?: number | undefined;
  readonly missingStructuredContent?: "allow" | "block" | undefined;
  readonly onInvalidSchema?: "allow" | "block_external" | "block" | undefined;
  readonly onUnknownSchema?: "allow" | "block" | undefined;
  /** What happens to tools that are not approved; `mode` does not change it. */
  readonly pin?: Mode | undefined;
  /** `first_use`, or a lock file, relative to the working directory. */
  readonly lock?: string | undefined;
  /** `HOST:PORT` or `[IPV6]:PORT`. */
  readonly listen?: string | undefined;
}

/** Returns the settings with the command-line options applied. Pure; values are not checked. */
export function applyOverrides(
  settings: ValidationSettings,
  overrides: Overrides,
): ValidationSettings {
  const { mode, maxBytes, maxDepth, onInvalidSchema, onUnknownSchema, missingStructuredContent } =
    overrides;
  const { input, output, protocol, policy, pin: above, ...rest } = settings;
  const pinned = pin.merge(above, overrides, { fileNamed: (name) => resolve(name) });
  return {
    ...(pinned && { pin: pinned }),
    ...rest,
    ...(policy && { policy: { ...policy, mode: overrides.policyMode ?? policy.mode } }),
    input: {
      ...input,
      mode: overrides.inputMode ?? mode ?? input.mode,
      maxBytes: maxBytes ?? input.maxBytes,
      maxDepth: maxDepth ?? input.maxDepth,
      onInvalidSchema: onInvalidSchema ?? input.onInvalidSchema,
      onUnknownSchema: onUnknownSchema ?? input.onUnknownSchema,
    },
    output: {
      ...output,
      mode: overrides.outputMode ?? mode ?? output.mode,
      maxBytes: maxBytes ?? output.maxBytes,
      maxDepth: maxDepth ?? output.maxDepth,
      onInvalidSchema: onInvalidSchema ?? output.onInvalidSchema,
      onUnknownSchema: onUnknownSchema ?? output.onUnknownSchema,
      missingStructuredContent: missingStructuredContent ?? output.missingStructuredContent,
    },
    protocol: { ...protocol, mode: overrides.protocolMode ?? mode ?? protocol.mode },
  };
}

/** Returns the settings without a file: the defaults and the command-line options. */
export function settingsFromOverrides(overrides: Overrides): ValidationSettings {
  return applyOverrides(DEFAULT_SETTINGS, overrides);
}
