/** Variables by their names, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's text; empty is as good as unset (OpenTelemetry Environment Variable Specification). */
export function variable(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}
