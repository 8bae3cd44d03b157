// Compares JSON texts exactly: numbers by their decimal value, members by name, repeated members one by one.

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// Control characters are not JSON, unless escaped.
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const LITERAL = /true|false|null/y;
const DEEPEST = 2_000;

/** A number as its text. */
class Digits {
  constructor(text) {
    this.text = text;
  }
}

/** The members of an object in their order; names may repeat. */
class Members {
  constructor(list) {
    this.list = list;
  }
}

/**
 * Parses a text strictly by RFC 8259.
 * @returns the value: `Members` for an object, `Digits` for a number; undefined if it is not JSON or nests too deeply
 */
export function parseExact(text) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  };
  const is = (character) => {
    take(SPACE);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const need = (isThere) => {
    if (!isThere) throw new SyntaxError(`not JSON at ${at}`);
  };
  const list = (end, item) => {
    const items = [];
    if (is(end)) return items;
    do items.push(item());
    while (is(","));
    need(is(end));
    return items;
  };
  const string = () => {
    take(SPACE);
    const found = take(STRING);
    need(found !== undefined);
    return JSON.parse(found);
  };
  const value = (depth) => {
    need(depth < DEEPEST);
    if (is("{")) {
      const member = () => {
        const name = string();
        need(is(":"));
        return [name, value(depth + 1)];
      };
      return new Members(list("}", member));
    }
    if (is("[")) return list("]", () => value(depth + 1));
    if (text[at] === '"') return string();
    const literal = take(LITERAL);
    if (literal !== undefined) return JSON.parse(literal);
    const number = take(NUMBER);
    need(number !== undefined && number !== "");
    return new Digits(number);
  };
  try {
    const whole = value(0);
    take(SPACE);
    return at === text.length ? whole : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the value of an object's last member of a name; undefined if there is none. */
export function member(value, name) {
  return value instanceof Members ? value.list.findLast(([key]) => key === name)?.[1] : undefined;
}

/** Returns the text of a number, or of any other value as JSON, cut to 40 characters. */
export function shown(value) {
  const text =
    value instanceof Digits
      ? value.text
      : JSON.stringify(value, (_, part) =>
          part instanceof Digits
            ? `#${part.text}`
            : part instanceof Members
              ? Object.fromEntries(part.list)
              : part,
        );
  return text === undefined || text.length <= 40 ? String(text) : `${text.slice(0, 39)}…`;
}

/** Returns sign, digits and exponent of a number, without zeros at either end. */
function decimal(text) {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length);
  return `${sign}${kept}e${power}`;
}

const kind = (value) =>
  value === null
    ? "null"
    : value instanceof Digits
      ? "number"
      : value instanceof Members
        ? "object"
        : Array.isArray(value)
          ? "array"
          : typeof value;

/**
 * Lists where two values differ, at most `most` places.
 * @returns such as `/params/n: 1 → 2`, `/_meta added`
 */
export function differences(before, after, most = 3, path = "", found = []) {
  if (found.length >= most) return found;
  const type = kind(before);
  if (type !== kind(after)) found.push(`${path || "/"}: ${shown(before)} → ${shown(after)}`);
  else if (type === "number") {
    if (decimal(before.text) !== decimal(after.text))
      found.push(`${path || "/"}: ${before.text} → ${after.text}`);
  } else if (type === "array") {
    for (const [index, item] of before.entries()) {
      if (index >= after.length) found.push(`${path}/${index} removed`);
      else differences(item, after[index], most, `${path}/${index}`, found);
    }
    for (let i = before.length; i < after.length; i += 1) found.push(`${path}/${i} added`);
  } else if (type === "object") {
    objectDifferences(before, after, most, path, found);
  } else if (before !== after) found.push(`${path || "/"}: ${shown(before)} → ${shown(after)}`);
  return found.slice(0, most);
}

function objectDifferences(before, after, most, path, found) {
  const grouped = ({ list }) => Map.groupBy?.(list, ([name]) => name) ?? groups(list);
  const [ours, theirs] = [grouped(before), grouped(after)];
  for (const [name, members] of ours) {
    const others = theirs.get(name) ?? [];
    const where = `${path}/${name}`;
    if (others.length === 0) found.push(`${where} removed`);
    else if (others.length !== members.length)
      found.push(`${where}: ${members.length} times → ${others.length}`);
    else
      for (const [index, [, value]] of members.entries())
        differences(value, others[index][1], most, where, found);
  }
  for (const name of theirs.keys()) if (!ours.has(name)) found.push(`${path}/${name} added`);
}

function groups(list) {
  const map = new Map();
  for (const entry of list) map.set(entry[0], [...(map.get(entry[0]) ?? []), entry]);
  return map;
}
