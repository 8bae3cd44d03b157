// Names that the pages use without an import: a handler, its schema and a log.
export { checked } from "@touchstone/runner";

export const getWeather = ({ city }: { city: string }): string => `sunny in ${city}`;
export const input = { type: "object", required: ["city"] };
export const log = { info: (_fields: object): void => {} };
