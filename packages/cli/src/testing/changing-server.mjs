// A stdio MCP server of the official SDK for tests: tools that only read, and one that writes. Its only argument
// names a modification of the server.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [, , change, file] = process.argv;
const is = (name) => change === name;
const text = (value) => ({ content: [{ type: "text", text: value }] });
const object = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});
const CITY = object({ city: { type: "string", ...(is("shorter-names") ? { maxLength: 4 } : {}) } });
const READING = object(
  {
    degrees: { type: "number" },
    sky: { enum: ["clear", "rain"] },
    at: { type: "string" },
  },
  ["degrees", "sky"],
);
const readOnly = { annotations: { readOnlyHint: true } };

/** Allows the server to return results that its own SDK would refuse. */
const loose = (schema) => {
  const standard = fromJsonSchema(schema);
  const { validate: _, ...rest } = standard["~standard"];
  return { "~standard": { ...rest, validate: (value) => ({ value }) } };
};

function reading(city) {
  const whole = {
    degrees: is("other-type") ? String(city.length) : is("other-value") ? 99 : city.length,
    sky: is("undeclared-value") ? "fog" : "rain",
    at: new Date().toISOString(),
    wind: { speed: 1.5, from: is("null-value") ? null : "west" },
    request: randomUUID(),
    ...(is("new-member") ? { humidity: 4 } : {}),
  };
  if (is("missing-member")) delete whole.wind;
  return whole;
}

function create() {
  const server = new McpServer({ name: "changing", version: "1.0.0" });
  server.registerTool(
    "weather",
    {
      description: "Weather.",
      inputSchema: fromJsonSchema(CITY),
      ...(is("no-structure") ? {} : { outputSchema: loose(READING) }),
      ...(is("no-hint") ? {} : readOnly),
    },
    ({ city }) => {
      if (city === "Atlantis" && !is("accepts")) throw new Error("no such city");
      if (city === "Rome" && is("refuses")) throw new Error("out of order");
      if (is("exits")) process.exit(1);
      const structuredContent = reading(city);
      const content = text(JSON.stringify(structuredContent));
      return is("no-structure") ? content : { ...content, structuredContent };
    },
  );
  if (!is("gone")) {
    server.registerTool(
      "list",
      { description: "Lists.", inputSchema: fromJsonSchema(object({})), ...readOnly },
      () => {
        const items = Array.from({ length: 120 }, (_, id) => ({
          id: is("other-items") ? `n${id}` : id,
          ...(id % 2 === 0 ? { note: "even" } : {}),
        }));
        if (is("image")) {
          return { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] };
        }
        return text(is("no-json") ? `${items.length} items` : JSON.stringify({ items }));
      },
    );
  }
  server.registerTool(
    "write",
    { description: "Writes.", inputSchema: fromJsonSchema(object({})) },
    () => {
      if (file !== undefined) appendFileSync(file, "written\n");
      return text("done");
    },
  );
  return server;
}

serveStdio(create);
