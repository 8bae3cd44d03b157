// The thread that reads, prunes and rolls up records. Started by `startActivityWorker` only.
import { serveActivity } from "@touchstone/records/serve";
import { driftReports } from "./drift.ts";

serveActivity({ drift: driftReports });
