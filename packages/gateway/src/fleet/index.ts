export { configurationHash } from "./configuration-hash.ts";
export {
  type ComparedGateway,
  compareGateways,
  type Fleet,
  type KnownGateway,
  SILENT_AFTER_S,
} from "./gateways.ts";
export { readGateways } from "./read-gateways.ts";
