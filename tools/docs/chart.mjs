// Makes the part of the chart's schema for values that follows from the schema of touchstone.json.
import { configJsonSchema } from "@touchstone/gateway";

/** Helm takes JSON Schema draft-07. The editor's schema has no keyword that draft-07 lacks: a test checks that. */
const DRAFT = "http://json-schema.org/draft-07/schema#";

/** Settings that the chart sets itself, or reads from a secret. A reference to a variable or a file holds no secret. */
const WITHOUT_SECRETS = {
  properties: {
    auth: {
      properties: {
        api_key: { pattern: "^\\$\\{" },
        admin_key: false,
        keys: { items: { properties: { key: { pattern: "^(?:sha256:|\\$\\{)" } } } },
      },
    },
  },
};

/** Returns the chart's schema with the parts that depend on `touchstone.json`: `config`, `keys` and `$defs`. */
export function chartSchema(written) {
  const { $schema, $defs, title, ...config } = configJsonSchema();
  const { key, ...members } = config.properties.auth.properties.keys.items.properties;
  const entry = {
    type: "object",
    additionalProperties: false,
    required: ["name", "role", "secretKey"],
    properties: { ...members, secretKey: { $ref: "#/definitions/secretKey" } },
  };
  return {
    ...written,
    $schema: DRAFT,
    $defs,
    properties: {
      ...written.properties,
      config: { allOf: [WITHOUT_SECRETS, config] },
      keys: { type: "array", items: entry },
    },
  };
}
