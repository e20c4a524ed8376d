import type { AuditLog } from '../audit/index.js';
import type { Catalog } from '../catalog/index.js';
import type { Conversation } from '../model/index.js';
import type { AdmittedServer, Server, ToolJudge } from '../policy/index.js';
import type { ToolIndex } from '../search/index.js';
import type { Settings } from '../settings/index.js';
import type { Pool } from '../upstream/index.js';
import type { Gate } from './limits/call-gate.js';
import type { PythonDependencies } from './python/python-dependencies.js';
import type { SearchFeedback } from './search-feedback.js';

/** The servers, tool rules and settings at one moment; replaced whole when a file changes. */
export interface GatewayView {
  readonly servers: readonly Server[];
  readonly judge: ToolJudge;
  readonly settings: Settings;
}

export interface GatewayDependencies {
  readonly view: () => GatewayView;
  readonly catalog: Catalog;
  readonly pool: Pool;
  /** Whether the start of a server downloads it first. */
  readonly isDownloaded: (server: AdmittedServer) => boolean;
  readonly index: ToolIndex;
  readonly gate: Gate;
  readonly uses: SearchFeedback;
  readonly audit: AuditLog;
  readonly python: PythonDependencies;
  /** Asks the user at the client to approve a server; undefined if the user declines or cannot be asked. */
  readonly consent: (server: Server, conversation: Conversation) => Promise<AdmittedServer | undefined>;
}
