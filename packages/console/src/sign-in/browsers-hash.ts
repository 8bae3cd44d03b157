import { hashOf } from "../page/route.ts";

/** The item of the settings that lists signed-in browsers. */
export const BROWSERS_ITEM = "browsers";

/** The address of the list of signed-in browsers. */
export const BROWSERS_HASH: string = hashOf("settings", BROWSERS_ITEM);
