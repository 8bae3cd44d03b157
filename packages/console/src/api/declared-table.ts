import { COMPONENTS, OPERATIONS } from "@touchstone/gateway/api";
import { type ApiTable, apiTable } from "./api-table.ts";

/** The table of the gateway's sources. The build replaces this file by its JSON, without descriptions and bounds. */
export const API_TABLE: ApiTable = apiTable(OPERATIONS, COMPONENTS.schemas);
