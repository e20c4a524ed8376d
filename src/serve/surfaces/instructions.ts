/** Keeps the definitions of all meta-tools under 600 tokens, even with the most expensive names. */
const MAX_NAMES_CHARACTERS = 195;
const MAX_NAME_CHARACTERS = 24;

/** The instructions for the model. They contain only aliases of admitted servers, and no text of a file or server. */
export function instructions(aliases: readonly string[], offersPython = false, waiting = 0): string {
  const wait = waiting === 1 ? 'waits' : 'wait';
  if (aliases.length === 0 && waiting > 0)
    return `No MCP server is approved yet: ${waiting} ${wait} for the user's approval. Ask the user to run: portolan approve`;
  // Says that there is nothing to search, so that the model does not try.
  if (aliases.length === 0) return 'No MCP server is set up yet: ask the user to add one.';
  const others =
    waiting > 0 ? ` ${waiting} more ${wait} for the user's approval; ask the user to run: portolan approve` : '';
  const programs = offersPython ? ' Combine several calls in one program with run_python.' : '';
  return `This gateway reaches these MCP servers: ${namesWithin(aliases)}. Find a tool with search_tools and call it by its signature with execute_tool; get_tool_details shows the full schema.${programs}${others}`;
}

/** Why a search may be incomplete. Counts servers without names, because an unapproved file chose the names. */
export function notSearched(waiting: number): string {
  const [wait, were] = waiting === 1 ? ['server waits', 'was'] : ['servers wait', 'were'];
  return `${waiting} ${wait} for the user's approval and ${were} not searched: ask the user to run: portolan approve`;
}

/** As many names as fit, and the number of the rest. */
export function namesWithin(aliases: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const alias of aliases) {
    const name = alias.length > MAX_NAME_CHARACTERS ? `${alias.slice(0, MAX_NAME_CHARACTERS - 1)}…` : alias;
    // Words cost few tokens; digits and punctuation cost about one each.
    length += name.length + name.replaceAll(/[a-z]+/g, '').length + 2;
    if (length > MAX_NAMES_CHARACTERS) break;
    shown.push(name);
  }
  const more = aliases.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
