import { COMPONENTS, OPERATIONS } from "@touchstone/gateway/api";
import { type ApiTable, apiTable } from "./api-table.ts";

/**
 * The table from the gateway's sources. The build replaces this file with the table as JSON, without descriptions and
 * bounds.
 */
export const API_TABLE: ApiTable = apiTable(OPERATIONS, COMPONENTS.schemas);
