/** Encodes a name as a path segment. A lone surrogate, which a path cannot contain, becomes U+FFFD. */
export const pathSegment = (name: string): string => encodeURIComponent(name.toWellFormed());

/** Returns the query of a URL: `?` and the parameters that have a value, or an empty string. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, value.toWellFormed());
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
