import type { ReactElement } from "react";
import { hashOf } from "../page/route.ts";
import { Select } from "../ui/select.tsx";
import { PERIODS, type Period } from "./overview.ts";

/** Selects the period that the page covers and stores it in the page's address. */
export function PeriodSelect({
  page,
  period,
}: {
  readonly page: Parameters<typeof hashOf>[0];
  readonly period: Period;
}): ReactElement {
  return (
    <Select
      label="Period"
      className="w-40"
      value={period}
      choices={PERIODS.map(([each, label]) => ({ value: each, label }))}
      onChange={(next) => {
        location.hash = hashOf(page, "", `period=${next}`);
      }}
    />
  );
}
