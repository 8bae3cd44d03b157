import { compileDeclared } from "@touchstone/core/advanced";

// Performs more checks than core's interpreter does before code is generated, on a text that is long enough for the
// scanner in WebAssembly.
const schema = compileDeclared({
  text: '{"required":["a"],"properties":{"n":{"type":"integer"}}}',
});
const texts = Array.from(
  { length: 8 },
  (_, i) => `{"n": 9007199254740993.${i}, "text": "${"x".repeat(64)}"}`,
);
const messages = texts.map((text) =>
  schema.validateText(text).errors.map(({ message }) => message),
);
document.body.dataset["messages"] = JSON.stringify(messages);
