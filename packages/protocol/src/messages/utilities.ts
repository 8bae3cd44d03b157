import { notification, params, taggedNotification } from "./base.ts";
import { ANY, type Definitions, literal, NUMBER, ref, STRING } from "./schema.ts";

const PROGRESS = { progressToken: ref("ProgressToken"), progress: NUMBER };
const LOGGED = { level: ref("LoggingLevel"), data: ANY };
const CANCELLED = { requestId: ref("RequestId") };

/** MCP, Utilities: cancellation, progress, logging. */
export const UTILITIES_2024_11_05: Definitions = {
  LoggingLevel: literal(
    "alert",
    "critical",
    "debug",
    "emergency",
    "error",
    "info",
    "notice",
    "warning",
  ),
  CancelledNotificationParams: notification(CANCELLED, { reason: STRING }),
  ProgressNotificationParams: notification(PROGRESS, { total: NUMBER }),
  SetLevelRequestParams: params({ level: ref("LoggingLevel") }),
  LoggingMessageNotificationParams: notification(LOGGED, { logger: STRING }),
};

/** 2025-03-26: progress may say what is happening. */
export const UTILITIES_2025_03_26: Definitions = {
  ...UTILITIES_2024_11_05,
  ProgressNotificationParams: notification(PROGRESS, { total: NUMBER, message: STRING }),
};

/** 2025-11-25: a separate message cancels a task, so the id became optional. */
export const UTILITIES_2025_11_25: Definitions = {
  ...UTILITIES_2025_03_26,
  CancelledNotificationParams: notification({}, { ...CANCELLED, reason: STRING }),
};

/** 2026-07-28: notifications may belong to a subscription. */
export const UTILITIES_2026_07_28: Definitions = {
  LoggingLevel: UTILITIES_2024_11_05["LoggingLevel"] ?? STRING,
  CancelledNotificationParams: taggedNotification(CANCELLED, { reason: STRING }),
  ProgressNotificationParams: taggedNotification(PROGRESS, { total: NUMBER, message: STRING }),
  LoggingMessageNotificationParams: taggedNotification(LOGGED, { logger: STRING }),
};
