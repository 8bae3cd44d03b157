export {
  CheckPool,
  type CheckPoolOptions,
  QueueFullError,
  startCheckThread,
} from "./check-pool.ts";
