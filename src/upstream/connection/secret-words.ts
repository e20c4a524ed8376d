/** Names of secrets, matched against the folded text. */
const SECRET_PHRASE =
  /\b(?:pass(?:word|wd|phrase|code|wort)s?|pwd|pin|otps?|totp|cv[cv]2?|secrets?|token|bearer|credentials?|mnemonic|kennwort|wachtwoord|contrasena|senha|parola|haslo|sifre|losenord|mot de passe|(?:api|access|account|private|secret|ssh|signing|encryption|decryption|master|license|recovery|security) ?(?:key|code|token)s?|(?:recovery|seed|secret) phrase|(?:verification|authentication|authenticator|confirmation|one time|2fa|mfa|sms|tan) codes?|one time (?:pass|pin)\w*|(?:card|social security) number|ssn|auth key|apikeys?)\b/;
/** Names that are also found with characters between the letters; long words only, to avoid false matches. */
const SPREAD_WORD = /password|passphrase|passcode|apikey|privatekey|accesstoken|secretkey|recoveryphrase|seedphrase/;
/** Names in scripts that are not folded to Latin letters. */
const OTHER_SCRIPTS =
  /пароль|пін-?код|пин-?код|密码|密碼|口令|パスワード|暗証番号|비밀번호|סיסמה|كلمة (?:المرور|السر)|पासवर्ड/;
/** Greek, Cyrillic and similar letters that look like Latin ones. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аɑαａ', 'a'],
    ['ԁ', 'd'],
    ['еєεё', 'e'],
    ['һ', 'h'],
    ['іıɩι', 'i'],
    ['ј', 'j'],
    ['кκ', 'k'],
    ['ӏ', 'l'],
    ['нη', 'n'],
    ['оοσ', 'o'],
    ['рρ', 'p'],
    ['ѕ', 's'],
    ['тτ', 't'],
    ['υս', 'u'],
    ['ѡԝω', 'w'],
    ['ѵν', 'v'],
    ['сϲ', 'c'],
    ['хχ', 'x'],
    ['уγ', 'y'],
  ].flatMap(([letters = '', latin = '']) => [...letters].map((letter) => [letter, latin])),
);
const DIGIT_LETTERS: Readonly<Record<string, string>> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't' };
const SIGN_LETTERS: Readonly<Record<string, string>> = { '@': 'a', $: 's', '!': 'i' };
/** Only the beginning of a longer text is checked. */
const MAX_CHARACTERS = 20_000;

/** Whether a text names a password or another secret, also disguised: `api_key`, `PassWord`, `p4$$w0rd`, Cyrillic letters. */
export function namesSecret(text: string): boolean {
  const shown = text
    .slice(0, MAX_CHARACTERS)
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
  if (OTHER_SCRIPTS.test(text.slice(0, MAX_CHARACTERS).toLowerCase())) return true;
  const split = shown.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  const latin = folded(split, LOOKALIKES);
  const disguised = folded(folded(latin, SIGN_LETTERS), DIGIT_LETTERS);
  return [latin, disguised].some(
    (one) =>
      SECRET_PHRASE.test(one.replaceAll(/[^\p{L}\d]+/gu, ' ')) || SPREAD_WORD.test(one.replaceAll(/[^a-z]/g, '')),
  );
}

function folded(text: string, letters: Readonly<Record<string, string>>): string {
  return [...text].map((letter) => (Object.hasOwn(letters, letter) ? letters[letter] : letter)).join('');
}
