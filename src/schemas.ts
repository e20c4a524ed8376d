// The shapes that `discover` returns and `list --json` prints, as zod schemas. Apart from the main entry because zod
// alone costs two thirds of a bare Node start (docs/decisions/0002).
export {
  Chart,
  Definition,
  Input,
  LaunchFields,
  Origin,
  Problem,
  Scope,
  Server,
  Severity,
  State,
  Transport,
} from './model/index.js';
