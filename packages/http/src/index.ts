export type {
  AdmitCall,
  AuthHook,
  CallProgress,
  CallRefusal,
  CallRequest,
  CallResult,
  ComingCall,
  Content,
  ImageContent,
  IncomingRequest,
  RefusalListener,
  RefusedCall,
  Rejection,
  RepairedCall,
  RepairListener,
  ResultTexts,
  TextContent,
  ToolCallHandler,
  ToolCallOutcome,
  ToolCallTuple,
} from "./call-types.ts";
export type { DetailedResult } from "./check-response.ts";
export type { ArgumentChecks, ArgumentChecksSetting } from "./checks.ts";
export type { ConsoleAsset, ConsoleAssets } from "./console-assets.ts";
export type { Fault, FaultCode, FaultListener } from "./fault.ts";
export { createHandler, type FetchHandler } from "./fetch.ts";
export type { CallToJudge, HostJudge, HostJudgement } from "./host-judge.ts";
export { createNodeHandler, loadCheckThreads, type NodeHandler } from "./node.ts";
export { OptionError, type RepairSetting, type UIConfig } from "./options.ts";
export type { BodyReader } from "./request/body.ts";
export type { ProposedRepair, ValidateResult, ValidationFailure } from "./result.ts";
export { buildUIRoutes, type ParsedRequest, type Route, type RouteRequest } from "./routes.ts";
export type { Tool, ToolsProvider, ToolsRequest, ToolTexts } from "./tool.ts";
