export { auditSpecFile } from "./spec-file.ts";
