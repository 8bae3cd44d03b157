import { compile } from "@touchstone/core";
import { createHandler } from "@touchstone/http";
import { SchemaValidator, ToolCallValidator, validateToolCall } from "@touchstone/protocol";
import { checked, ToolInputError } from "@touchstone/runner";
import { expect, it } from "vitest";

const INPUT = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
} as const;
const ARGS = { days: "3" };
const WORDS = ["/city is required", "/days must be an integer (got a string of 1 character)"];

type Words = readonly { readonly message: string }[];
const messages = (errors: Words): readonly string[] => errors.map(({ message }) => message);

it("core, protocol and runner describe an issue in the same words", () => {
  expect(messages(compile(INPUT).validate(ARGS).errors)).toEqual(WORDS);
  const results = [
    new SchemaValidator(INPUT).validate(ARGS),
    new ToolCallValidator({ weather: INPUT }).validateCall("weather", ARGS),
    validateToolCall("weather", ARGS, { weather: INPUT }),
  ];
  for (const { errors, errorMessages } of results) {
    expect(messages(errors)).toEqual(WORDS);
    expect(errorMessages).toEqual(WORDS);
  }
  const weather = checked(() => "sunny", { name: "weather", input: INPUT });
  const refused = (): unknown => {
    try {
      return weather(ARGS as never);
    } catch (error) {
      return error;
    }
  };
  const error = refused();
  if (!(error instanceof ToolInputError)) throw error;
  expect(messages(error.check.errors)).toEqual(WORDS);
});

it("http keeps the validator's own words, which its protocol asks for", async () => {
  const handler = createHandler([{ name: "weather", inputSchema: INPUT }], async () => ({
    content: [],
  }));
  const response = await handler(
    new Request("http://localhost/tools/weather/validate", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(ARGS),
    }),
  );
  const { errors } = await response.json();
  expect(messages(errors)).toEqual(["must have required property 'city'", "must be integer"]);
});
