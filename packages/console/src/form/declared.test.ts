import { describe, expect, it } from "vitest";
import { readTree } from "../json/tree.ts";
import { choiceText, declaredText, declaredTexts, TEXTS } from "./declared.ts";

const BIG = "9007199254740993";
const treeOf = (text: string) => {
  const read = readTree(text);
  return read.ok ? read.tree : undefined;
};
const schema = treeOf(`{"enum":[1,"a b"],"other":[1, 1.0, {"a/b":[${BIG}]}],"const":"x\\u0041"}`);

describe("what a schema declares", () => {
  it.each([
    ["/other/1", "1.0"],
    ["/other/2", `{"a/b": [${BIG}]}`],
    ["/other/2/a~1b/0", BIG],
    ["/const", '"x\\u0041"'],
    ["/none", undefined],
  ])("at %s is %s", (pointer, text) => {
    expect(declaredText(schema, pointer)).toBe(text);
  });

  it("is kept as texts where JavaScript would write it in another way, and only whole", () => {
    expect(declaredTexts(schema, ["/other/0", "/other/1"])).toEqual(["1", "1.0"]);
    expect(declaredTexts(schema, ["/enum/0", "/enum/1"])).toBeUndefined();
    expect(declaredTexts(schema, ["/other/1", "/none"])).toBeUndefined();
    expect(declaredTexts(undefined, ["/other/1"])).toBeUndefined();
  });
});

describe("the text of a choice", () => {
  const form = { [TEXTS]: ["1.0", BIG, '{"a": 1.0}'] };

  it("is that of the schema, where it is of this very value", () => {
    expect(choiceText(form, 0, 1)).toBe("1.0");
    expect(choiceText(form, 1, 9007199254740992)).toBe(BIG);
    expect(choiceText(form, 2, { a: 1 })).toBe('{"a": 1.0}');
    // Merged with another part, whose first value was no longer wanted.
    expect(choiceText(form, 0, 9007199254740992)).toBe("9007199254740992");
    expect(choiceText(form, 3, "a")).toBe('"a"');
    expect(choiceText({}, 0, null)).toBe("null");
  });
});
