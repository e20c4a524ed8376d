import { stem as porter2 } from 'porter2';

/** The stem of a lowercase word: the same for its forms in queries and in tools. */
export function stem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? (IRREGULAR.get(word) ?? porter2(word)) : word;
}

/** Each row is a stem and those of its forms for which the rules give another stem, or the stem of an unrelated word. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `ski skis/die dying/lie lying/tie tying/news news/send sent/buy bought/pay paid/find found/write written wrote/spend spent/
sell sold/build built/draw drew drawn/child children/person people/mouse mice/index indices indexes/data data/media media/
weather weather/organize organize organizes organized organizing organizer organizers organise organises organised organising
organization organizations organisation organisations organizational/university university universities`
    .split('/')
    .flatMap((row) => {
      const [own = '', ...forms] = row.trim().split(/\s+/);
      return forms.map((form): [string, string] => [form, own]);
    }),
);
