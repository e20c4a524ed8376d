/** The server took a request and had nothing to say to it, where nothing more can come. */
export class UnansweredError extends Error {
  override readonly name = 'Unanswered';

  constructor() {
    super('it took the request and gave no answer to it');
  }
}
