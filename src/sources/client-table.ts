import type { Client } from './client.js';
import { agentsDir } from './clients/agents-dir.js';
import { amazonQ } from './clients/amazon-q.js';
import { amp } from './clients/amp.js';
import { antigravity } from './clients/antigravity.js';
import { anythingllm } from './clients/anythingllm.js';
import { claudeCode } from './clients/claude-code/index.js';
import { claudeDesktop } from './clients/claude-desktop.js';
import { cline } from './clients/cline.js';
import { codex } from './clients/codex.js';
import { continueDev } from './clients/continue.js';
import { copilotCli } from './clients/copilot-cli.js';
import { copilotJetbrains } from './clients/copilot-jetbrains.js';
import { crush } from './clients/crush.js';
import { cursor } from './clients/cursor.js';
import { devinCli } from './clients/devin-cli.js';
import { dockerMcp } from './clients/docker-mcp.js';
import { factoryDroid } from './clients/factory-droid.js';
import { fiveIre } from './clients/five-ire.js';
import { geminiCli } from './clients/gemini-cli.js';
import { goose } from './clients/goose.js';
import { jan } from './clients/jan.js';
import { jetbrainsAi } from './clients/jetbrains-ai.js';
import { junie } from './clients/junie.js';
import { kiloCode } from './clients/kilo-code.js';
import { kiro } from './clients/kiro.js';
import { librechat } from './clients/librechat.js';
import { lmstudio } from './clients/lmstudio.js';
import { mcphubNvim } from './clients/mcphub-nvim.js';
import { mcporter } from './clients/mcporter.js';
import { mcpsDir } from './clients/mcps-dir.js';
import { mistralVibe } from './clients/mistral-vibe.js';
import { nanobot } from './clients/nanobot.js';
import { abacus, boltai, enconvo, kimiCli, qoder, sema4, tome } from './clients/one-file-clients.js';
import { openWebui } from './clients/open-webui.js';
import { opencode } from './clients/opencode.js';
import { opencodeLegacy } from './clients/opencode-legacy.js';
import { portolan } from './clients/portolan.js';
import { qwenCode } from './clients/qwen-code.js';
import { raycast } from './clients/raycast.js';
import { rooCode } from './clients/roo-code.js';
import { tabnine } from './clients/tabnine.js';
import { toolhive } from './clients/toolhive.js';
import { trae } from './clients/trae.js';
import { visualStudio } from './clients/visual-studio.js';
import { vscode } from './clients/vscode.js';
import { vscodeInsiders } from './clients/vscode-insiders.js';
import { vscodium } from './clients/vscodium.js';
import { warp } from './clients/warp.js';
import { windsurf } from './clients/windsurf.js';
import { witsy } from './clients/witsy.js';
import { zed } from './clients/zed.js';

/**
 * All supported clients, in the order of the reference table, then Portolan's own entries. Among equal definitions the
 * first client determines the name.
 */
export const CLIENTS: readonly Client[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  vscodeInsiders,
  vscodium,
  windsurf,
  devinCli,
  opencode,
  opencodeLegacy,
  codex,
  geminiCli,
  antigravity,
  qwenCode,
  zed,
  cline,
  rooCode,
  kiloCode,
  continueDev,
  goose,
  amazonQ,
  kiro,
  junie,
  jetbrainsAi,
  copilotJetbrains,
  copilotCli,
  visualStudio,
  lmstudio,
  warp,
  agentsDir,
  trae,
  crush,
  amp,
  factoryDroid,
  kimiCli,
  qoder,
  tabnine,
  abacus,
  enconvo,
  tome,
  boltai,
  nanobot,
  sema4,
  mistralVibe,
  witsy,
  fiveIre,
  jan,
  anythingllm,
  librechat,
  openWebui,
  raycast,
  dockerMcp,
  toolhive,
  mcphubNvim,
  mcporter,
  mcpsDir,
  portolan,
];
