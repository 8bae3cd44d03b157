import { json } from "@codemirror/lang-json";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { SchemaSource } from "../form/source.ts";
import { completionsAt } from "./schema-help.ts";

const BIG = "9007199254740993";
const SOURCE = new SchemaSource(`{
  "type": "object",
  "$defs": {"node": {"type": "object", "properties": {"name": {"type": "string"}, "child": {"$ref": "#/$defs/node"}}}},
  "properties": {
    "city": {"type": "string", "description": "The name", "examples": ["Oslo"]},
    "units": {"enum": ["metric", "imperial"], "default": "metric"},
    "id": {"const": ${BIG}},
    "flag": {"type": ["boolean", "null"]},
    "root": {"$ref": "#/$defs/node"},
    "list": {"type": "array", "items": {"enum": [1.50, 2]}},
    "pay": {"oneOf": [{"properties": {"card": {}}, "required": ["card"]}, {"properties": {"cents": {}}, "required": ["cents"]}]},
    "__proto__": {"type": "object", "additionalProperties": {"enum": ["x"]}}
  },
  "required": ["city"]
}`);

/** Returns the completions offered where `|` is in a text. */
function offered(marked: string): readonly string[] | undefined {
  const pos = marked.indexOf("|");
  const created = EditorState.create({ doc: marked.replace("|", ""), extensions: [json()] });
  // A state keeps what was parsed within 20 ms; only a new state has the rest.
  ensureSyntaxTree(created, created.doc.length, 5_000);
  const { state } = created.update({});
  return completionsAt(SOURCE, { state, pos, explicit: true })?.options.map(({ label }) => label);
}

describe("completionsAt", () => {
  it.each<[string, readonly string[] | undefined]>([
    ["{|}", ['"city"', '"units"', '"id"', '"flag"', '"root"', '"list"', '"pay"', '"__proto__"']],
    ['{"c|"}', ['"city"', '"units"', '"id"', '"flag"', '"root"', '"list"', '"pay"', '"__proto__"']],
    [
      '{"city":"x","id":1,"units":"metric","flag":null,"list":[],"pay":{},|}',
      ['"root"', '"__proto__"'],
    ],
    ['{"units": |}', ['"metric"', '"imperial"']],
    ['{"units":"m|"}', ['"metric"', '"imperial"']],
    ['{"city":|}', ['"Oslo"']],
    ['{"id":|}', [BIG]],
    ['{"flag":|}', ["true", "false", "null"]],
    ['{"list":[|]}', ["1.50", "2"]],
    ['{"list":[2, |]}', ["1.50", "2"]],
    ['{"root":{"child":{|}}}', ['"name"', '"child"']],
    ['{"root":|}', ["{}"]],
    ['{"pay":{|', ['"card"', '"cents"']],
    ['{"__proto__":{"a":|}}', ['"x"']],
    ['{"nope":{|}}', undefined],
    ["|", undefined],
    ['{"city":"x" |}', undefined],
  ])("for %s offers %j", (text, labels) => {
    expect(offered(text)).toEqual(labels);
  });
});
