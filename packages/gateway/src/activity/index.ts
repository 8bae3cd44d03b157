export { CHAIN_START, type ChainVerdict, verifyChain } from "./chain.ts";
export { ActivityError, type ActivityErrorCode } from "./errors.ts";
export {
  ACTIVITY_FILTERS,
  type ActivityFilter,
  type ActivityFilterName,
  DECISIONS,
  DEFAULT_LIMIT,
  DIRECTIONS,
  MAX_LIMIT,
  parseActivityFilter,
} from "./filter.ts";
export {
  ACTIVITY_SOURCES,
  ACTIVITY_STATUSES,
  ACTIVITY_TYPES,
  type ActivityEntry,
  type ActivityLog,
  type ActivityRecord,
  type ActivitySource,
  type ActivityStatus,
  type ActivityType,
} from "./record.ts";
export {
  DATABASE_FILE,
  type OpenActivityStoreOptions,
  openActivityReader,
  openActivityStore,
} from "./sqlite/open.ts";
export type {
  ActivityChain,
  ActivityPage,
  ActivityReader,
  ActivityStore,
} from "./store.ts";
