import { MAX_QUERY } from "@touchstone/records/query";
import { MAX_VIEW_NAME } from "@touchstone/records/views";
import {
  component,
  dateTime,
  limited,
  members,
  oneOf,
  type Static,
  text,
} from "@touchstone/util/schema";

const CONTENT = {
  name: limited(text("1 to 80 characters."), { minLength: 1, maxLength: MAX_VIEW_NAME }),
  list: limited(oneOf(["calls", "records"]), { description: "What it lists." }),
  query: limited(text("The filters, as query of GET /api/v1/calls or of GET /api/v1/activity."), {
    maxLength: MAX_QUERY,
  }),
} as const;

/** A view that was saved in the console. */
export const SAVED_VIEW = component(
  "SavedView",
  members({ id: text(), ...CONTENT, saved: dateTime("When it was last saved.") }),
);
export type SavedView = Static<typeof SAVED_VIEW>;

/** What a view is saved with. */
export const VIEW_CONTENT = members(CONTENT);
export type ViewContent = Static<typeof VIEW_CONTENT>;

export const VIEW_COMPONENTS = [SAVED_VIEW];
