import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown, safeHref } from "./markdown.tsx";

const html = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));
/** Returns the HTML without classes, and without the elements that isolate each text. */
const plain = (text: string): string =>
  html(text)
    .replaceAll(/ class="[^"]*"/g, "")
    .replaceAll(/<\/?bdi>/g, "")
    .replace(/^<div>(.*)<\/div>$/s, "$1");

describe("Markdown", () => {
  it.each([
    ["a **b** *c* `d` ~~e~~", "<p>a <strong>b</strong> <em>c</em> <code>d</code> <del>e</del></p>"],
    ["# Title\n\ntext", "<p>Title</p><p>text</p>"],
    ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["one\ntwo", "<p>one<br/>two</p>"],
    ["```js\nx < 1\n```", "<pre>x &lt; 1</pre>"],
    ["> q", "<blockquote><p>q</p></blockquote>"],
    ["a &lt;b&gt; & c", "<p>a &lt;b&gt; &amp; c</p>"],
    ["\\*no\\*", "<p>*no*</p>"],
    [
      "[x](https://example.com/a)",
      '<p><a href="https://example.com/a" target="_blank" rel="noopener noreferrer" title="https://example.com/a">x</a></p>',
    ],
    [
      "|a|b|\n|-|-|\n|1|2|",
      "<div><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>",
    ],
  ])("renders %j", (text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  it.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&#58;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "[x]( java\nscript:alert(1))",
    "[x](//example.com)",
    "[x](/api/v1/settings)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "![x](https://example.com/track.png)",
    '![x](x" onerror="alert(1))',
    '<a href="https://example.com" onclick="alert(1)">x</a>',
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "a <b>bold</b> <iframe srcdoc='<script>alert(1)</script>'>",
    "```html\n</pre><script>alert(1)</script>\n```",
    "`</code><script>alert(1)</script>`",
    "- <details open ontoggle=alert(1)>",
    "|<img src=x onerror=alert(1)>|\n|-|\n|<script>|",
  ])("creates no link, image or HTML from %j", (text) => {
    const made = html(text);
    expect(made).not.toMatch(/<(?:a|img|script|iframe|svg|style|b|details)\b/i);
    expect(made).not.toMatch(/<[^>]*\son\w+=/i);
  });

  it("names characters that hide or reorder text, even in links", () => {
    expect(html("a\u202eb")).toContain("[U+202E]");
    expect(html("[gpj\u202e](https://example.com/\u202e)")).not.toContain("\u202e");
  });

  it("shows long or deeply nested text as plain text", () => {
    for (const text of [
      "*a* ".repeat(5_000),
      "> ".repeat(4_000),
      "[".repeat(9_000),
      "- ".repeat(4_000),
    ]) {
      expect(html(text).length).toBeGreaterThan(100);
    }
  });

  it("accepts any text, and creates only known elements", () => {
    const piece = fc.constantFrom(
      ..."*_`~[]()<>!#|-\\\n &;:/ab1".split(""),
      "javascript:",
      "<a href=",
      "https://a.b",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const tags = [...html(pieces.join("")).matchAll(/<(\w+)/g)].map(([, tag]) => tag);
        const known =
          "div p strong em del br hr code pre blockquote ol ul li a table thead tbody tr th td bdi span".split(
            " ",
          );
        expect(tags.filter((tag) => !known.includes(tag ?? ""))).toEqual([]);
      }),
    );
  });
});

describe("safeHref", () => {
  it.each([
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["mailto:a@example.com", "mailto:a@example.com"],
    ["javascript:alert(1)", undefined],
    ["\tjavascript:alert(1)", undefined],
    ["file:///etc/passwd", undefined],
    ["#/settings", undefined],
    ["", undefined],
  ])("for %j returns %s", (href, expected) => {
    expect(safeHref(href)).toBe(expected);
  });
});
