/** The server accepted a request over HTTP and ended the response without an answer. */
export class UnansweredError extends Error {
  override readonly name = 'Unanswered';

  constructor() {
    super('it accepted the request but sent no answer');
  }
}
