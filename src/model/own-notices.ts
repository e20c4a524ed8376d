/**
 * The gateway's notification that a subscription of a server was lost. Servers cannot send it, because its name does
 * not begin with `notifications/`.
 */
export const NOT_RESTORED = 'portolan/notRestored';
