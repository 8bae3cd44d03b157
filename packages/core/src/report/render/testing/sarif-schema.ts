const text = { type: "string" };
const position = { type: "integer", minimum: 1 };
const object = (properties: Record<string, unknown>, required: readonly string[]): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object): object => ({ type: "array", items });
const message = object({ text }, ["text"]);
const region = object(
  { startLine: position, startColumn: position, endLine: position, endColumn: position },
  ["startLine"],
);
const location = object(
  {
    physicalLocation: object(
      {
        artifactLocation: object({ uri: { type: "string", format: "uri-reference" } }, ["uri"]),
        region,
      },
      ["artifactLocation"],
    ),
    logicalLocations: list(object({ fullyQualifiedName: text, kind: text }, [])),
  },
  ["physicalLocation"],
);
const result = object(
  {
    ruleId: text,
    ruleIndex: { type: "integer", minimum: 0 },
    level: { enum: ["none", "note", "warning", "error"] },
    message,
    locations: list(location),
    partialFingerprints: { type: "object", additionalProperties: { type: "string" } },
  },
  ["message", "level", "ruleId"],
);
const rule = object({ id: text, shortDescription: message }, ["id"]);
const driver = object({ name: text, version: text, rules: list(rule) }, ["name"]);

/** The schema of the members that we write, by SARIF 2.1.0 (sections 3.13 to 3.30). It allows no other members. */
export const SARIF_SCHEMA: object = object(
  {
    $schema: { type: "string", format: "uri" },
    version: { const: "2.1.0" },
    runs: list(
      object(
        {
          tool: object({ driver }, ["driver"]),
          invocations: list(
            object({ executionSuccessful: { type: "boolean" } }, ["executionSuccessful"]),
          ),
          columnKind: { enum: ["utf16CodeUnits", "unicodeCodePoints"] },
          results: list(result),
        },
        ["tool", "results"],
      ),
    ),
  },
  ["version", "runs"],
);
