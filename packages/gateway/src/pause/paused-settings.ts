import type { ValidationSettings } from "../policy/settings.ts";

const known = new WeakMap<ValidationSettings, ValidationSettings>();

/** Returns the settings that hold during a pause: every mode that blocks only warns, and what is off stays off. */
export function pausedSettings(settings: ValidationSettings): ValidationSettings {
  const before = known.get(settings);
  if (before !== undefined) return before;
  const { input, output, protocol } = settings;
  const paused: ValidationSettings = {
    ...settings,
    input: warnOnly(input),
    output: warnOnly(output),
    protocol: warnOnly(protocol),
  };
  known.set(settings, paused);
  return paused;
}

function warnOnly<T extends ValidationSettings["protocol"]>(check: T): T {
  return check.mode === "strict" ? { ...check, mode: "warn" } : check;
}
