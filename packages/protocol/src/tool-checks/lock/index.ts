export type { Counterexample, SearchEffort } from "../../inclusion/counterexample.ts";
export type { Change, ChangeClass, ChangeSubject } from "./change.ts";
export { compareSchemas, type Direction, type SchemaChange } from "./compare-schemas.ts";
export { compareServers } from "./compare-servers.ts";
export { compareTools } from "./compare-tools.ts";
export {
  canonicalDefinition,
  type Definition,
  definitionSteps,
  type HashedDefinition,
  instructionsHash,
  memberHashes,
} from "./definition.ts";
export { definitionDiff, definitionDiffSteps } from "./definition-diff.ts";
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
export { membersOf } from "./members.ts";
