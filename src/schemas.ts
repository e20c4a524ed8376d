// The zod schemas of the results of `discover` and `list --json`. A separate entry point, because loading zod takes two
// thirds as long as starting Node (docs/decisions/0002).
export {
  Definition,
  Input,
  LaunchFields,
  Origin,
  Problem,
  ScanResult,
  Scope,
  ServerRecord as Server,
  Severity,
  State,
  Transport,
} from './model/index.js';
