export * from "./errors.ts";
export * from "./log.ts";
