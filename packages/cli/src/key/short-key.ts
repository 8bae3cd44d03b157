/** Returns the warning about a key that can be guessed, such as `auth.api_key`. */
export function shortKeyText(key: string): string {
  return `${key} has fewer than 16 characters, so it can be guessed; touchstone key create makes a longer one`;
}
