import type { DriftReports } from "@touchstone/records/serve";
import { DRIFT_DELAY_NOTE, driftReport } from "../../features/drift/report.ts";

/** What the API of records reports of drift. */
export const driftReports: DriftReports = { reportOf: driftReport, known: DRIFT_DELAY_NOTE };
