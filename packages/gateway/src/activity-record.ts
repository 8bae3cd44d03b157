export * from "@touchstone/records/record";
