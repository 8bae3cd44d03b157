export * from "./config/index.ts";
export { blockingNames } from "./features/blocking.ts";
export { stillBlocking, stillBlockingText } from "./policy/still-blocking.ts";
