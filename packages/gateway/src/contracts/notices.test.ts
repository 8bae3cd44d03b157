import fc from "fast-check";
import { expect, it } from "vitest";
import { contractNotice, readNotice } from "../../../records/src/contracts/list-notice.ts";
import { ListChangeNotices } from "./notices.ts";

const scope = fc.record({
  server: fc.string({ unit: "binary", maxLength: 4_000 }),
  revision: fc.string({ maxLength: 20 }),
  authorization: fc.string({ maxLength: 80 }),
});

it("writes the scope if it fits into a PostgreSQL notification, else an empty notice", () => {
  fc.assert(
    fc.property(scope, (told) => {
      const notice = contractNotice(told);
      expect(Buffer.byteLength(notice)).toBeLessThan(8_000);
      expect(readNotice(notice)).toEqual(notice === "" ? undefined : told);
    }),
  );
});

it("reads any other text as a notice for every list", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.constant(undefined)), (text) => {
      const read = readNotice(text);
      if (read !== undefined) expect(readNotice(contractNotice(read))).toEqual(read);
    }),
  );
  for (const text of ["null", "{}", "[]", '["a","b"]', '["a",1,"c"]', "[", ""]) {
    expect(readNotice(text)).toBeUndefined();
  }
});

const listOf = (revision: string, authorization = "") => ({
  server: "web",
  revision,
  authorization,
});

it("a notice counts for the list that it names, or for all lists", () => {
  const notices = new ListChangeNotices();
  const counts = () => [
    notices.of(listOf("2026-07-28")),
    notices.of(listOf("2026-07-28", "sha256:x")),
    notices.of(listOf("2025-11-25")),
  ];
  expect(counts()).toEqual([0, 0, 0]);
  notices.take(listOf("2026-07-28"));
  notices.take(listOf("2026-07-28", "sha256:x"));
  notices.take(listOf("2026-07-28", "sha256:x"));
  expect(counts()).toEqual([1, 2, 0]);
  notices.take(undefined);
  expect(counts()).toEqual([2, 3, 1]);
});
