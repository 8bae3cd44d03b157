/** A text of each format that people and models get wrong, as an example. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T12:00:00Z"],
  ["duration", "P1DT12H"],
  ["email", "name@example.com"],
  ["hostname", "www.example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["json-pointer", "/a/0"],
  ["time", "12:00:00Z"],
  ["uri", "https://example.com/a"],
  ["uri-reference", "/a?b=c"],
  ["uuid", "123e4567-e89b-12d3-a456-426614174000"],
]);

/** A text that the format accepts, where one is worth showing (2020-12 Validation, section 7.3). */
export function exampleOf(format: string): string | undefined {
  return EXAMPLES.get(format);
}
