// The budgets that `npm run bench:guard` watches: each is a ratio to a fixed partner that runs in the same process or
// beside the gateway, in turns.

/** How far beyond its budget a figure may be before the guard fails. */
export const TOLERANCE = 1.5;

/**
 * The maximum of each figure. A call through the gateway may take 1.2 times as long as in the version that first met
 * the budgets (84575e0), which took 6.0, 5.5 and 6.8 times as long as the relay over stdio, and 1.7, 2.0 and 2.2
 * times as long over HTTP. `npm run bench:checkouts` compares two versions themselves.
 */
export const BUDGETS = {
  "isValid ÷ Ajv, tools": 1.8,
  "isValid ÷ Ajv, large": 2,
  "validate ÷ Ajv, tools": 2.3,
  "validate ÷ Ajv, large": 4,
  "check of a text ÷ JSON.parse, tools": 2,
  "check of a text ÷ JSON.parse, large": 0.6,
  "check of bytes ÷ JSON.parse, tools": 2.8,
  "check of bytes ÷ JSON.parse, large": 0.4,
  "compile ÷ Ajv for each tool": 0.03,
  "call ÷ bare relay, stdio, 1 KB": 7.5,
  "call ÷ bare relay, stdio, 10 KB": 7,
  "call ÷ bare relay, stdio, 100 KB": 8,
  "call ÷ bare relay, HTTP, 1 KB": 2.2,
  "call ÷ bare relay, HTTP, 10 KB": 2.6,
  "call ÷ bare relay, HTTP, 100 KB": 3,
};

/**
 * Compares figures with their budgets.
 * @param figures name and value of each, in order
 * @returns a row for each figure: its budget, the limit, and whether the figure is within both
 * @throws Error for a figure that has no budget
 */
export function compareFigures(figures, budgets = BUDGETS) {
  return [...figures].map(([name, value]) => {
    const budget = budgets[name];
    if (budget === undefined) throw new Error(`${name} has no budget`);
    const limit = budget * TOLERANCE;
    // A figure that is not a number is not within its budget.
    return { name, value, budget, limit, isMet: value <= budget, isOver: !(value <= limit) };
  });
}
