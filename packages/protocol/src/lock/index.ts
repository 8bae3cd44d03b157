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
