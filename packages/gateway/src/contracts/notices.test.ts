import fc from "fast-check";
import { expect, it } from "vitest";
import { contractNotice, readNotice } from "./notices.ts";

const scope = fc.record({
  server: fc.string({ unit: "binary", maxLength: 4_000 }),
  revision: fc.string({ maxLength: 20 }),
  authorization: fc.string({ maxLength: 80 }),
});

it("tells the scope, or none where it has no room, and never more than PostgreSQL takes", () => {
  fc.assert(
    fc.property(scope, (told) => {
      const notice = contractNotice(told);
      expect(Buffer.byteLength(notice)).toBeLessThan(8_000);
      expect(readNotice(notice)).toEqual(notice === "" ? undefined : told);
    }),
  );
});

it("reads whatever else comes as a notice of any list", () => {
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
