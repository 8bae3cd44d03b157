import { hashOf } from "../page/route.ts";

/** The item of the settings that lists alerts. */
export const ALERTS = "alerts";

/** The address of the list of alerts. */
export const ALERTS_HASH: string = hashOf("settings", ALERTS);
