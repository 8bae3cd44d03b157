export * from "./api/api.ts";
export * from "./worker/serve.ts";
