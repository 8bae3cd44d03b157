import { stringify } from "yaml";
import { escapeUnsafe, hasUnsafeText } from "./safe-text.ts";

/**
 * Returns the YAML 1.2 text of a JSON value, which parses to exactly the value. If it contains characters that a
 * terminal could act on, all strings are double-quoted and these characters are escaped.
 */
export function toYaml(value: unknown): string {
  const plain = stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
  if (!hasUnsafeText(plain)) {
    return plain;
  }
  const quoted = stringify(value, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "QUOTE_DOUBLE",
  });
  return escapeUnsafe(quoted, "yaml");
}
