export * from "@touchstone/records/errors";
