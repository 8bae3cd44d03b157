// What the tools take.
export const schemas = {
  write_file: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "Where, inside the folder." },
      content: { type: "string" },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  remind: {
    type: "object",
    properties: {
      text: { type: "string" },
      at: { type: "string", format: "date-time" },
    },
    required: ["text", "at"],
    additionalProperties: false,
  },
};
