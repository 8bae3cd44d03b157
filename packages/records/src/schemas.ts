export { type ChangeRecord, groupChanges } from "./change-groups.ts";
export * from "./export/formats.ts";
export * from "./filter-names.ts";
export * from "./overview.ts";
export * from "./problems/response-schemas.ts";
export * from "./response-schemas.ts";
