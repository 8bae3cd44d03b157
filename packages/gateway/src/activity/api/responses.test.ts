import { expect, it } from "vitest";
import { ActivityError } from "../errors.ts";
import { errorResponse } from "./responses.ts";

it.each([
  [new ActivityError("BAD_FILTER", "no such field"), 400, "BAD_FILTER", "no such field"],
  [new ActivityError("STORE_UNREACHABLE", "no answer"), 503, "STORE_UNREACHABLE", "no answer"],
  [new TypeError("secret"), 500, "INTERNAL", "The activity could not be read."],
])("answers to %s with %i", async (thrown, status, code, error) => {
  const response = errorResponse(thrown);
  expect(response.status).toBe(status);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.json()).toEqual({ error, code });
});
