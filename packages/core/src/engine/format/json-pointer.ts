/** A tilde that is not the start of `~0` or `~1`. */
const BARE_TILDE = /~(?![01])/;
const STEPS_UP = /^(?:0|[1-9]\d*)/;
const INDEX_MOVE = /^[+-](?:0|[1-9]\d*)/;

/** A pointer of RFC 6901, section 3. */
export function isJsonPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !BARE_TILDE.test(text));
}

/** A fragment of RFC 6901, section 6: a pointer, percent-encoded where a URI asks for it. */
export function isJsonPointerUriFragment(text: string): boolean {
  return (
    text.startsWith("#") &&
    isJsonPointer(text.slice(1)) &&
    /^[a-z\d\-._~!$&'()*+,;=:@/%]*$/i.test(text.slice(1)) &&
    !/%(?![\da-f]{2})/i.test(text)
  );
}

/**
 * A pointer of draft-bhutton-relative-json-pointer-00, section 3. Moves by an index (`0+1/a`), which
 * drafts before 2020-12 do not have, are taken everywhere.
 */
export function isRelativeJsonPointer(text: string): boolean {
  const up = STEPS_UP.exec(text)?.[0];
  if (up === undefined) return false;
  const rest = text.slice(up.length);
  const move = INDEX_MOVE.exec(rest)?.[0] ?? "";
  const end = rest.slice(move.length);
  return end === "#" || isJsonPointer(end);
}
