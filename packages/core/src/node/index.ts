export { CheckPool, type CheckPoolOptions, QueueFullError } from "./check-pool.ts";
