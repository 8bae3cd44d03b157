import { describe, expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { formatCheck, formatOf, numberFormatCheck } from "./format.ts";

const NAMES = [
  ..."binary byte date date-time duration email host-name hostname idn-email idn-hostname".split(
    " ",
  ),
  ..."ip-address ipv4 ipv6 iri iri-reference iso-date-time iso-time json-pointer".split(" "),
  ..."json-pointer-uri-fragment password regex relative-json-pointer time uri".split(" "),
  ..."uri-reference uri-template url uuid".split(" "),
];

describe("formatCheck", () => {
  it.each(NAMES)("checks %s", (name) => {
    expect(formatCheck(name)).toBeTypeOf("function");
    expect(formatOf(name, "2020-12")).toBe(name);
  });

  it.each(["toString", "__proto__", "constructor", "", "Date", "color", "int32"])(
    "has no check for %j",
    (name) => expect(formatCheck(name)).toBeUndefined(),
  );

  it.each<[string, string, boolean]>([
    ["date", "2024-02-29", true],
    ["date", "1900-02-29", false],
    ["date", "2024-13-01", false],
    ["date", "2024-00-01", false],
    ["date", "2024-04-31", false],
    ["date", "২০২৪-01-01", false],
    ["date", "2024-01-01\n", false],
    ["time", "23:59:60Z", true],
    ["time", "22:59:60-01:00", true],
    ["time", "12:00:60Z", false],
    ["time", "12:00:00", false],
    ["time", "12:00:00+2400", false],
    ["time", "24:00:00Z", false],
    ["time", `12:00:00.${"9".repeat(50)}z`, true],
    ["date-time", "2024-01-01t00:00:00z", true],
    ["date-time", "2024-01-01 00:00:00Z", false],
    ["date-time", "2024-01-01T00:00:00Z[Europe/Zurich]", false],
    ["iso-date-time", "2024-01-01 00:00:00", true],
    ["iso-time", "00:00:00", true],
    ["duration", "P1Y2M3DT4H5M6S", true],
    ["duration", "P1Y2D", false],
    ["duration", "PT", false],
    ["duration", "P", false],
    ["duration", "P1W2D", false],
    ["email", "joe.bloggs@example.com", true],
    ["email", '"joe bloggs"@example.com', true],
    ["email", '"joe"bloggs"@example.com', false],
    ["email", "joe@[127.0.0.1]", true],
    ["email", "joe@[IPv6:::1]", true],
    ["email", "joe@[IPv6:::1::]", false],
    ["email", ".joe@example.com", false],
    ["email", "jo..e@example.com", false],
    ["email", "joe.@example.com", false],
    ["email", "joe@", false],
    ["email", "@example.com", false],
    ["email", "jöe@example.com", false],
    ["email", '""@example.com', true],
    ["email", '"a\\\\"@example.com', true],
    ["email", '"a\\"@example.com', false],
    ["email", '"\\\u0001"@example.com', false],
    ["email", "a@[127.0.0.11", false],
    ["idn-email", '"é"@example.com', true],
    ["idn-email", '"\\é"@example.com', false],
    ["idn-email", "a\u007f@example.com", false],
    ["idn-email", '"\u007f"@example.com', false],
    ["idn-email", "jöe@例え.jp", true],
    ["idn-email", "j\u0000@例え.jp", false],
    ["hostname", "a-b.example", true],
    ["hostname", "-a.example", false],
    ["hostname", `${"a".repeat(64)}.example`, false],
    ["hostname", "xn--X", false],
    ["host-name", "ab--cd", true],
    ["hostname", "ab--cd", false],
    ["ipv4", "1.2.3.4", true],
    ["ipv4", "01.2.3.4", false],
    ["ipv4", "1.2.3.256", false],
    ["ipv6", "::", true],
    ["ipv6", "1:2:3:4:5:6:7::", true],
    ["ipv6", "1:2:3:4:5:6:7:8::", false],
    ["ipv6", "::ffff:1.2.3.4", true],
    ["ipv6", "1.2.3.4::", false],
    ["ipv6", ":1:2:3:4:5:6:7", false],
    ["ipv6", "fe80::1%eth0", false],
    ["ipv6", ":::", false],
    ["uri", "http://[::1]:80/a?b#c", true],
    ["uri", "mailto:a@b", true],
    ["uri", "//example.com", false],
    ["uri", "http://a b", false],
    ["uri", "http://exa%zzmple", false],
    ["uri", "http://example.com:80a", false],
    ["uri", "http://[::1", false],
    ["uri", "http://a@b@c", false],
    ["uri", "http://ex.com/é", false],
    ["uri-reference", "a:b:c", true],
    ["uri-reference", "1a:b", false],
    ["uri-reference", "./1a:b", true],
    ["iri", "http://例え.jp/é?\ue000", true],
    ["iri", "http://例え.jp/\ue000", false],
    ["iri", "http://例え.jp/\ud800", false],
    ["iri", "http://a/😀", true],
    ["url", "https://example.com/a", true],
    ["url", "http://localhost:8080", true],
    ["url", "https://", false],
    ["url", "https://user@", false],
    ["url", "mailto:a@b", false],
    ["uri-template", "http://a/{x}{?y,z*}{+v:12}", true],
    ["uri-template", "{a.b}", true],
    ["uri-template", "{a.}", false],
    ["uri-template", "{.a}", true],
    ["uri-template", "{}", false],
    ["uri-template", "{a,}", false],
    ["uri-template", "{a:0}", false],
    ["uri-template", "{a", false],
    ["uri-template", "a}", false],
    ["json-pointer", "", true],
    ["json-pointer", "/a~1b/~0", true],
    ["json-pointer", "/~2", false],
    ["json-pointer", "/~", false],
    ["json-pointer", "a", false],
    ["json-pointer-uri-fragment", "#/a%25", true],
    ["json-pointer-uri-fragment", "#/a%2", false],
    ["json-pointer-uri-fragment", "/a", false],
    ["relative-json-pointer", "0#", true],
    ["relative-json-pointer", "1/a", true],
    ["relative-json-pointer", "01/a", false],
    ["relative-json-pointer", "0+1/a", true],
    ["relative-json-pointer", "0/a+1", true],
    ["relative-json-pointer", "0a+1", false],
    ["relative-json-pointer", "-1/a", false],
    ["regex", "^\\p{L}+$", true],
    ["regex", "[\\w\\-]\\@", true],
    ["regex", "a\\Z", false],
    ["regex", "a\\\\Z", true],
    ["regex", "(", false],
    ["ipv6", "1:2:3::4:5::6:7:8", false],
    ["iri", "a:\u{e1000}", true],
    ["iri", "a:\u{e0001}", false],
    ["uuid", "2EB8AA08-aa98-11ea-b4aa-73b441d16380", true],
    ["uuid", "urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380", false],
    ["byte", "YWI=", true],
    ["byte", "YWI", false],
    ["byte", "YW=I", false],
    ["binary", "\u0000", true],
  ])("%s %j: %s", (name, text, valid) => {
    expect(formatCheck(name)?.(text)).toBe(valid);
  });
});

describe("numberFormatCheck", () => {
  it.each<[string, number, boolean]>([
    ["int32", 2 ** 31 - 1, true],
    ["int32", 2 ** 31, false],
    ["int32", -(2 ** 31), true],
    ["int32", 0.5, false],
    ["int64", 2 ** 40, true],
    ["int64", 0.5, false],
    ["int64", 2 ** 63, true],
    ["int64", -(2 ** 63), true],
    ["int64", 2 ** 63 + 2 ** 11, false],
    ["int64", -(2 ** 63) - 2 ** 11, false],
    ["float", 0.5, true],
    ["double", 0.5, true],
  ])("%s %d: %s", (name, value, valid) => {
    expect(numberFormatCheck(name)?.(value)).toBe(valid);
    expect(formatOf(name, "2020-12")).toBe(name);
  });

  it.each([
    ["int64", "9223372036854775807", true],
    ["int64", "9223372036854775809", false],
    ["int64", "-9223372036854775809", false],
    ["int64", "9007199254740993", true],
    ["int64", "9007199254740993.5", false],
    ["int64", "1e400", false],
    ["int32", "1e400", false],
    ["int32", "5.00000000000000000001", false],
  ])("%s %s: %s", (format, text, valid) => {
    expect(compileDeclared({ value: { format } }).validateText(text).valid).toBe(valid);
  });

  it("checks no other formats", () => {
    expect(numberFormatCheck("date")).toBeUndefined();
    expect(numberFormatCheck("constructor")).toBeUndefined();
  });
});

/** Long repeats that quadratic checks hang on: 2^36 steps are never done in time. */
const UNITS = [
  ..."a 1 . - @ : / [ { ( \\ % ~ + [a (a a. a- a@ a: a/ %4 %41 {a} {a ~0 1. :: 1: é 😀".split(" "),
  ..."\u0301 a\u0301 \u00ad xn-- \ud800 \udc00 \n P1Y ::1 a,a, . a\\.".split(" "),
];
const PREFIXES = ["", "http://", '"', "{", "P", "12:00:00.", "/", "0", "#/"];

describe("a text of 262,144 characters", () => {
  it.each(NAMES)("gets a result for %s", (name) => {
    const check = formatCheck(name);
    for (const unit of UNITS) {
      const long = unit.repeat((1 << 18) / unit.length);
      for (const prefix of PREFIXES) expect(check?.(prefix + long)).toBeTypeOf("boolean");
    }
  });
});
