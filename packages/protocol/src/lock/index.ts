export { compareSchemas, type Direction, type SchemaChange } from "./compare-schemas.ts";
export {
  type Change,
  type ChangeClass,
  type ChangedThing,
  compareServers,
} from "./compare-servers.ts";
export type { Counterexample } from "./counterexample.ts";
export {
  type Definition,
  definitionOf,
  definitionSteps,
  instructionsHash,
  memberHashes,
} from "./definition.ts";
export {
  approves,
  type LockedDefinition,
  type LockedIdentity,
  type LockedServer,
  type LockFault,
  type LockFile,
  lockedDefinition,
  lockFaultText,
  type ReadLock,
  readLock,
  writeLock,
} from "./lock-file.ts";
export { LOCK_SCHEMA } from "./lock-schema.ts";
