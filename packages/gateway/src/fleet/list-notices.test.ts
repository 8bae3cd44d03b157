import { expect, it } from "vitest";
import { ListNotices } from "./list-notices.ts";

const scope = (revision: string, authorization = "") => ({
  server: "web",
  revision,
  authorization,
});

it("counts for the list that is meant, and for all where that is not told", () => {
  const notices = new ListNotices();
  const counts = () => [
    notices.of(scope("2026-07-28")),
    notices.of(scope("2026-07-28", "sha256:x")),
    notices.of(scope("2025-11-25")),
  ];
  expect(counts()).toEqual([0, 0, 0]);
  notices.take(scope("2026-07-28"));
  notices.take(scope("2026-07-28", "sha256:x"));
  notices.take(scope("2026-07-28", "sha256:x"));
  expect(counts()).toEqual([1, 2, 0]);
  notices.take(undefined);
  expect(counts()).toEqual([2, 3, 1]);
});
