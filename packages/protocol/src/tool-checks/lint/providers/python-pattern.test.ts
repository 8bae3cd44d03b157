import { expect, it } from "vitest";
import { pythonFault } from "./python-pattern.ts";

/** Each pattern was tried with `re.compile` of Python 3.11. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["^[\\p{L}\\p{N} ._\\-]+$", "the escape \\p{L}"],
  ["\\P{Lu}", "the escape \\P{Lu}"],
  ["(?<year>\\d{4})", "the named group (?<year>"],
  ["(?P<x>a)\\k<x>", "the escape \\k<x>"],
  ["abc\\z", "the escape \\z"],
  ["^\\u{1F600}$", "the escape \\u without 4 hexadecimal digits"],
  ["[\\u{61}]", "the escape \\u without 4 hexadecimal digits"],
  ["\\x4", "the escape \\x without 2 hexadecimal digits"],
  ["\\cA", "the escape \\cA"],
  ["[\\B]", "the escape \\B"],
  ["[\\w-_.]", "the range \\w-_"],
  ["[\\w--\\d]", "the range \\w--"],
  ["[z-a]", "the range z-a"],
  ["a(?i)b", "the group (?i)"],
  ["(?<=a+)b", "a lookbehind whose length is not fixed"],
  ["\\1(a)", "the reference \\1 to a group that is not there yet"],
  ["(a\\1)", "the reference \\1 to a group that is still open"],
  ["^*", "the quantifier * with nothing to repeat"],
  ["[^]", "a class of characters that does not end"],
  ["[]", "a class of characters that does not end"],
  ["[a-z", "a class of characters that does not end"],
  ["(a", "a group that does not end"],
  ["a)", 'a ")" without a group'],
  ["a\\", "a backslash at the end"],
];

it.each(REFUSED)("%s is not a Python regular expression", (pattern, fault) => {
  expect(pythonFault(pattern)).toContain(fault);
});

it.each([
  "",
  "^https\\:\\/\\/",
  "^[a-zA-Z0-9@#%^&*()_+\\-=[\\]{}|;:,.<>?~`]*$",
  "^(?!undefined$|null$)",
  "(?<=a)b(?<!c)",
  "\\u0041\\x41\\0",
  "(?i)abc",
  "(?i:a)",
  "(?P<y>\\d{4})",
  "(a)\\1",
  "(?:a){2,3}?b*?c+?",
  "a{,3}{",
  "a{b}",
  "[]a]",
  "[a-]",
  "[-a]",
  "[\\d-]",
  "[\\b\\]\\-]",
  "(?=a)*",
  "(|a)()",
  "^(?:(?:25[0-5]|2[0-4]\\d)\\.){3}$",
  "\\/\\-\\_",
  "abc\\Z",
])("%s is a Python regular expression", (pattern) => {
  expect(pythonFault(pattern)).toBeUndefined();
});
