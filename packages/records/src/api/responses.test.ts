import { expect, it } from "vitest";
import { ActivityError } from "../errors.ts";
import { errorResponse } from "./responses.ts";

it.each([
  [new ActivityError("BAD_FILTER", "no such field"), 400, null, "BAD_FILTER", "no such field"],
  [new ActivityError("STORE_UNREACHABLE", "none"), 503, null, "STORE_UNREACHABLE", "none"],
  [new ActivityError("READER_BUSY", "too many"), 503, "2", "READER_BUSY", "too many"],
  [new ActivityError("READER_ENDED", "gone"), 503, "2", "READER_ENDED", "gone"],
  [new ActivityError("DATABASE_BUSY", "held"), 503, "2", "DATABASE_BUSY", "held"],
  [new TypeError("secret"), 500, null, "INTERNAL", "The activity could not be read."],
])("returns for %s the status %i", async (thrown, status, retryAfter, code, error) => {
  const response = errorResponse(thrown);
  expect(response.status).toBe(status);
  expect(response.headers.get("retry-after")).toBe(retryAfter);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.json()).toEqual({ error, code });
});
