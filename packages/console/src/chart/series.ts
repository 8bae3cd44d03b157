/** One series of a chart over time: a value for each step. */
export interface ChartSeries {
  readonly name: string;
  /** A custom property with its color. */
  readonly color: string;
  /** Null where there is nothing to show. */
  readonly values: readonly (number | null)[];
}

/** Returns the sum of a series. */
export function sumOf({ values }: Pick<ChartSeries, "values">): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** Returns the height up to the top of each series if they are stacked in this order. */
export function stackedHeights(series: readonly ChartSeries[]): readonly (readonly number[])[] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return sums[index] ?? 0;
    }),
  );
}

/** Returns the smallest of 1, 2, 4, 5, 6, 8 and 10 times a power of ten that is not below a value; at least 1. */
export function niceMost(value: number): number {
  if (!(value > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const times = [1, 2, 4, 5, 6, 8, 10].find((each) => each * power >= value) ?? 10;
  return times * power;
}

/**
 * Returns the values that the axis shows: zero, half and all of the maximum.
 * @param isWhole whether there are no values between whole numbers
 */
export function axisValues(most: number, isWhole: boolean): readonly number[] {
  return isWhole && most % 2 !== 0 ? [0, most] : [0, most / 2, most];
}
