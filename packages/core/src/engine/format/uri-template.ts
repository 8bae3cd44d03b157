import { CODE, DIGITS, isEscape, LETTERS, table } from "./characters.ts";
import { PRIVATE, strayFrom, UCS } from "./uri.ts";

/** `literals` of RFC 6570, section 2.1, with the apostrophe that erratum 6937 adds. */
const STRAY = strayFrom(`A-Za-z\\d!#$&'()*+,\\-./:;=?@\\[\\]_~${UCS}${PRIVATE}`);
/** `operator` of section 2.2. */
const OPERATORS = table("+#./;?&=,!@|");
const VARCHAR = table(`${LETTERS}${DIGITS}_`);
const MODIFIER = /^(?::[1-9]\d{0,3}|\*)?$/;

/** `varspec` of section 2.3 with its modifier of section 2.4. */
function isVariable(text: string): boolean {
  let at = 0;
  // Whether a name may not end here: at its start and after a dot.
  let open = true;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (VARCHAR[code] === 1) open = false;
    else if (isEscape(text, at)) {
      at += 2;
      open = false;
    } else if (code === CODE.dot && !open) open = true;
    else break;
  }
  // The longest modifier has five characters.
  return !open && text.length - at <= 5 && MODIFIER.test(text.slice(at));
}

function isExpression(text: string): boolean {
  const names = OPERATORS[text.charCodeAt(0)] === 1 ? text.slice(1) : text;
  return names.split(",").every(isVariable);
}

/** `URI-Template` of RFC 6570, section 2. */
export function isUriTemplate(text: string): boolean {
  let at = 0;
  for (let open = text.indexOf("{"); open >= 0; open = text.indexOf("{", at)) {
    const close = text.indexOf("}", open);
    if (close < 0 || !isExpression(text.slice(open + 1, close))) return false;
    if (STRAY.test(text.slice(at, open))) return false;
    at = close + 1;
  }
  return !STRAY.test(text.slice(at));
}
