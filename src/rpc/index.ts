export { type Answer, type Channel, type ChannelListener, type Outgoing, toObject } from './channel.js';
export { LastingRequests, type NotRestored } from './lasting-requests.js';
export { LineSplitter } from './line-splitter.js';
export {
  type Id,
  type Incoming,
  type LargeMessage,
  largeMessage,
  NO_ID,
  type Params,
  parseLine,
  RpcCode,
  type RpcFault,
  readId,
  readMessage,
  tooLarge,
} from './message.js';
export { AnswerTooLarge, ChannelClosed, Peer, type Pending, RpcError, type RpcResult, Undelivered } from './peer.js';
export { ENVELOPE_BYTES, StreamChannel, type StreamLimits } from './stream-channel.js';
