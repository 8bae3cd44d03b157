/** What telemetry is configured to do cannot be done: a package that it needs is not installed. */
export class TelemetryError extends Error {
  override readonly name: string = "TelemetryError";
  readonly code = "PACKAGE_MISSING" as const;
}
