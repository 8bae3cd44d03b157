import type { JsonObject } from "@touchstone/core/advanced";

const HASH = { type: "string", pattern: "^sha256:[0-9a-f]{64}$" };

/** The JSON Schema (2020-12) for `touchstone.lock`. */
export const LOCK_SCHEMA: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "touchstone.lock",
  type: "object",
  properties: {
    lock_version: { const: 1, description: "The version of this format" },
    note: { type: "string", description: "What the file is, for people" },
    servers: {
      type: "object",
      description: "What each server declares, by the name under which it was locked",
      additionalProperties: { $ref: "#/$defs/server" },
    },
  },
  required: ["lock_version", "servers"],
  additionalProperties: false,
  $defs: {
    server: {
      type: "object",
      properties: {
        identity: {
          type: "object",
          description: "How the server introduces itself: name, title and version",
          properties: {
            name: { type: "string" },
            title: { type: "string" },
            version: { type: "string" },
          },
          additionalProperties: false,
        },
        protocol_version: { type: "string", description: "The revision of MCP that it spoke" },
        instructions: {
          description: "Its instructions; null if it has none, absent if they are not known",
          anyOf: [
            { type: "null" },
            {
              type: "object",
              properties: { hash: HASH, text: { type: "string" } },
              required: ["hash", "text"],
              additionalProperties: false,
            },
          ],
        },
        tools: { $ref: "#/$defs/definitions", description: "By name" },
        prompts: {
          $ref: "#/$defs/definitions",
          description: "By name; absent if they are not known",
        },
        resource_templates: {
          $ref: "#/$defs/definitions",
          description: "By uriTemplate; absent if they are not known",
        },
      },
      required: ["tools"],
      additionalProperties: false,
    },
    definitions: { type: "object", additionalProperties: { $ref: "#/$defs/definition" } },
    definition: {
      type: "object",
      properties: {
        hash: { ...HASH, description: "SHA-256 of the definition in canonical JSON (RFC 8785)" },
        hashes: {
          type: "object",
          description: "The hash of each member except the name",
          additionalProperties: HASH,
        },
        also_approved: {
          type: "array",
          description: "Hashes of other definitions of this name that are approved as well",
          items: HASH,
        },
        definition: { type: "object", description: "The whole definition, as declared" },
      },
      required: ["hash", "hashes", "definition"],
      additionalProperties: false,
    },
  },
};
