export * from "./camel-case.ts";
export * from "./json-schema.ts";
export * from "./schema-type.ts";
