import { expect, it } from "vitest";
import { readPage } from "./markdown.ts";

const page = readPage(
  "a.md",
  [
    "# `wrap`: one, two",
    'See [here](b.md#x), ![image](i.png "title"), `[no](link)` and <https://x.example>.',
    "## Same",
    "## Same",
    "<!-- not run: it has no end -->",
    "```sh",
    "# no heading [nor](link)",
    "```",
    "[ref]: c.md",
    "````js",
    "```",
    "````",
    "A span `over",
    "lines` and ``a`b``.",
  ].join("\n"),
);

it("finds blocks with their markers", () => {
  expect(page.blocks).toEqual([
    {
      page: "a.md",
      line: 6,
      language: "sh",
      text: "# no heading [nor](link)\n",
      marker: { word: "not run", rest: "it has no end" },
    },
    { page: "a.md", line: 10, language: "js", text: "```\n", marker: undefined },
  ]);
});

it("finds anchors, links and code spans outside blocks", () => {
  expect([...page.anchors]).toEqual(["wrap-one-two", "same", "same-1"]);
  expect(page.links).toEqual(["b.md#x", "i.png", "c.md"]);
  expect(page.spans).toEqual(["wrap", "[no](link)", "over lines", "a`b"]);
});

it("finds blocks inside lists", () => {
  const source = "- item\n\n  <!-- form: x -->\n  ```sh\n  a \\\n    b\n  ```\n";
  expect(readPage("c.md", source).blocks).toMatchObject([
    { line: 4, text: "a \\\n  b\n", marker: { word: "form", rest: "x" } },
  ]);
});

it("refuses an unclosed block", () => {
  expect(() => readPage("b.md", "text\n```sh\n")).toThrow("b.md:2: the block has no end");
});
