/** The gateway says this about a server: a subscription is lost. No server can say it, because the name does not begin with `notifications/`. */
export const NOT_RESTORED = 'portolan/notRestored';
