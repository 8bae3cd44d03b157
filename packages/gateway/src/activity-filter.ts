export * from "@touchstone/records/filter";
