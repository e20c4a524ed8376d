/** Keeps the definitions of all meta-tools under 600 tokens, even with the most expensive names. */
const MAX_NAMES_CHARACTERS = 195;
const MAX_NAME_CHARACTERS = 24;
/** Any other name is quoted, so that its text does not read as part of the instructions. */
const PLAIN_NAME = /^[\w.-]+$/;
/** In tokens, a letter outside ASCII costs about three ASCII letters. */
const EXPENSIVE_CHARACTER_COST = 3;

/** The instructions for the model. Of files and servers they contain only the names of admitted servers. */
export function instructions(names: readonly string[], offersPython = false, waiting = 0): string {
  const wait = waiting === 1 ? 'waits' : 'wait';
  if (names.length === 0 && waiting > 0)
    return `No MCP server is approved yet: ${waiting} ${wait} for the user's approval. Ask the user to run: portolan approve`;
  // Says that there is nothing to search, so that the model does not try.
  if (names.length === 0) return 'No MCP server is set up yet: ask the user to add one.';
  const others =
    waiting > 0 ? ` ${waiting} more ${wait} for the user's approval; ask the user to run: portolan approve` : '';
  const programs = offersPython ? ' Combine several calls in one program with run_python.' : '';
  return `This gateway reaches these MCP servers: ${namesWithin(names)}. Find a tool with search_tools and call it by its signature with execute_tool; get_tool_details shows the full schema.${programs}${others}`;
}

/** Why a search may be incomplete. Counts servers without names, because an unapproved file chose the names. */
export function notSearched(waiting: number): string {
  const [wait, were] = waiting === 1 ? ['server waits', 'was'] : ['servers wait', 'were'];
  return `${waiting} ${wait} for the user's approval and ${were} not searched: ask the user to run: portolan approve`;
}

/** As many names as fit, and the number of the rest. */
export function namesWithin(names: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const written of names) {
    const letters = [...written];
    const cut =
      letters.length > MAX_NAME_CHARACTERS ? `${letters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…` : written;
    const name = PLAIN_NAME.test(written) ? cut : JSON.stringify(cut);
    // Words cost few tokens; digits and punctuation cost about one each.
    const expensive = written.replaceAll(/[ -~]+/g, '').length * EXPENSIVE_CHARACTER_COST;
    length += name.length + name.replaceAll(/[a-z]+/g, '').length + expensive + 2;
    if (length > MAX_NAMES_CHARACTERS) break;
    shown.push(name);
  }
  const more = names.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
