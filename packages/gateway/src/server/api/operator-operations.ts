import { limited, list, members, ref, text } from "@touchstone/util/schema";
import {
  BAD_BODY,
  BAD_FILTER,
  errorResponse,
  jsonResponse,
  NOT_FOUND,
  operation,
  SERVER_ERROR_RESPONSES,
} from "./operation.ts";
import { ALERT, ATTENTION, DELIVERY, SERVER_LOG } from "./operator-schemas.ts";
import { REASON_SCHEMA } from "./schemas.ts";

/** Information for operators while the gateway runs. */
export const OPERATING = {
  getServerLog: operation({
    method: "get",
    path: "/api/v1/servers/{server}/log",
    access: "viewer",
    query: {
      after: {
        schema: limited(text("The cursor of an earlier response."), {
          pattern: "^[0-9a-f]{12}\\.[0-9]{1,15}$",
        }),
        refusal: "is not a cursor of a log",
      },
    },
    responses: {
      200: jsonResponse("The last lines of the server's log, at most 1,000.", ref(SERVER_LOG)),
      ...BAD_FILTER,
      ...NOT_FOUND,
      ...SERVER_ERROR_RESPONSES,
    },
  }),
  getAttention: operation({
    method: "get",
    path: "/api/v1/attention",
    access: "viewer",
    query: {
      since: {
        schema: limited(
          text("Counts changes of schemas from then on: RFC 3339, or 15m, 24h, 7d."),
          {
            default: "24h",
          },
        ),
      },
    },
    responses: {
      200: jsonResponse(
        "Held tools, servers that failed, changed schemas and alerts that were not sent.",
        ref(ATTENTION),
      ),
      ...SERVER_ERROR_RESPONSES,
    },
  }),
  listAlerts: operation({
    method: "get",
    path: "/api/v1/alerts",
    access: "viewer",
    responses: {
      200: jsonResponse(
        "The entries of alerts, without secrets, and how they went.",
        list(ref(ALERT)),
      ),
      ...SERVER_ERROR_RESPONSES,
    },
  }),
  testAlert: operation({
    method: "post",
    path: "/api/v1/alerts/{id}/test",
    access: "admin",
    body: { schema: members({ reason: REASON_SCHEMA }, "reason"), optional: true },
    responses: {
      200: jsonResponse("How the test ended.", ref(DELIVERY)),
      400: errorResponse("The body is invalid."),
      401: errorResponse("The key or token is missing or wrong."),
      ...NOT_FOUND,
      ...BAD_BODY,
      429: errorResponse("Six tests were sent within a minute."),
      500: SERVER_ERROR_RESPONSES[500],
      503: errorResponse("The gateway is stopping."),
    },
  }),
};
