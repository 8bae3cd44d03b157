import { list, ref } from "@touchstone/util/schema";
import {
  BAD_BODY,
  errorResponse,
  jsonResponse,
  NOT_FOUND,
  operation,
  STORE_ERROR_RESPONSES,
} from "./operation.ts";
import { SAVED_VIEW, VIEW_CONTENT } from "./view-schemas.ts";

/** Saved views: everyone who sees the console shares them. */
export const VIEW_OPERATIONS = {
  listViews: operation({
    method: "get",
    path: "/api/v1/views",
    access: "viewer",
    responses: {
      200: jsonResponse("The saved views by name.", list(ref(SAVED_VIEW))),
      ...STORE_ERROR_RESPONSES,
    },
  }),
  saveView: operation({
    method: "post",
    path: "/api/v1/views",
    access: "admin",
    body: { schema: VIEW_CONTENT },
    responses: {
      200: jsonResponse("The view, which replaces one with the same name.", ref(SAVED_VIEW)),
      400: errorResponse("The body is invalid, or its query is."),
      401: errorResponse("The key or token is missing or wrong."),
      ...BAD_BODY,
      ...STORE_ERROR_RESPONSES,
    },
  }),
  deleteView: operation({
    method: "delete",
    path: "/api/v1/views/{id}",
    access: "admin",
    responses: {
      200: jsonResponse("The views that are left.", list(ref(SAVED_VIEW))),
      401: errorResponse("The key or token is missing or wrong."),
      ...NOT_FOUND,
      ...STORE_ERROR_RESPONSES,
    },
  }),
};
